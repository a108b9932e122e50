// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocked layouts: consecutive elements per thread, threads next to each other. They make accesses
// to memory wide and coalesced.

#ifndef NAUTILUS_LAYOUT_BLOCKED_H
#define NAUTILUS_LAYOUT_BLOCKED_H

#include "nautilus/Layout/RegisterLayout.h"

namespace nautilus::layout {

/// Each thread holds a block of `sizePerThread`, lanes form `threadsPerWarp` of them, warps
/// `warpsPerBlock` of those; powers of two, one per dim. `order` lists the dims, fastest first.
/// A larger tile repeats the whole along registers, a smaller one repeats its data over the bits
/// that find no room (register bits are left out).
RegisterLayout blocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sizePerThread,
                       llvm::ArrayRef<int64_t> threadsPerWarp,
                       llvm::ArrayRef<int64_t> warpsPerBlock, llvm::ArrayRef<unsigned> order);

/// A layout for memory access by `numWarps` warps: up to 16 bytes per thread along `contiguousDim`,
/// lanes along it next, warps along the other dims first. Any extents; lanes and warps for which
/// the tile has no room repeat its data.
RegisterLayout blockedFor(llvm::ArrayRef<int64_t> shape, int64_t numWarps, int64_t elementBytes,
                          unsigned contiguousDim);

/// How many elements that follow each other along `dim` sit in consecutive registers, in every
/// thread and starting at a multiple of their number: the widest vector access along `dim`.
int64_t vectorWidth(const RegisterLayout &layout, unsigned dim);

} // namespace nautilus::layout

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much shared memory the ops of a kernel take: for the pass that lays it out, and for those
// that share it out before.

#ifndef NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_SHAREDMEMORY_H
#define NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_SHAREDMEMORY_H

#include "nautilus/Dialect/MATile/IR/MATile.h"

namespace mlir::nautilus::matile {

/// Bytes of scratch that a layout conversion needs.
int64_t getScratch(ConvertLayoutOp op);
/// Bytes of scratch that a reduction needs: none unless several warps hold parts of one result.
int64_t getScratch(ReduceOp op, int64_t warps);
/// Bytes of scratch that the kernel needs: all uses share it.
int64_t getScratch(KernelOp kernel);
/// An upper bound of what everything but channels takes.
int64_t getSharedBesidesChannels(KernelOp kernel);

} // namespace mlir::nautilus::matile

#endif

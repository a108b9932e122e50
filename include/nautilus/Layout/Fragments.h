// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register layouts that the tensor cores prescribe. Registers are counted in elements, also where
// several 8- or 16-bit elements share a 32-bit register: consecutive ones pack together, lowest
// first.
//
// Source: PTX ISA, matrix fragments of wgmma.mma_async (accumulator D, register operand A) and
// mma.sync.m16n8k*. An instruction takes 256 bits of the contraction per row.

#ifndef NAUTILUS_LAYOUT_FRAGMENTS_H
#define NAUTILUS_LAYOUT_FRAGMENTS_H

#include "nautilus/Layout/RegisterLayout.h"

namespace nautilus::layout {

/// wgmma's f32 accumulator: 16 rows per warp, 64 per warpgroup. Further rows repeat along
/// registers: row blocks of 64 alternate between warpgroups, except that warpgroups whose number
/// is no power of two hold consecutive blocks. `m` is a multiple of 16 * warps, `n` of 8.
RegisterLayout wgmmaAccumulator(int64_t m, int64_t n, int64_t warps);

/// wgmma's A operand in registers, elements of 8, 16 or 32 bits; `k` is a multiple of 256 /
/// elementBits.
RegisterLayout wgmmaOperandA(int64_t m, int64_t k, int64_t elementBits, int64_t warps);

/// mma.sync's f32 accumulator (m16n8). Warps tile the rows first: warp w has row block w % warpsM
/// of 16 and column block w / warpsM of 8; both repeat along registers, columns first. `warpsM` is
/// a power of two.
RegisterLayout mmaSyncAccumulator(int64_t m, int64_t n, int64_t warpsM, int64_t warpsN);
/// mma.sync's A operand, m x k, for the same arrangement of warps.
RegisterLayout mmaSyncOperandA(int64_t m, int64_t k, int64_t elementBits, int64_t warpsM,
                               int64_t warpsN);
/// mma.sync's B operand as a tile of k x n.
RegisterLayout mmaSyncOperandB(int64_t k, int64_t n, int64_t elementBits, int64_t warpsM,
                               int64_t warpsN);

} // namespace nautilus::layout

#endif

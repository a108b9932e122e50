// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts: which register of which thread, and which byte of shared memory, holds which element of
// a tile. This header gathers the module; no MLIR in it.
//
// Registers. A register layout is a linear map over GF(2). The index of a register, of a lane in
// its warp and of a warp are words of bits; bit k of each contributes a basis vector, a coordinate
// offset in the tile, and contributions are combined by exclusive or:
//
//   coords(register, lane, warp) = xor of the bases of all bits that are set.
//
// For every layout built here the bases of one dim use disjoint bits ("additive"), so that
// exclusive or is also a sum and a register's offset is a constant that is added to the thread's
// own coordinate. Extents that are no powers of two are padded to one; registers that then lie
// outside the tile for every thread are pruned, the others keep their order; likewise trailing
// warps. A zero basis repeats the data over that bit, and so does a bit beyond the last basis.
//
// Example: wgmma's accumulator of 64 x 16. Register bits: (0,1), (8,0), (0,8). Lane bits: (0,2),
// (0,4), (1,0), (2,0), (4,0). Warp bits: (16,0), (32,0). Register 5 = 0b101 of lane 6 = 0b110 in
// warp 1 holds (0,1)^(0,8) ^ (0,4)^(1,0) ^ (16,0) = (17,13).
//
// Reducing over a dim drops it from every basis (`dropDim`): registers that moved only along it
// disappear, lanes and warps that did hold repeated data. Accumulators and operands of the tensor
// cores (Fragments.h), coalesced memory access (Blocked.h) and slices of them are all instances.
//
// Moving data between two layouts is solving linear equations (Conversion.h): find the register
// and lane that hold, in the first layout, what a register and lane hold in the second. Reductions
// are read off the bases that move along the reduced dim (Reduction.h).
//
// Shared memory. A tile in shared memory is affine in slabs and rows, and inside a slab 16-byte
// chunks are permuted by an exclusive or with address bits (SharedLayout.h), which is what TMA
// writes and wgmma reads through its descriptors (WgmmaDescriptor.h). BankConflicts.h counts what
// an access costs.

#ifndef NAUTILUS_LAYOUT_LAYOUT_H
#define NAUTILUS_LAYOUT_LAYOUT_H

#include "nautilus/Layout/BankConflicts.h"
#include "nautilus/Layout/Blocked.h"
#include "nautilus/Layout/Conversion.h"
#include "nautilus/Layout/Fragments.h"
#include "nautilus/Layout/Reduction.h"
#include "nautilus/Layout/RegisterLayout.h"
#include "nautilus/Layout/SharedLayout.h"
#include "nautilus/Layout/WgmmaDescriptor.h"

#endif

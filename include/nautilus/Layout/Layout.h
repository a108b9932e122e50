// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register layouts: which register of which thread holds which element of a tile.
//
// A layout is a linear map over GF(2). The index of a register, of a lane in its warp and of a warp
// are words of bits; bit k of each contributes a basis vector, a coordinate offset in the tile, and
// contributions are combined by exclusive or. For every layout built here the bases of one dim use
// disjoint bits, so that exclusive or is also a sum and a register's offset is a constant that is
// added to the thread's own coordinate. Extents that are no powers of two are padded to one;
// registers that then lie outside the tile for every thread are pruned, the others keep their
// order. A zero basis repeats the data over that bit.
//
// Reducing over a dim drops it from every basis (`dropDim`): registers that moved only along it
// disappear, lanes and warps that did hold repeated data. Accumulator and operand fragments of the
// tensor cores, blocked layouts for coalesced memory access, and their slices are all instances. No
// MLIR here.

#ifndef NAUTILUS_LAYOUT_LAYOUT_H
#define NAUTILUS_LAYOUT_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace nautilus::layout {

class RegisterLayout {
public:
  /// One coordinate offset per dim of the tile.
  using Basis = llvm::SmallVector<int32_t, 2>;
  RegisterLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Basis> registers,
                 llvm::ArrayRef<Basis> lanes, llvm::ArrayRef<Basis> warps);

  /// True extents of the tile.
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  llvm::ArrayRef<Basis> registerBases() const { return registers; }
  llvm::ArrayRef<Basis> laneBases() const { return lanes; }
  llvm::ArrayRef<Basis> warpBases() const { return warps; }

  /// Registers of a thread after pruning.
  int64_t numRegisters() const { return kept.size(); }
  /// The contribution of register `r` (after pruning) to each coordinate.
  llvm::SmallVector<int64_t> registerOffset(int64_t r) const;
  /// Coordinates of register `r` (after pruning) of a thread; may lie outside the tile where a
  /// thread overhangs.
  llvm::SmallVector<int64_t> coords(int64_t r, int64_t lane, int64_t warp) const;
  /// True if exclusive or and sum agree for all indices.
  bool isAdditive() const;
  /// True if every element of the tile is held by some register of some thread of the first
  /// `numWarps` warps (0: of as many as the layout has bits for); else says why.
  bool isValid(std::string *why, int64_t numWarps = 0) const;

  /// The layout of the tile reduced over `dim`.
  RegisterLayout dropDim(unsigned dim) const;
  /// The layout of the transposed tile: its dim i is dim permutation[i] of this one. Registers keep
  /// their numbers.
  RegisterLayout permuteDims(llvm::ArrayRef<int64_t> permutation) const;

  bool operator==(const RegisterLayout &other) const;
  bool operator!=(const RegisterLayout &other) const { return !(*this == other); }

private:
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Basis> registers, lanes, warps;
  llvm::SmallVector<int32_t> kept; // padded register numbers
};

/// wgmma's f32 accumulator (PTX ISA): 64 rows per warpgroup, then repetitions along the rows. `m`
/// is a multiple of 16 * warps.
RegisterLayout wgmmaAccumulator(int64_t m, int64_t n, int64_t warps);

/// wgmma's A operand in registers, 16-bit elements; consecutive registers pair into one 32-bit
/// register.
RegisterLayout wgmmaOperandA(int64_t m, int64_t k, int64_t elementBits, int64_t warps);

/// A layout for memory access by `numWarps` warps: up to 16 bytes per thread along `contiguousDim`,
/// lanes along it next, warps along the other dims first. Any extents.
RegisterLayout blockedFor(llvm::ArrayRef<int64_t> shape, int64_t numWarps, int64_t elementBytes,
                          unsigned contiguousDim);

/// How a fragment gets from one layout to another.
struct ConversionPlan {
  enum class Kind { Identity, RegisterPermute, Shared };
  Kind kind;
  /// RegisterPermute: for each register of the result, the register of the source.
  llvm::SmallVector<int64_t> sourceRegister;
};
ConversionPlan planConversion(const RegisterLayout &from, const RegisterLayout &to);

} // namespace nautilus::layout

#endif

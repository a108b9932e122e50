// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A register layout: the linear map from bits of register, lane and warp to coordinates in a tile.
// Layout.h explains the theory.

#ifndef NAUTILUS_LAYOUT_REGISTERLAYOUT_H
#define NAUTILUS_LAYOUT_REGISTERLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace nautilus::layout {

/// The parts of the machine that an index bit can name.
enum class HwDim { Register, Lane, Warp };

class RegisterLayout {
public:
  /// One coordinate offset per dim of the tile.
  using Basis = llvm::SmallVector<int32_t, 2>;
  /// Each list holds one basis per index bit, lowest bit first; every basis has the rank of
  /// `shape`. At most 16 register bits.
  RegisterLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Basis> registers,
                 llvm::ArrayRef<Basis> lanes, llvm::ArrayRef<Basis> warps);

  /// True extents of the tile.
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  unsigned rank() const { return extents.size(); }
  llvm::ArrayRef<Basis> registerBases() const { return registers; }
  llvm::ArrayRef<Basis> laneBases() const { return lanes; }
  llvm::ArrayRef<Basis> warpBases() const { return warps; }
  llvm::ArrayRef<Basis> bases(HwDim dim) const;

  /// Registers of a thread after pruning.
  int64_t numRegisters() const { return kept.size(); }
  /// Padded numbers (words of register bits) of the registers that remain, ascending.
  llvm::ArrayRef<int32_t> registerIndices() const { return kept; }
  /// Warps that hold elements: later ones, up to the power of two of the bases, hold none.
  int64_t numWarps() const;
  int64_t numThreads() const { return numWarps() << lanes.size(); }

  /// The contribution of register `r` (after pruning) to each coordinate.
  llvm::SmallVector<int64_t> registerOffset(int64_t r) const;
  /// The contribution of a thread to each coordinate.
  llvm::SmallVector<int64_t> threadOffset(int64_t lane, int64_t warp) const;
  /// Coordinates of register `r` (after pruning) of a thread; may lie outside the tile where a
  /// thread overhangs.
  llvm::SmallVector<int64_t> coords(int64_t r, int64_t lane, int64_t warp) const;
  /// The greatest coordinate along `dim` that register `r` has in the first `warpCount` warps.
  int64_t maxCoordinate(int64_t r, unsigned dim, int64_t warpCount) const;
  /// True if `at` lies in the tile.
  bool contains(llvm::ArrayRef<int64_t> at) const;
  /// True if exclusive or and sum agree for all indices.
  bool isAdditive() const;
  /// True if the bases are well formed and every element of the tile is held by some register of
  /// the first `warpCount` warps (0: all that the bases name); else says why.
  bool isValid(std::string *why, int64_t warpCount = 0) const;

  /// The layout of the tile reduced over `dim`: one register per distinct coordinate that a thread
  /// still has.
  RegisterLayout dropDim(unsigned dim) const;
  /// The layout of a tile with a new dim of `extent` before dim `dim`, all of whose elements sit in
  /// the registers of one thread: `expandDim(d, n).dropDim(d)` gives this layout back.
  RegisterLayout expandDim(unsigned dim, int64_t extent) const;
  /// The layout of the transposed tile: its dim i is dim permutation[i] of this one. Registers keep
  /// their numbers.
  RegisterLayout permuteDims(llvm::ArrayRef<int64_t> permutation) const;

  bool operator==(const RegisterLayout &other) const;
  bool operator!=(const RegisterLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const RegisterLayout &layout);
  /// For messages: `64x16 reg=[[0, 1], ...] lane=[...] warp=[...]`.
  std::string str() const;

private:
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Basis> registers, lanes, warps;
  llvm::SmallVector<int32_t> kept; // padded register numbers
};

} // namespace nautilus::layout

#endif

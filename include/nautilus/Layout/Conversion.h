// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a fragment gets from one register layout to another. Conversions are derived by solving
// linear equations, not listed per pair of layouts.

#ifndef NAUTILUS_LAYOUT_CONVERSION_H
#define NAUTILUS_LAYOUT_CONVERSION_H

#include "nautilus/Layout/RegisterLayout.h"

namespace nautilus::layout {

/// Data movement inside each warp. Register r of lane l of the result is register
/// `results[r].sources[selector(l)]` of lane `sourceLane(r, l)`, all in the same warp. A `shfl.idx`
/// moves one fixed register, so a result takes one per entry of `sources` and selects.
struct ShufflePlan {
  struct Result {
    int32_t laneOffset;
    /// By selector; -1 where no lane needs one.
    llvm::SmallVector<int64_t> sources;
  };
  /// Lane bit b of the reader flips these bits of the lane it reads.
  llvm::SmallVector<int32_t> laneImages;
  /// Selector bit i of lane l is the parity of `l & selectorMasks[i]`.
  llvm::SmallVector<int32_t> selectorMasks;
  llvm::SmallVector<Result> results;

  int64_t sourceLane(int64_t r, int64_t lane) const;
  int64_t selector(int64_t lane) const;
  /// True if register `r` comes from the lane's own registers, so that no shuffle is needed.
  bool isOwnLane(int64_t r) const;
  /// shfl instructions per thread.
  int64_t numShuffles() const;
};

struct ConversionPlan {
  enum class Kind {
    Identity,        ///< the same registers
    RegisterPermute, ///< each thread owns what it needs, under other numbers
    Shuffle,         ///< each warp owns what it needs
    Shared           ///< through shared memory
  };
  Kind kind;
  /// RegisterPermute: for each register of the result, the register of the source.
  llvm::SmallVector<int64_t> sourceRegister;
  /// Shuffle: where each register comes from.
  ShufflePlan shuffle;
};

/// Which way data takes from `from` to `to`, layouts of one tile. A shuffle that would need more
/// than `maxShuffles` instructions per register of the result goes through shared memory instead; 0
/// allows none.
ConversionPlan planConversion(const RegisterLayout &from, const RegisterLayout &to,
                              int64_t maxShuffles = 0);

/// Scratch memory of a conversion through shared memory: the tile in row-major order (all dims but
/// the last are rows), rows padded against bank conflicts.
struct ScratchPlan {
  int64_t rowStride; ///< bytes
  int64_t size;      ///< bytes
  /// Elements per access while storing `from` and loading `to`.
  int64_t storeWidth, loadWidth;
};
ScratchPlan planScratch(const RegisterLayout &from, const RegisterLayout &to, int64_t elementBytes);

} // namespace nautilus::layout

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a fragment is reduced along one dim: registers of a thread first, then lanes by butterfly
// shuffles, then warps through shared memory.

#ifndef NAUTILUS_LAYOUT_REDUCTION_H
#define NAUTILUS_LAYOUT_REDUCTION_H

#include "nautilus/Layout/RegisterLayout.h"
#include <optional>

namespace nautilus::layout {

struct ReductionPlan {
  /// `input.dropDim(dim)`, the layout of the result.
  RegisterLayout result;
  /// For each register of the result, the registers of the input to combine; data that a thread
  /// holds twice is named once.
  llvm::SmallVector<llvm::SmallVector<int64_t>> registerGroups;
  /// Registers of the input that overhang the tile in some thread: combine the identity there.
  llvm::SmallVector<bool> needsMask;
  /// Exchange with lane `lane ^ mask` and combine, one mask after the other.
  llvm::SmallVector<int32_t> laneMasks;
  /// Then combine over warps that differ in these bits of the warp index; 0 if none. Only the
  /// index's low `warpBits` bits tell warps apart.
  int32_t warpMask = 0;
  unsigned warpBits = 0;

  /// The warps below `warpCount` that hold the parts of the results of `warp`, each part once,
  /// ascending. A number of warps that is no power of two has fewer than the mask names, or some
  /// that repeat others.
  llvm::SmallVector<int64_t> partners(int64_t warp, int64_t warpCount) const;
};

/// None if a lane or warp bit moves along `dim` and another dim at once, or by what other bits move
/// already, so that threads can't be paired bit by bit (no additive layout with one dim per basis
/// is so).
std::optional<ReductionPlan> planReduction(const RegisterLayout &input, unsigned dim);

} // namespace nautilus::layout

#endif

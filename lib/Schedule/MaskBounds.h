// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges of a loop that is split by masks or into parts, as index computations before the loop.

#ifndef NAUTILUS_LIB_SCHEDULE_MASKBOUNDS_H
#define NAUTILUS_LIB_SCHEDULE_MASKBOUNDS_H

#include "nautilus/Schedule/State.h"

namespace mlir::nautilus::schedule {

/// One part of a split loop; it is empty at run time if `lower >= upper`.
struct LoopPart {
  Value lower, upper; // null: the start and the end of the dim
  bool isBare = false;
};

/// Emits the bounds of the parts of `loop`, in order. `getOrigin` gives the origin of the tile of
/// an axis where the loop stands and the tile's size; a null origin is 0.
SmallVector<LoopPart>
emitLoopParts(OpBuilder &builder, Location loc, const State &state, unsigned loop,
              function_ref<std::pair<Value, int64_t>(unsigned axis)> getOrigin);

/// Emits the bounds of part number `number` of `loop`, of as many as the axis over parts has
/// points.
LoopPart emitPartRange(OpBuilder &builder, Location loc, const State &state, unsigned loop,
                       Value number);

} // namespace mlir::nautilus::schedule

#endif

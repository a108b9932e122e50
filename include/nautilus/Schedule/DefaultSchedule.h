// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain schedule: what every statement gets that no other schedule speaks of. It is always
// legal, so that every program compiles; it fuses nothing.

#ifndef NAUTILUS_SCHEDULE_DEFAULTSCHEDULE_H
#define NAUTILUS_SCHEDULE_DEFAULTSCHEDULE_H

#include "nautilus/Schedule/Primitives.h"

namespace mlir::nautilus::schedule {

/// The steps that complete `state`, in order, so that it can be materialised.
///
/// Parallel axes are tiled and bound to the grid, innermost axes first:
///  - a contraction gets 128 x 128 points and depth 64, with 1 along its other axes;
///  - a reduction along the innermost dim of what it reads gets up to 1024 points of that axis per
///    step, and rows up to 8192 points in all;
///  - everything else gets up to 128 points of its innermost axis and up to 4096 in all.
/// An axis whose subscripts a tile cannot walk (a stride, a second axis in the sum, a diagonal)
/// gets 1 point, one below a quotient or remainder the power of two that divides all else there. An
/// axis that is shorter (by its extent, or by its hint when dynamic) gets the next power of two; a
/// static axis that one tile of exactly its extent covers gets no loop. Loops over parallel axes
/// that a partial schedule left unbound are bound.
/// A value that a serial loop makes anew in each iteration and that others read is computed again
/// for them.
SmallVector<Primitive> completeSchedule(const State &state);

/// A tile size for each axis of a statement by these rules.
SmallVector<int64_t> chooseTiles(const State &state, unsigned stmt);

/// The most points that a tile of each axis of `statement` may have, by the subscripts that walk
/// it.
SmallVector<int64_t> getTileLimits(const Statement &statement);

/// `state` after `steps`, each of which must be legal in turn.
State applyAll(State state, ArrayRef<Primitive> steps);

} // namespace mlir::nautilus::schedule

#endif

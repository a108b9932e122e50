// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that a schedule is made of. Each is a plain record of names and numbers, written once
// and used by transform ops, by the default schedule and by the search alike. `checkStep` judges
// without side effect, `applyStep` gives the next state.
//
// Statements and axes are addressed by the names they have in the kernel; a loop is addressed by a
// statement below it and that statement's axis.

#ifndef NAUTILUS_SCHEDULE_PRIMITIVES_H
#define NAUTILUS_SCHEDULE_PRIMITIVES_H

#include "nautilus/Schedule/Reason.h"
#include "nautilus/Schedule/State.h"

#include <variant>

namespace mlir::nautilus::schedule {

/// Puts a loop over tiles of `size` points of one axis around a statement. Loops over parallel axes
/// stand outside those over reduction axes.
struct Tile {
  std::string statement, axis;
  TileSize size;
};

/// Binds a loop over tiles to thread blocks.
struct Bind {
  std::string statement, axis;
};

/// Moves a statement that has no loops into a loop of another one, whose tiling it inherits. It is
/// placed before the first statement there that reads it, else at the end.
struct Fuse {
  std::string statement;
  std::string into, axis;
};

/// Puts the body of an elementwise statement in place of every read of it; the statement is gone.
struct Inline {
  std::string statement;
};

/// Copies a statement for one of its readers. The copy is called `name` and stands
/// alone without loops, just before the root of the reader.
struct Clone {
  std::string statement, reader, name;
};

/// Moves a reduction into a loop that is still computing what it reads: the elementwise statements
/// on the way become part of it, and its running value is repaired in every iteration. What to
/// carry and how to repair it is derived from the bodies (Solver.h).
struct Roll {
  std::string statement;
  std::string into, axis;
};

/// Splits the range of a serial loop by the affine masks below it: a bare part without the masks,
/// masked parts at its ends, and no iterations where a mask hides everything.
struct SplitMask {
  std::string statement, axis;
};

/// Sets how the launch that computes a statement runs. What it computes stays the same.
struct Configure {
  std::string statement;
  LaunchOptions options;
};

/// Cuts the range of a serial loop into parts that run at the same time: the loop goes to a launch
/// with one more grid axis, over parts, and the reductions that it carries are merged, with the
/// repairs that it applies, in a launch after it, where also stands what followed the loop.
struct SplitReduce {
  std::string statement, axis;
  TileSize parts;
};

using Primitive =
    std::variant<Tile, Bind, Fuse, Inline, Clone, Roll, SplitMask, Configure, SplitReduce>;

/// Yes if `primitive` may be applied to `state`, with `applyStep`'s result then legal too.
Verdict checkStep(const State &state, const Primitive &primitive);

/// The next state. `checkStep` must have said yes.
State applyStep(const State &state, const Primitive &primitive);

/// The name of a primitive as schedule scripts write it.
StringRef getPrimitiveName(const Primitive &primitive);

/// A step as schedule scripts write it, without its handle.
std::string getText(const Primitive &primitive);

} // namespace mlir::nautilus::schedule

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the primitives share: a proposed state or a reason, one edit function per primitive, and
// look-ups by name.

#ifndef NAUTILUS_LIB_SCHEDULE_EDITS_H
#define NAUTILUS_LIB_SCHEDULE_EDITS_H

#include "nautilus/Schedule/Primitives.h"

namespace mlir::nautilus::schedule {

/// The state that a primitive proposes, before the invariants are checked, or why it can't.
using Proposal = std::variant<State, Reason>;

Proposal propose(const State &state, const Tile &step);
Proposal propose(const State &state, const Bind &step);
Proposal propose(const State &state, const Fuse &step);
Proposal propose(const State &state, const Inline &step);
Proposal propose(const State &state, const Clone &step);
Proposal propose(const State &state, const Roll &step);
Proposal propose(const State &state, const SplitMask &step);
Proposal propose(const State &state, const Configure &step);
Proposal propose(const State &state, const SplitReduce &step);

/// A statement and one of its axes, found by name.
struct AxisOfStatement {
  unsigned stmt;
  unsigned position;
  unsigned axis;
};
std::variant<AxisOfStatement, Reason> findAxis(const State &state, StringRef stmt, StringRef axis);

/// The loop over a statement's axis around that statement.
std::variant<unsigned, Reason> findLoop(const State &state, StringRef stmt, StringRef axis);

/// Removes a statement from the tree, with the loops that it leaves empty. Options of its launch
/// stay with the others there.
void eraseStatement(State &state, unsigned stmt);

/// Makes `reader` read `to` wherever it reads a result of `from`.
void redirectReads(Statement &reader, unsigned from, unsigned to);

/// Removes the loops that have no statement below.
void dropEmptyLoops(State &state);

/// Sorts the roots so that each stands after those whose results it reads, keeping the order
/// otherwise; false if they need one another.
bool sortRoots(State &state);

} // namespace mlir::nautilus::schedule

#endif

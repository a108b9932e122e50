// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the search can do with one statement: each move tries its steps in a fixed order and either
// makes a new candidate or none.

#ifndef NAUTILUS_LIB_SCHEDULE_SEARCH_MOVES_H
#define NAUTILUS_LIB_SCHEDULE_SEARCH_MOVES_H

#include "nautilus/Schedule/Search.h"

namespace mlir::nautilus::schedule {

/// A state on the way, with the steps that led to it.
struct Candidate {
  State state;
  SmallVector<Primitive> steps;
};

class Moves {
public:
  Moves(const SearchOptions &options, SearchTrace *trace) : options(options), trace(trace) {}

  /// The statement inside the nest of a statement that it reads, in the deepest loop possible.
  std::optional<Candidate> fuseIntoProducers(const Candidate &from, unsigned stmt);
  /// The reduction inside a loop that still computes what it reads, repaired.
  std::optional<Candidate> rollIntoPredecessors(const Candidate &from, unsigned stmt);
  /// The statement inside the nest of a reader, before it.
  std::optional<Candidate> fuseIntoReaders(const Candidate &from, unsigned stmt);
  /// The statement inside the nest of one that reads what it reads or is read where it is read.
  std::optional<Candidate> fuseIntoSiblings(const Candidate &from, unsigned stmt);
  /// The statement in a nest of its own.
  std::optional<Candidate> startNest(const Candidate &from, unsigned stmt);

private:
  std::optional<Candidate> take(const Candidate &from, const Primitive &step);
  std::optional<Candidate> fuseIntoNestOf(const Candidate &from, unsigned stmt, unsigned other);
  /// `from` with loops over the parallel axes of `stmt` that are too long for one tile.
  std::optional<Candidate> boundTiles(const Candidate &from, unsigned stmt);
  TileSize makeSize(const Statement &statement, StringRef axis, int64_t size) const;

  const SearchOptions &options;
  SearchTrace *trace;
};

/// True if `stmt` stands at the root without loops.
bool isUnscheduled(const State &state, unsigned stmt);

} // namespace mlir::nautilus::schedule

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The auto-scheduler's search: which steps lead from a kernel's unscheduled state to good ones.
//
// Statements are visited producers first. Each is moved into the nest of what it reads (classical
// fusion, deepest loop first), else rolled into a reduction loop that still computes what it
// reads, else it starts a nest of its own; an elementwise statement that fits nowhere yet waits for
// a later reduction to take it along. Reductions also get the child in which they stand alone, so
// that the cost decides where fusion pays. All of it happens by checkStep and applyStep: the search
// knows no rule of its own about what is legal.
//
// After the paper's auto-scheduler (arXiv 2604.14825); statements, loops and repairs as described
// in docs/Scheduling.md.

#ifndef NAUTILUS_SCHEDULE_SEARCH_H
#define NAUTILUS_SCHEDULE_SEARCH_H

#include "nautilus/Schedule/Primitives.h"

namespace mlir::nautilus::schedule {

struct SearchOptions {
  /// States kept after each statement.
  unsigned beam = 32;
};

/// A complete schedule with what it is ranked by.
struct Seed {
  State state;
  /// From the start of the search to `state`, in order.
  SmallVector<Primitive> steps;
  /// Estimated microseconds.
  double cost = 0;
};

/// What the search tells about itself while it runs. States are named by their hashes.
class SearchTrace {
public:
  virtual ~SearchTrace() = default;
  /// A step was tried on `state`; `reason` says why it isn't legal, or is null if it was taken and
  /// led to `next`.
  virtual void attempt(const State &state, const Primitive &step, const Reason *reason,
                       const State *next) = 0;
  /// `state` was dropped: another one is the same but for names, or the beam was full.
  virtual void drop(const State &state, StringRef why) = 0;
};

/// Complete schedules of `start`, which must be unscheduled, best first; equal ones once. There is
/// always one.
std::vector<Seed> searchSchedules(const State &start, const SearchOptions &options = {},
                                  SearchTrace *trace = nullptr);

/// Estimated microseconds of a complete schedule: launches, traffic and arithmetic on a device like
/// an H200. Ranks structures; no promise of a time.
double estimateMicroseconds(const State &state);

} // namespace mlir::nautilus::schedule

#endif

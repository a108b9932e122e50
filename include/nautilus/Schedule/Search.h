// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The auto-scheduler's search: which steps lead from a kernel's unscheduled state to good ones.
//
// Statements are visited producers first. Each is moved into the nest of what it reads (classical
// fusion, deepest loop first), else rolled into a reduction loop that still computes what it
// reads, else it joins one that reads the same values or starts a nest of its own; an elementwise
// statement that fits nowhere yet waits for a later reduction to take it along. Reductions also get
// the child in which they stand alone, so that the cost decides where fusion pays. All of it
// happens by checkStep and applyStep: the search knows no rule of its own about what is legal.
// Sizes of tiles are knobs, to which the cost model (Cost.h) gives numbers at the end.
//
// After the paper's auto-scheduler (arXiv 2604.14825); statements, loops and repairs as described
// in docs/Scheduling.md.

#ifndef NAUTILUS_SCHEDULE_SEARCH_H
#define NAUTILUS_SCHEDULE_SEARCH_H

#include "nautilus/Machine/Machine.h"
#include "nautilus/Schedule/Primitives.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::nautilus::schedule {

struct SearchOptions {
  /// States kept after each statement.
  unsigned beam = 32;
  /// Complete schedules for which sizes are chosen, those with the best lower bounds first.
  unsigned mostRanked = 16;
  /// Sizes of knobs that are settled.
  llvm::StringMap<int64_t> pinned;
};

/// A complete schedule with what it is ranked by.
struct Seed {
  State state;
  /// From the start of the search to `state`, in order.
  SmallVector<Primitive> steps;
  /// Estimated microseconds; those of the rule's own sizes if `fits` is false.
  double cost = 0;
  /// Some sizes of tiles fit on the machine.
  bool fits = true;
};

/// What the search tells about itself while it runs.
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
std::vector<Seed> searchSchedules(const State &start, const ::nautilus::machine::Machine &machine,
                                  const SearchOptions &options = {}, SearchTrace *trace = nullptr);

} // namespace mlir::nautilus::schedule

#endif

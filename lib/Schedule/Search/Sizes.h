// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From structures to complete schedules: what is left open is filled in by the plain schedule and
// the sizes of tiles are chosen by the cost model.

#ifndef NAUTILUS_LIB_SCHEDULE_SEARCH_SIZES_H
#define NAUTILUS_LIB_SCHEDULE_SEARCH_SIZES_H

#include "Moves.h"

namespace mlir::nautilus::schedule {

/// Seeds of `candidates`, best first. Those whose lower bound is above the time of another one keep
/// the rule's sizes and aren't among the seeds.
std::vector<Seed> chooseSizes(const State &start, std::vector<Candidate> candidates,
                              const ::nautilus::machine::Machine &machine,
                              const SearchOptions &options, SearchTrace *trace);

} // namespace mlir::nautilus::schedule

#endif

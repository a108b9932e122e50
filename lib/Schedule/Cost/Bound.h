// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time that no choice of tile sizes, warps and stages can go below.

#ifndef NAUTILUS_LIB_SCHEDULE_COST_BOUND_H
#define NAUTILUS_LIB_SCHEDULE_COST_BOUND_H

#include "Evaluate.h"

namespace mlir::nautilus::schedule {

/// Of one kernel, in microseconds.
double getLowerBound(const Profile &profile, const KernelProfile &kernel,
                     const ::nautilus::machine::Machine &machine);

} // namespace mlir::nautilus::schedule

#endif

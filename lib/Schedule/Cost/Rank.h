// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices of one kernel, fastest first.

#ifndef NAUTILUS_LIB_SCHEDULE_COST_RANK_H
#define NAUTILUS_LIB_SCHEDULE_COST_RANK_H

#include "Evaluate.h"

namespace mlir::nautilus::schedule {

struct Choice {
  SmallVector<std::pair<std::string, int64_t>> sizes;
  LaunchShape launch;
  double microseconds = 0;
};

/// Warps and stages that are tried.
SmallVector<LaunchShape> getLaunchShapes(const KernelProfile &kernel,
                                         const ::nautilus::machine::Machine &machine);

/// The best `limit` legal choices; `tiles` holds the sizes that are not open.
SmallVector<Choice> rankKernel(const Profile &profile, const KernelProfile &kernel,
                               const ::nautilus::machine::Machine &machine,
                               SmallVector<int64_t> tiles, unsigned limit);

} // namespace mlir::nautilus::schedule

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices of one kernel, fastest first.

#ifndef NAUTILUS_LIB_SCHEDULE_COST_RANK_H
#define NAUTILUS_LIB_SCHEDULE_COST_RANK_H

#include "Evaluate.h"

namespace mlir::nautilus::schedule {

struct Choice {
  SmallVector<std::pair<std::string, int64_t>> sizes;
  LaunchOptions launch;
  double microseconds = 0;
};

/// Launch options that are tried; what `given` sets is kept.
SmallVector<LaunchOptions> getLaunches(const KernelProfile &kernel, LaunchOptions given);

/// The best `limit` legal choices; `tiles` holds the sizes that are not open.
SmallVector<Choice> rankKernel(const Profile &profile, const KernelProfile &kernel,
                               const ::nautilus::machine::Machine &machine,
                               SmallVector<int64_t> tiles, LaunchOptions given, unsigned limit);

} // namespace mlir::nautilus::schedule

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primitive configure: options of a launch. They choose how blocks run, never what is computed,
// so ranges are all there is to check; what the target can do with them is for the conversion to
// nautilus_matile to say.

#include "Edits.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

static constexpr int64_t kMaxCount = mlir::nautilus::scalar::LaunchAttr::kMaxCount;

Proposal mlir::nautilus::schedule::propose(const State &state, const Configure &step) {
  std::optional<unsigned> stmt = state.findStatement(step.statement);
  if (!stmt)
    return Reason(ReasonCode::UnknownStatement, {step.statement});
  auto outside = [](int64_t count) { return count < 0 || count > kMaxCount; };
  auto refuse = [](StringRef what, int64_t count) {
    return Reason(ReasonCode::BadLaunchOption,
                  {what, std::to_string(kMaxCount), std::to_string(count)});
  };
  if (outside(step.options.warps))
    return refuse("warps", step.options.warps);
  if (outside(step.options.stages))
    return refuse("stages", step.options.stages);
  State next = state;
  for (unsigned other : state.getStatementsBelow(state.roots[state.getRoot(*stmt)]))
    next.launches.erase(other);
  next.launches[*stmt] = step.options;
  return next;
}

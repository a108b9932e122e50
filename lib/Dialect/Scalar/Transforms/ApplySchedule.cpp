// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math form and schedule script in, loop form out. Reads the kernel's block graph, lets the script
// work on it, completes it, and has it written back.

#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"
#include "nautilus/Dialect/Scalar/Transforms/Passes.h"
#include "nautilus/Schedule/DefaultSchedule.h"
#include "nautilus/Schedule/Materialize.h"
#include "nautilus/Schedule/ReadState.h"

namespace mlir::nautilus::scalar {
#define GEN_PASS_DEF_SCALARAPPLYSCHEDULEPASS
#include "nautilus/Dialect/Scalar/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::scalar

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::scalar;

namespace {
class ScalarApplySchedule : public scalar::impl::ScalarApplySchedulePassBase<ScalarApplySchedule> {
public:
  using Base::Base;

private:
  void runOnOperation() override;
  LogicalResult applySchedule(KernelOp kernel);
};
} // namespace

LogicalResult ScalarApplySchedule::applySchedule(KernelOp kernel) {
  FailureOr<schedule::State> state = schedule::readState(kernel);
  if (failed(state))
    return failure();
  if (transform::NamedSequenceOp script = findSchedule(kernel)) {
    state = runSchedule(kernel, script, std::move(*state));
    if (failed(state))
      return failure();
    script.erase();
  }
  SmallVector<schedule::Primitive> rest = schedule::completeSchedule(*state);
  numCompletedSteps += rest.size();
  if (failed(schedule::materialize(schedule::applyAll(std::move(*state), rest), kernel)))
    return failure();
  numGrids += llvm::range_size(kernel.getBody().getOps<GridOp>());
  return success();
}

void ScalarApplySchedule::runOnOperation() {
  for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>()))
    if (kernel.getBody().getOps<GridOp>().empty() && failed(applySchedule(kernel)))
      return signalPassFailure();
  if (getOperation().getOps<transform::NamedSequenceOp>().empty())
    getOperation()->removeAttr(transform::TransformDialect::kWithNamedSequenceAttrName);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math form in, math form with a schedule script out. The simplest of the choosing passes.

#include "nautilus/Schedule/DefaultSchedule.h"
#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"
#include "nautilus/Dialect/Scalar/Transforms/Passes.h"
#include "nautilus/Schedule/ReadState.h"

namespace mlir::nautilus::scalar {
#define GEN_PASS_DEF_SCALARDEFAULTSCHEDULEPASS
#include "nautilus/Dialect/Scalar/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::scalar

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::scalar;

namespace {
class ScalarDefaultSchedule
    : public scalar::impl::ScalarDefaultSchedulePassBase<ScalarDefaultSchedule> {
  void runOnOperation() override {
    for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
      if (!kernel.getBody().getOps<GridOp>().empty() || findSchedule(kernel))
        continue;
      FailureOr<schedule::State> state = schedule::readState(kernel);
      if (failed(state))
        return signalPassFailure();
      writeSchedule(kernel, schedule::completeSchedule(*state));
      ++numKernels;
    }
  }
};
} // namespace

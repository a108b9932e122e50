// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math form and schedule script in, loop form out. Reads the kernel's block graph, lets the script
// work on it, completes it, and has it written back.

#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"
#include "nautilus/Dialect/Scalar/Transforms/Passes.h"
#include "nautilus/Schedule/DefaultSchedule.h"
#include "nautilus/Schedule/Materialize.h"
#include "nautilus/Schedule/ReadState.h"

#include "mlir/Parser/Parser.h"

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
  LogicalResult importSchedules();
  LogicalResult applySchedule(KernelOp kernel);
};
} // namespace

/// Moves the scripts of the file named by the option into the module, in place of its own.
LogicalResult ScalarApplySchedule::importSchedules() {
  if (schedule.empty())
    return success();
  OwningOpRef<ModuleOp> file = parseSourceFile<ModuleOp>(schedule, &getContext());
  if (!file)
    return getOperation().emitError("can't read schedule file '") << schedule << "'";
  for (auto script : llvm::to_vector(file->getOps<transform::NamedSequenceOp>())) {
    if (Operation *own = SymbolTable::lookupSymbolIn(getOperation(), script.getSymNameAttr()))
      own->erase();
    script->remove();
    getOperation().push_back(script);
  }
  getOperation()->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                          UnitAttr::get(&getContext()));
  return success();
}

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
  if (failed(importSchedules()))
    return signalPassFailure();
  for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>()))
    if (kernel.getBody().getOps<GridOp>().empty() && failed(applySchedule(kernel)))
      return signalPassFailure();
  if (getOperation().getOps<transform::NamedSequenceOp>().empty())
    getOperation()->removeAttr(transform::TransformDialect::kWithNamedSequenceAttrName);
}

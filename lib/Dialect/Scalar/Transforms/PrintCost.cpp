// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the cost model's terms for each kernel of a module.

#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"
#include "nautilus/Dialect/Scalar/Transforms/Passes.h"
#include "nautilus/Schedule/Cost.h"
#include "nautilus/Schedule/ReadState.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

namespace mlir::nautilus::scalar {
#define GEN_PASS_DEF_SCALARPRINTCOSTPASS
#include "nautilus/Dialect/Scalar/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::scalar

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::scalar;

namespace {
class ScalarPrintCost : public scalar::impl::ScalarPrintCostPassBase<ScalarPrintCost> {
public:
  using Base::Base;

private:
  void runOnOperation() override;
  FailureOr<schedule::State> getState(KernelOp kernel, ModuleOp scripts);
  LogicalResult setExtents(schedule::State &state);
  void printRanking(const schedule::State &state, const ::nautilus::machine::Machine &machine);
};
} // namespace

FailureOr<schedule::State> ScalarPrintCost::getState(KernelOp kernel, ModuleOp scripts) {
  FailureOr<schedule::State> state = schedule::readState(kernel);
  transform::NamedSequenceOp script = findSchedule(kernel);
  if (scripts)
    script =
        scripts.lookupSymbol<transform::NamedSequenceOp>((kernel.getSymName() + "_schedule").str());
  if (failed(state) || !script)
    return state;
  return runSchedule(kernel, script, std::move(*state));
}

LogicalResult ScalarPrintCost::setExtents(schedule::State &state) {
  for (StringRef entry : extents) {
    auto [dim, text] = entry.split('=');
    int64_t extent;
    if (text.getAsInteger(10, extent) || extent < 0)
      return getOperation().emitError("expected extents of the form M=4096, got '") << entry << "'";
    for (schedule::Axis &axis : state.axes)
      if (axis.dim == dim && ShapedType::isDynamic(axis.extent))
        axis.hint = extent;
  }
  return success();
}

/// Gives loops over more than one point knobs in place of their sizes.
static void openSizes(schedule::State &state) {
  for (auto [i, loop] : llvm::enumerate(state.loops)) {
    SmallVector<unsigned> below =
        state.getStatementsBelow({schedule::Node::Kind::Loop, unsigned(i)});
    if (below.empty() || loop.tile.value == 1)
      continue;
    const schedule::Statement &first = state.statements[below.front()];
    for (const auto &local : first.axes)
      if (local.axis == loop.axis)
        loop.tile = {0, first.name + "." + local.name};
  }
}

void ScalarPrintCost::printRanking(const schedule::State &state,
                                   const ::nautilus::machine::Machine &machine) {
  schedule::State open = state;
  openSizes(open);
  schedule::RankingOptions options;
  options.limit = rank;
  schedule::CostModel model(open, machine);
  llvm::outs() << llvm::format("lower bound %.2f us\n", model.lowerBound());
  for (const schedule::Parameters &choice : model.rank(options)) {
    llvm::outs() << llvm::format("%10.2f us ", choice.microseconds);
    for (const auto &[knob, size] : choice.sizes)
      llvm::outs() << " " << knob << "=" << size;
    for (const schedule::LaunchOptions &launch : choice.launches) {
      llvm::outs() << " (warps " << launch.warps << ", stages " << launch.stages;
      if (launch.persistent)
        llvm::outs() << ", persistent";
      if (launch.order != GridOrder::Natural)
        llvm::outs() << ", order " << stringifyGridOrder(launch.order);
      llvm::outs() << ")";
    }
    llvm::outs() << "\n";
  }
}

void ScalarPrintCost::runOnOperation() {
  const auto *machine = ::nautilus::machine::lookup(arch);
  if (!machine) {
    getOperation().emitError("expected an architecture of ")
        << ::nautilus::machine::listNames() << ", got '" << arch << "'";
    return signalPassFailure();
  }
  OwningOpRef<ModuleOp> scripts;
  if (!scheduleFile.empty() &&
      !(scripts = parseSourceFile<ModuleOp>(scheduleFile, &getContext()))) {
    getOperation().emitError("can't read schedule file '") << scheduleFile << "'";
    return signalPassFailure();
  }
  for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
    FailureOr<schedule::State> state = getState(kernel, scripts ? *scripts : ModuleOp());
    if (failed(state) || failed(setExtents(*state)))
      return signalPassFailure();
    ++numKernels;
    llvm::outs() << "@" << kernel.getSymName() << "\n";
    schedule::print(llvm::outs(), schedule::estimateCost(*state, *machine));
    if (rank)
      printRanking(*state, *machine);
  }
  markAllAnalysesPreserved();
}

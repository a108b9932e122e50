// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math form in, math form with the script of the best schedule found out. Chooses only; the search
// itself is in nautilus/Schedule/Search.h.

#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h"
#include "nautilus/Dialect/Scalar/Transforms/Passes.h"
#include "nautilus/Schedule/ReadState.h"
#include "nautilus/Schedule/Search.h"

#include "mlir/IR/Remarks.h"

namespace mlir::nautilus::scalar {
#define GEN_PASS_DEF_SCALARAUTOSCHEDULEPASS
#include "nautilus/Dialect/Scalar/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::scalar

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::scalar;

namespace {
class ScalarAutoSchedule : public scalar::impl::ScalarAutoSchedulePassBase<ScalarAutoSchedule> {
public:
  using Base::Base;

private:
  void runOnOperation() override;
};
} // namespace

static std::string describe(const schedule::State &start, ArrayRef<schedule::Seed> seeds) {
  size_t launches = seeds.front().state.roots.size();
  return ("chose " + Twine(launches) + (launches == 1 ? " launch" : " launches") + " for " +
          Twine(start.getOrder().size()) + " statements, out of " + Twine(seeds.size()) +
          (seeds.size() == 1 ? " schedule" : " schedules"))
      .str();
}

void ScalarAutoSchedule::runOnOperation() {
  const ::nautilus::machine::Machine *machine = ::nautilus::machine::lookup(arch);
  if (!machine) {
    getOperation().emitError("expected an architecture of ")
        << ::nautilus::machine::listNames() << ", got '" << arch << "'";
    return signalPassFailure();
  }
  for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
    if (!kernel.getBody().getOps<GridOp>().empty() || findSchedule(kernel))
      continue;
    FailureOr<schedule::State> state = schedule::readState(kernel);
    if (failed(state))
      return signalPassFailure();
    schedule::SearchOptions options = getSearchOptions(kernel);
    options.beam = beam;
    std::vector<schedule::Seed> seeds = schedule::searchSchedules(*state, *machine, options);
    const schedule::Seed &best = seeds.front();
    remark::analysis(kernel.getLoc(), remark::RemarkOpts::name("chosen").category("Schedule"))
        << describe(*state, seeds);
    writeSchedule(kernel, best.steps);
    numSeeds += seeds.size();
    ++numKernels;
  }
}

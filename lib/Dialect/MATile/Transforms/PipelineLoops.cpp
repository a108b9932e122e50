// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries out the plan of pipelined loops with upstream's SCF pipeliner, for any trip count.

#include "PendingGroups.h"
#include "PipelinePlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_PIPELINELOOPSPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

using Schedule = std::vector<std::pair<Operation *, unsigned>>;

/// What the attributes say; empty if some op has none.
static Schedule readPlan(scf::ForOp loop) {
  std::vector<std::tuple<int64_t, Operation *, int64_t>> places;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto stage = op.getAttrOfType<IntegerAttr>(stageAttrName),
         place = op.getAttrOfType<IntegerAttr>(orderAttrName);
    if (!stage || !place)
      return {};
    places.emplace_back(place.getInt(), &op, stage.getInt());
  }
  llvm::sort(places, llvm::less_first());
  Schedule schedule;
  for (auto [place, op, stage] : places)
    schedule.emplace_back(op, stage);
  return schedule;
}

static void dropPlan(Operation *op) {
  op->removeAttr(stageAttrName);
  op->removeAttr(orderAttrName);
}

/// Makes the loop run only when it has an iteration.
static void guard(RewriterBase &b, scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound());
  if (lower && upper && *lower < *upper)
    return;
  b.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                    loop.getUpperBound());
  auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(), any, /*withElseRegion=*/true);
  b.replaceAllUsesWith(loop.getResults(), branch.getResults());
  auto fill = [&](Block *block, ValueRange values) {
    if (block->mightHaveTerminator())
      b.eraseOp(block->getTerminator());
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, values);
  };
  fill(branch.elseBlock(), loop.getInitArgs());
  fill(branch.thenBlock(), loop.getResults());
  loop->moveBefore(branch.thenBlock()->getTerminator());
}

static LogicalResult pipeline(RewriterBase &b, scf::ForOp loop, const Schedule &schedule) {
  guard(b, loop);
  b.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  // The pipeliner would predicate everything outside of the new loop if it did not see enough
  // iterations. The guard takes care of that; meanwhile it is shown constants.
  SmallVector<std::pair<Value, Value>> bounds;
  auto show = [&](OpOperand &bound, int64_t value) {
    Value constant = arith::ConstantIndexOp::create(b, loc, value);
    bounds.emplace_back(constant, bound.get());
    bound.set(constant);
  };
  show(loop.getLowerBoundMutable(), 0);
  show(loop.getUpperBoundMutable(), 1024);
  show(loop.getStepMutable(), 1);
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, Schedule &result) { result = schedule; };
  options.annotateFn = [](Operation *op, scf::PipeliningOption::PipelinerPart, unsigned) {
    dropPlan(op);
  };
  if (failed(scf::pipelineForLoop(b, loop, options)))
    return failure();
  for (auto [shown, real] : bounds)
    b.replaceAllUsesWith(shown, real);
  return success();
}

namespace {
struct PipelineLoops : matile::impl::PipelineLoopsPassBase<PipelineLoops> {
  using PipelineLoopsPassBase::PipelineLoopsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!readPlan(loop).empty())
        loops.push_back(loop);
    });
    IRRewriter b(&getContext());
    for (scf::ForOp loop : loops) {
      Location loc = loop.getLoc();
      if (failed(pipeline(b, loop, readPlan(loop)))) {
        loop.emitError("expected a plan that the loop can be pipelined by");
        return signalPassFailure();
      }
      remark::passed(loc, remark::RemarkOpts::name("Pipeline").category("Pipelining"))
          << "iterations overlap: products run beside the work of the next or last iteration";
      ++numPipelined;
    }
    setPendingGroups(getOperation());
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales by a positive constant move out of masks, maxima and minima, where one multiplication per
// element becomes one per row, or none once an exponential takes the constant. It stands before
// the exponentials' family: the order matters, as that one would hide the constant.

#include "Family.h"
#include "Splat.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Patterns.h"
#include "nautilus/Interfaces/Combiner.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_FACTORSCALESPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

/// True for values that a positive scale does not change: zero and the infinities.
static bool isScaleInvariant(Value tile) {
  std::optional<APFloat> splat = getSplat(tile);
  return splat && (splat->isZero() || splat->isInfinity());
}

static bool isExtreme(ReduceOp op) {
  CombinerKind kind = classifyCombiner(op.getCombiner());
  return op.getInputs().size() == 1 &&
         llvm::is_contained(
             {CombinerKind::Max, CombinerKind::Min, CombinerKind::MaxNum, CombinerKind::MinNum},
             kind) &&
         cast<FloatAttr>(op.getIdentities()[0]).getValue().isInfinity();
}

/// True if a scale of the user's operand costs nothing there or moves on.
static bool absorbsScale(Operation *user) {
  if (auto select = dyn_cast<arith::SelectOp>(user))
    return isScaleInvariant(select.getTrueValue()) || isScaleInvariant(select.getFalseValue());
  if (auto reduce = dyn_cast<ReduceOp>(user))
    return isa<FloatType>(getTileType(reduce.getInputs()[0]).getElementType()) && isExtreme(reduce);
  if (isa<arith::SubFOp, arith::AddFOp>(user))
    return llvm::all_of(user->getUsers(), [](Operation *next) { return isa<math::ExpOp>(next); });
  return isa<math::ExpOp>(user);
}

static bool isAbsorbed(Value tile) { return llvm::all_of(tile.getUsers(), absorbsScale); }

namespace {
struct ScaleOutOfSelect : CountedPattern<arith::SelectOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(getElementTypeOrSelf(op.getType())) || !getTileType(op.getResult()))
      return failure();
    bool keepsTrue = isScaleInvariant(op.getFalseValue());
    if (!keepsTrue && !isScaleInvariant(op.getTrueValue()))
      return failure();
    Value kept = keepsTrue ? op.getTrueValue() : op.getFalseValue();
    std::optional<ScaledTile> scaled = getScaledTile(kept);
    if (!scaled || !isAbsorbed(kept))
      return failure();
    Value on = keepsTrue ? scaled->base : op.getTrueValue();
    Value off = keepsTrue ? op.getFalseValue() : scaled->base;
    Value masked = arith::SelectOp::create(rewriter, op.getLoc(), op.getCondition(), on, off);
    rewriter.replaceOp(op, scaled->apply(rewriter, op.getLoc(), masked));
    return success();
  }
};

struct ScaleOutOfExtreme : CountedPattern<ReduceOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(getTileType(op.getInputs()[0]).getElementType()) || !isExtreme(op))
      return failure();
    std::optional<ScaledTile> scaled = getScaledTile(op.getInputs()[0]);
    if (!scaled || !isAbsorbed(op.getInputs()[0]))
      return failure();
    auto reduce = ReduceOp::create(rewriter, op.getLoc(), op->getResultTypes(),
                                   ValueRange(scaled->base), op.getDim(), op.getIdentities());
    rewriter.inlineRegionBefore(op.getCombiner(), reduce.getCombiner(), reduce.getCombiner().end());
    rewriter.replaceOp(op, scaled->apply(rewriter, op.getLoc(), reduce.getOutputs()[0]));
    return success();
  }
};

struct FactorScales : vrtile::impl::FactorScalesPassBase<FactorScales> {
  void runOnOperation() override {
    unsigned count = 0;
    if (failed(applyFamily(getOperation(), [&](RewritePatternSet &patterns) {
          populateFactorScalesPatterns(patterns, count);
        })))
      return signalPassFailure();
    numRewrites += count;
    getOperation().walk([](ReduceOp op) {
      auto product = op.getInputs()[0].getDefiningOp<arith::MulFOp>();
      if (!product || !isExtreme(op))
        return;
      std::optional<APFloat> factor = getSplat(product.getRhs());
      if (factor && (factor->isNegative() || !factor->isFiniteNonZero()))
        remarkMissed(op.getLoc(), "FactorScale",
                     "the scale stays inside the extreme: expected a positive finite constant");
    });
  }
};
} // namespace

void vrtile::populateFactorScalesPatterns(RewritePatternSet &patterns, unsigned &count) {
  patterns.add<ScaleOutOfSelect, ScaleOutOfExtreme>(patterns.getContext(), count);
}

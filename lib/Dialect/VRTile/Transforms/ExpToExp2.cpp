// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(x) becomes exp2(x * log2(e)), the instruction that GPUs have. The constant goes into what
// computes x: into another constant factor, and into the part that is broadcast, so that exp(s * c
// - m) costs one multiply-add and one exp2 per element.

#include "Family.h"
#include "Splat.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Patterns.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_EXPTOEXP2PASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

static constexpr double log2OfE = 1.4426950408889634;

/// True if `tile * constant` costs no op per element: it changes a constant, or is computed before
/// a broadcast.
static bool absorbsFactor(Value tile) {
  if (getSplat(tile) || tile.getDefiningOp<BroadcastOp>() || tile.getDefiningOp<SplatOp>())
    return true;
  if (auto negation = tile.getDefiningOp<arith::NegFOp>())
    return absorbsFactor(negation.getOperand());
  return getScaledTile(tile).has_value();
}

/// `tile * factor` with as few ops per element as possible.
static Value buildFolded(OpBuilder &b, Location loc, Value tile, const APFloat &factor) {
  if (std::optional<ScaledTile> scaled = getScaledTile(tile)) {
    double own = scaled->factor.convertToDouble();
    return buildScaled(b, loc, scaled->base, multiply(factor, scaled->divides ? 1.0 / own : own));
  }
  if (auto negation = tile.getDefiningOp<arith::NegFOp>())
    return buildFolded(b, loc, negation.getOperand(), -factor);
  Operation *op = tile.getDefiningOp();
  // One side must take the factor for free, else a multiplication after the sum is as cheap.
  if (isa_and_present<arith::SubFOp, arith::AddFOp>(op) && op->hasOneUse() &&
      (absorbsFactor(op->getOperand(0)) || absorbsFactor(op->getOperand(1)))) {
    Value lhs = buildFolded(b, loc, op->getOperand(0), factor);
    Value rhs = buildFolded(b, loc, op->getOperand(1), factor);
    if (isa<arith::SubFOp>(op))
      return arith::SubFOp::create(b, loc, lhs, rhs);
    return arith::AddFOp::create(b, loc, lhs, rhs);
  }
  return buildScaled(b, loc, tile, factor);
}

static bool hasExp2(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

namespace {
struct ExpToExp2Pattern : CountedPattern<math::ExpOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!hasExp2(op.getType()))
      return failure();
    bool losesInfo;
    APFloat factor(log2OfE);
    factor.convert(cast<FloatType>(getElementTypeOrSelf(op.getType())).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
    Value argument = buildFolded(rewriter, op.getLoc(), op.getOperand(), factor);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, argument);
    return success();
  }
};

struct ExpToExp2 : vrtile::impl::ExpToExp2PassBase<ExpToExp2> {
  using ExpToExp2PassBase::ExpToExp2PassBase;
  void runOnOperation() override {
    if (!isFamilyAllowed(getOperation(), "ExpToExp2", NumericClass::Algebraic, numerics,
                         [](Operation *op) { return isa<math::ExpOp>(op); }))
      return;
    unsigned count = 0;
    if (failed(applyFamily(getOperation(), [&](RewritePatternSet &patterns) {
          populateExpToExp2Patterns(patterns, count);
        })))
      return signalPassFailure();
    numRewrites += count;
    getOperation().walk([](math::ExpOp op) {
      remarkMissed(op.getLoc(), "ExpToExp2",
                   "exp stays: expected f32 or f64, the types that have an exp2 instruction");
    });
  }
};
} // namespace

void vrtile::populateExpToExp2Patterns(RewritePatternSet &patterns, unsigned &count) {
  patterns.add<ExpToExp2Pattern>(patterns.getContext(), count);
}

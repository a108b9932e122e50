// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions by a tile that is the same along some dim become one division per row and
// multiplications.

#include "Family.h"
#include "Splat.h"

#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Patterns.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_RECIPROCALPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

static bool isSharedDivisor(Value divisor) {
  // The reciprocal of a number below the normal range may be infinite.
  if (std::optional<APFloat> splat = getSplat(divisor))
    return splat->isNormal();
  return divisor.getDefiningOp<BroadcastOp>() || divisor.getDefiningOp<SplatOp>();
}

/// 1 / tile before broadcasts.
static Value buildReciprocal(OpBuilder &b, Location loc, Value tile) {
  if (std::optional<APFloat> splat = getSplat(tile)) {
    APFloat one(splat->getSemantics(), 1);
    one.divide(*splat, APFloat::rmNearestTiesToEven);
    return buildSplat(b, loc, tile.getType(), one);
  }
  if (auto broadcast = tile.getDefiningOp<BroadcastOp>())
    return BroadcastOp::create(b, loc, tile.getType(),
                               buildReciprocal(b, loc, broadcast.getSource()), broadcast.getDims());
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return SplatOp::create(b, loc, tile.getType(), buildReciprocal(b, loc, splat.getValue()));
  auto element = cast<FloatType>(getElementTypeOrSelf(tile.getType()));
  Value one = buildSplat(b, loc, tile.getType(), APFloat(element.getFloatSemantics(), 1));
  return arith::DivFOp::create(b, loc, one, tile);
}

namespace {
struct DivideOncePerRow : CountedPattern<arith::DivFOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!getTileType(op.getResult()) || !isSharedDivisor(op.getRhs()) || getSplat(op.getLhs()))
      return failure();
    Value reciprocal = buildReciprocal(rewriter, op.getLoc(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), reciprocal);
    return success();
  }
};

struct Reciprocal : vrtile::impl::ReciprocalPassBase<Reciprocal> {
  using ReciprocalPassBase::ReciprocalPassBase;
  void runOnOperation() override {
    auto isCandidate = [](Operation *op) {
      auto quotient = dyn_cast<arith::DivFOp>(op);
      return quotient && getTileType(quotient.getResult()) && isSharedDivisor(quotient.getRhs());
    };
    if (!isFamilyAllowed(getOperation(), "Reciprocal", NumericClass::Algebraic, numerics,
                         isCandidate))
      return;
    unsigned count = 0;
    if (failed(applyFamily(getOperation(), [&](RewritePatternSet &patterns) {
          populateReciprocalPatterns(patterns, count);
        })))
      return signalPassFailure();
    numRewrites += count;
  }
};
} // namespace

void vrtile::populateReciprocalPatterns(RewritePatternSet &patterns, unsigned &count) {
  patterns.add<DivideOncePerRow>(patterns.getContext(), count);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product that only a sum reads becomes one fused multiply-add. Nothing below contracts by
// itself, since a fused operation rounds once where two round twice. Last of the families.

#include "Family.h"
#include "Splat.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Dialect/VRTile/Transforms/Patterns.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_FORMFMAPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

static arith::MulFOp getLoneProduct(Value tile) {
  auto product = tile.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() && getTileType(tile) ? product : arith::MulFOp();
}

static void replaceWithFMA(Operation *op, PatternRewriter &rewriter, Value a, Value b, Value c) {
  if (getSplat(a))
    std::swap(a, b);
  rewriter.replaceOpWithNewOp<math::FmaOp>(op, a, b, c);
}

namespace {
struct FuseAdd : CountedPattern<arith::AddFOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    Value other = op.getRhs();
    arith::MulFOp product = getLoneProduct(op.getLhs());
    if (!product) {
      product = getLoneProduct(op.getRhs());
      other = op.getLhs();
    }
    if (!product)
      return failure();
    replaceWithFMA(op, rewriter, product.getLhs(), product.getRhs(), other);
    return success();
  }
};

struct FuseSub : CountedPattern<arith::SubFOp> {
  using CountedPattern::CountedPattern;
  LogicalResult rewrite(arith::SubFOp op, PatternRewriter &rewriter) const override {
    if (arith::MulFOp product = getLoneProduct(op.getLhs())) {
      Value negated = buildNegated(rewriter, op.getLoc(), op.getRhs());
      replaceWithFMA(op, rewriter, product.getLhs(), product.getRhs(), negated);
      return success();
    }
    arith::MulFOp product = getLoneProduct(op.getRhs());
    if (!product)
      return failure();
    bool first = getSplat(product.getLhs()) || product.getLhs().getDefiningOp<BroadcastOp>();
    Value negated =
        buildNegated(rewriter, op.getLoc(), first ? product.getLhs() : product.getRhs());
    replaceWithFMA(op, rewriter, first ? product.getRhs() : product.getLhs(), negated, op.getLhs());
    return success();
  }
};

struct FormFMA : vrtile::impl::FormFMAPassBase<FormFMA> {
  using FormFMAPassBase::FormFMAPassBase;
  void runOnOperation() override {
    auto isCandidate = [](Operation *op) {
      return isa<arith::AddFOp, arith::SubFOp>(op) &&
             llvm::any_of(op->getOperands(), [](Value v) { return bool(getLoneProduct(v)); });
    };
    if (!isFamilyAllowed(getOperation(), "FormFMA", NumericClass::Algebraic, numerics, isCandidate))
      return;
    unsigned count = 0;
    if (failed(applyFamily(getOperation(), [&](RewritePatternSet &patterns) {
          populateFormFMAPatterns(patterns, count);
        })))
      return signalPassFailure();
    numRewrites += count;
  }
};
} // namespace

void vrtile::populateFormFMAPatterns(RewritePatternSet &patterns, unsigned &count) {
  patterns.add<FuseAdd, FuseSub>(patterns.getContext(), count);
}

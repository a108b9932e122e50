// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algebraic rewrites on tiles. Stands after the conversion from loop form, whose statements say
// what the formulas say, and before layouts are chosen. (Paper, VR-tile rewriting: exp to exp2,
// scale folding, reciprocals.)

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"
#include "nautilus/Interfaces/Combiner.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_REWRITEALGEBRAPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;

/// The value of a splat constant, if `tile` is one.
static std::optional<APFloat> getSplat(Value tile) {
  DenseElementsAttr dense;
  if (matchPattern(tile, m_Constant(&dense)) && dense.isSplat() &&
      isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>();
  return std::nullopt;
}

static Value makeSplat(OpBuilder &b, Location loc, Type type, double value) {
  auto tile = cast<RankedTensorType>(type);
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(tile, b.getFloatAttr(tile.getElementType(), value)));
}

static bool isF32Tile(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getElementType().isF32();
}

/// `tile * factor`, with the factor folded into a constant product or moved below a broadcast.
static Value scale(OpBuilder &b, Location loc, Value tile, double factor) {
  if (std::optional<APFloat> splat = getSplat(tile))
    return makeSplat(b, loc, tile.getType(), splat->convertToDouble() * factor);
  if (auto product = tile.getDefiningOp<arith::MulFOp>())
    for (unsigned i : {0, 1})
      if (std::optional<APFloat> splat = getSplat(product->getOperand(i)))
        return scale(b, loc, product->getOperand(1 - i), splat->convertToDouble() * factor);
  if (auto broadcast = tile.getDefiningOp<vrtile::BroadcastOp>())
    return vrtile::BroadcastOp::create(
        b, loc, tile.getType(), scale(b, loc, broadcast.getSource(), factor), broadcast.getDims());
  return arith::MulFOp::create(b, loc, tile, makeSplat(b, loc, tile.getType(), factor));
}

namespace {
//===-- Division --------------------------------------------------------------===//

struct DivideByConstant : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &b) const override {
    std::optional<APFloat> divisor = isF32Tile(op.getType()) ? getSplat(op.getRhs()) : std::nullopt;
    if (!divisor || divisor->isZero() || !divisor->isFinite() ||
        !std::isfinite(1 / divisor->convertToFloat()))
      return failure();
    b.replaceOpWithNewOp<arith::MulFOp>(
        op, op.getLhs(), makeSplat(b, op.getLoc(), op.getType(), 1 / divisor->convertToDouble()));
    return success();
  }
};

/// One reciprocal per row in place of a division per element.
struct DivideByRow : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &b) const override {
    auto divisor = op.getRhs().getDefiningOp<vrtile::BroadcastOp>();
    if (!divisor || !isF32Tile(op.getType()))
      return failure();
    Value one = makeSplat(b, op.getLoc(), divisor.getSource().getType(), 1);
    Value reciprocal = arith::DivFOp::create(b, op.getLoc(), one, divisor.getSource());
    Value spread =
        vrtile::BroadcastOp::create(b, op.getLoc(), op.getType(), reciprocal, divisor.getDims());
    b.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), spread);
    return success();
  }
};

//===-- Exponentials -------------------------------------------------------------===//

struct ExpToExp2 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &b) const override {
    if (!isF32Tile(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Value argument = op.getOperand();
    if (auto difference = argument.getDefiningOp<arith::SubFOp>())
      argument =
          arith::SubFOp::create(b, loc, scale(b, loc, difference.getLhs(), llvm::numbers::log2e),
                                scale(b, loc, difference.getRhs(), llvm::numbers::log2e));
    else
      argument = scale(b, loc, argument, llvm::numbers::log2e);
    b.replaceOpWithNewOp<math::Exp2Op>(op, argument);
    return success();
  }
};

//===-- Masks --------------------------------------------------------------------===//

/// True if no element of the tile can be -inf: it is `select(x == -inf, finite, x)`, scaled by a
/// positive constant or repeated.
static bool isNeverNegInf(Value tile) {
  if (auto broadcast = tile.getDefiningOp<vrtile::BroadcastOp>())
    return isNeverNegInf(broadcast.getSource());
  if (auto product = tile.getDefiningOp<arith::MulFOp>()) {
    std::optional<APFloat> factor = getSplat(product.getRhs());
    return factor && factor->isFinite() && isNeverNegInf(product.getLhs());
  }
  auto guard = tile.getDefiningOp<arith::SelectOp>();
  auto compare = guard ? guard.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ)
    return false;
  auto isNegInf = [](Value value) {
    std::optional<APFloat> splat = getSplat(value);
    return splat && splat->isInfinity() && splat->isNegative();
  };
  std::optional<APFloat> otherwise = getSplat(guard.getTrueValue());
  bool sameValue = (compare.getLhs() == guard.getFalseValue() && isNegInf(compare.getRhs())) ||
                   (compare.getRhs() == guard.getFalseValue() && isNegInf(compare.getLhs()));
  return sameValue && otherwise && otherwise->isFinite();
}

/// select(c, exp(x - y), 0) is exp(select(c, x, -inf) - y) where y is not -inf; a cast in between
/// does not matter.
struct MaskInsideExp : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &b) const override {
    if (!isa<RankedTensorType>(op.getType()) ||
        !isa<RankedTensorType>(op.getCondition().getType()) ||
        !matchPattern(op.getFalseValue(), m_PosZeroFloat()))
      return failure();
    Value inner = op.getTrueValue();
    auto cast = inner.getDefiningOp<arith::TruncFOp>();
    if (cast)
      inner = cast.getIn();
    auto exponential = inner.getDefiningOp<math::ExpOp>();
    auto difference =
        exponential ? exponential.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
    if (!difference || !isNeverNegInf(difference.getRhs()))
      return failure();
    Location loc = op.getLoc();
    Value negInf =
        makeSplat(b, loc, difference.getType(), -std::numeric_limits<double>::infinity());
    Value masked = arith::SelectOp::create(b, loc, op.getCondition(), difference.getLhs(), negInf);
    Value result =
        math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, masked, difference.getRhs()));
    if (cast)
      result = arith::TruncFOp::create(b, loc, op.getType(), result);
    b.replaceOp(op, result);
    return success();
  }
};

/// A positive constant factor passes through a mask of -inf, towards the exponential that folds it.
struct ScaleOutOfMask : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &b) const override {
    auto product = op.getTrueValue().getDefiningOp<arith::MulFOp>();
    std::optional<APFloat> factor = product ? getSplat(product.getRhs()) : std::nullopt,
                           masked = getSplat(op.getFalseValue());
    if (!factor || !factor->isFinite() || factor->isNegative() || factor->isZero() || !masked ||
        !masked->isInfinity())
      return failure();
    Value select = arith::SelectOp::create(b, op.getLoc(), op.getCondition(), product.getLhs(),
                                           op.getFalseValue());
    b.replaceOpWithNewOp<arith::MulFOp>(op, select, product.getRhs());
    return success();
  }
};

/// max(c * x) is c * max(x) for a positive constant: one product per row.
struct ScaleOutOfMax : OpRewritePattern<vrtile::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vrtile::ReduceOp op, PatternRewriter &b) const override {
    if (op.getInputs().size() != 1 || classifyCombiner(op.getCombiner()) != CombinerKind::Max)
      return failure();
    auto product = op.getInputs()[0].getDefiningOp<arith::MulFOp>();
    std::optional<APFloat> factor = product ? getSplat(product.getRhs()) : std::nullopt;
    if (!factor || !factor->isFinite() || factor->isNegative() || factor->isZero())
      return failure();
    b.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(product.getLhs()); });
    b.setInsertionPointAfter(op);
    Value result = op.getOutputs()[0];
    auto scaled = arith::MulFOp::create(
        b, op.getLoc(), result,
        makeSplat(b, op.getLoc(), result.getType(), factor->convertToDouble()));
    b.replaceAllUsesExcept(result, scaled, scaled);
    return success();
  }
};

struct RewriteAlgebra : vrtile::impl::RewriteAlgebraPassBase<RewriteAlgebra> {
  using RewriteAlgebraPassBase::RewriteAlgebraPassBase;

  void runOnOperation() override {
    if (numerics == "strict")
      return;
    // Masks first: they look for exp as the formulas have it. Then scales out of masks, so that
    // exponentials find them.
    if (failed(apply<MaskInsideExp, DivideByConstant, DivideByRow>()) ||
        failed(apply<ScaleOutOfMask, ScaleOutOfMax>()) || failed(apply<ExpToExp2>()))
      signalPassFailure();
  }

private:
  template <typename... Patterns> LogicalResult apply() {
    RewritePatternSet patterns(&getContext());
    patterns.add<Patterns...>(&getContext());
    Counter counter(numRewritten);
    GreedyRewriteConfig config;
    config.setListener(&counter);
    return applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
  struct Counter : RewriterBase::Listener {
    explicit Counter(llvm::Statistic &count) : count(count) {}
    void notifyOperationReplaced(Operation *, ValueRange) override { ++count; }
    llvm::Statistic &count;
  };
};
} // namespace

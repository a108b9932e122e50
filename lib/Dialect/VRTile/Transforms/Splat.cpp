// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant and scaled tiles; see the header.

#include "Splat.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

std::optional<APFloat> vrtile::getSplat(Value tile) {
  APFloat value(0.0);
  if (matchPattern(tile, m_ConstantFloat(&value)))
    return value;
  return std::nullopt;
}

static APFloat roundTo(APFloat value, Type element) {
  bool losesInfo;
  value.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

Value vrtile::buildSplat(OpBuilder &b, Location loc, Type type, APFloat value) {
  auto attr =
      FloatAttr::get(getElementTypeOrSelf(type), roundTo(value, getElementTypeOrSelf(type)));
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(tile, attr));
  return arith::ConstantOp::create(b, loc, attr);
}

APFloat vrtile::multiply(const APFloat &x, double y) {
  APFloat value = x;
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  value.multiply(APFloat(y), APFloat::rmNearestTiesToEven);
  value.convert(x.getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

Value vrtile::buildScaled(OpBuilder &b, Location loc, Value tile, const APFloat &factor) {
  if (std::optional<APFloat> splat = getSplat(tile))
    return buildSplat(b, loc, tile.getType(), multiply(*splat, factor.convertToDouble()));
  if (auto broadcast = tile.getDefiningOp<BroadcastOp>())
    return BroadcastOp::create(b, loc, tile.getType(),
                               buildScaled(b, loc, broadcast.getSource(), factor),
                               broadcast.getDims());
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return SplatOp::create(b, loc, tile.getType(), buildScaled(b, loc, splat.getValue(), factor));
  Value constant = buildSplat(b, loc, tile.getType(), factor);
  return arith::MulFOp::create(b, loc, tile, constant);
}

Value vrtile::buildNegated(OpBuilder &b, Location loc, Value tile) {
  if (std::optional<APFloat> splat = getSplat(tile))
    return buildSplat(b, loc, tile.getType(), -*splat);
  if (auto broadcast = tile.getDefiningOp<BroadcastOp>())
    return BroadcastOp::create(b, loc, tile.getType(), buildNegated(b, loc, broadcast.getSource()),
                               broadcast.getDims());
  if (auto negation = tile.getDefiningOp<arith::NegFOp>())
    return negation.getOperand();
  if (auto product = tile.getDefiningOp<arith::MulFOp>(); product && product->hasOneUse())
    if (std::optional<APFloat> factor = getSplat(product.getRhs()))
      return arith::MulFOp::create(b, loc, product.getLhs(),
                                   buildSplat(b, loc, tile.getType(), -*factor));
  return arith::NegFOp::create(b, loc, tile);
}

Value ScaledTile::apply(OpBuilder &b, Location loc, Value tile) const {
  Value constant = buildSplat(b, loc, tile.getType(), factor);
  if (divides)
    return arith::DivFOp::create(b, loc, tile, constant);
  return arith::MulFOp::create(b, loc, tile, constant);
}

std::optional<ScaledTile> vrtile::getScaledTile(Value tile) {
  auto scaled = [](Value base, Value by, bool divides) -> std::optional<ScaledTile> {
    std::optional<APFloat> factor = getSplat(by);
    if (!factor || !factor->isFiniteNonZero() || factor->isNegative())
      return std::nullopt;
    return ScaledTile{base, *factor, divides};
  };
  if (auto product = tile.getDefiningOp<arith::MulFOp>()) {
    if (auto result = scaled(product.getLhs(), product.getRhs(), false))
      return result;
    return scaled(product.getRhs(), product.getLhs(), false);
  }
  if (auto quotient = tile.getDefiningOp<arith::DivFOp>())
    return scaled(quotient.getLhs(), quotient.getRhs(), true);
  return std::nullopt;
}

Value vrtile::buildIfLoopRan(OpBuilder &b, scf::ForOp loop, Value ran, Value otherwise) {
  Location loc = loop.getLoc();
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  if (lower && upper)
    return *lower < *upper ? ran : otherwise;
  Value hasRun = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                       loop.getUpperBound());
  Value mask = SplatOp::create(b, loc, getTileType(ran).clone(b.getI1Type()), hasRun);
  return arith::SelectOp::create(b, loc, mask, ran, otherwise);
}

bool vrtile::isInfinity(Value tile, bool negative) {
  std::optional<APFloat> splat = getSplat(tile);
  return splat && splat->isInfinity() && splat->isNegative() == negative;
}

/// select(m == infinity, finite, m) in any spelling.
static bool isGuarded(arith::SelectOp select, bool negative) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return false;
  Value compared;
  if (isInfinity(compare.getRhs(), negative))
    compared = compare.getLhs();
  else if (isInfinity(compare.getLhs(), negative))
    compared = compare.getRhs();
  using P = arith::CmpFPredicate;
  bool onEqual = llvm::is_contained({P::OEQ, P::UEQ}, compare.getPredicate());
  bool onOther = llvm::is_contained({P::ONE, P::UNE}, compare.getPredicate());
  Value guarded = onEqual ? select.getFalseValue() : select.getTrueValue();
  std::optional<APFloat> instead =
      getSplat(onEqual ? select.getTrueValue() : select.getFalseValue());
  return (onEqual || onOther) && guarded == compared && instead && instead->isFinite();
}

bool vrtile::excludesInfinity(Value tile, bool negative) {
  if (std::optional<APFloat> splat = getSplat(tile))
    return !(splat->isInfinity() && splat->isNegative() == negative) && !splat->isNaN();
  if (auto broadcast = tile.getDefiningOp<BroadcastOp>())
    return excludesInfinity(broadcast.getSource(), negative);
  if (auto negation = tile.getDefiningOp<arith::NegFOp>())
    return excludesInfinity(negation.getOperand(), !negative);
  if (auto product = tile.getDefiningOp<arith::MulFOp>()) {
    std::optional<APFloat> factor = getSplat(product.getRhs());
    return factor && factor->isFiniteNonZero() &&
           excludesInfinity(product.getLhs(), negative != factor->isNegative());
  }
  auto select = tile.getDefiningOp<arith::SelectOp>();
  return select && isGuarded(select, negative);
}

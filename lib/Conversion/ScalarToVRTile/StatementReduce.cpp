// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: which are products, what fills the points outside the domain, and the plain way.

#include "StatementConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "nautilus/Interfaces/Combiner.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;

LogicalResult StatementConverter::convertReduce(scalar::ReduceOp reduce) {
  FailureOr<bool> isDot = convertDot(reduce);
  if (failed(isDot) || *isDot)
    return isDot;
  choosePadding(reduce);
  FailureOr<SmallVector<TileValue>> results = combineElements(reduce);
  if (succeeded(results) && !reduce.getInits().empty())
    results = combineInits(reduce, *results);
  if (failed(results))
    return failure();
  for (auto [result, tile] : llvm::zip(reduce.getOutputs(), *results))
    setResult(result, tile);
  return success();
}

//===-- Points outside the domain --------------------------------------------===//

/// select(coordinate inside the dim, tile, outside).
TileValue StatementConverter::mask(const TileValue &tile, unsigned axis, TypedAttr outside) {
  OpBuilder &b = grid.b;
  ++grid.counts.masks;
  Value origin = getOrigin(axis), extent = grid.getExtent(axes[axis].getDim());
  TileValue coordinate = TileValue::ofScalar(origin);
  if (sizes[axis] > 1) {
    RankedTensorType type = tiles->getType({axis}, b.getIndexType());
    coordinate = TileValue::ofTile(vrtile::IotaOp::create(b, loc, type, origin, 0), {axis});
  }
  // As unsigned numbers, coordinates below zero are past every extent.
  auto predicate = grid.mayBeNegative(scalarOrigins[axis]) ? arith::CmpIPredicate::ult
                                                           : arith::CmpIPredicate::slt;
  TileValue inside =
      tiles->apply({coordinate, TileValue::ofScalar(extent)}, loc, [&](ValueRange values) -> Value {
        return arith::CmpIOp::create(b, loc, predicate, values[0], values[1]);
      });
  return tiles->apply({inside, tile, TileValue::ofConstant(outside)}, loc,
                      [&](ValueRange values) -> Value {
                        return arith::SelectOp::create(b, loc, values[0], values[1], values[2]);
                      });
}

bool StatementConverter::isZeroOutside(Value value, unsigned axis) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned input = argument.getArgNumber();
    return !paddings[input] && isPaddedByLoad(input, axis);
  }
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return isZeroOutside(op->getOperand(i), axis); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::ConstantOp>([&](auto) {
        return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
      })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, math::AbsFOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>([&](auto) { return operand(0); })
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::AddIOp, arith::SubIOp>(
          [&](auto) { return operand(0) && operand(1); })
      .Case<arith::MulIOp>([&](auto) { return operand(0) || operand(1); })
      .Case<arith::SelectOp>([&](auto) { return operand(1) && operand(2); })
      .Default([](auto) { return false; });
}

/// `identity` in the type that a cast started from, or null if it has no such value.
static TypedAttr castIdentity(TypedAttr identity, Type type) {
  if (identity.getType() == type)
    return identity;
  auto number = dyn_cast<FloatAttr>(identity);
  auto to = dyn_cast<FloatType>(type);
  if (!number || !to)
    return {};
  APFloat value = number.getValue();
  bool losesInfo = false;
  // Types without infinities would turn the identity into NaN or a finite number.
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  if (losesInfo || value.isInfinity() != number.getValue().isInfinity() || value.isNaN())
    return {};
  return FloatAttr::get(to, value);
}

void StatementConverter::choosePadding(scalar::ReduceOp reduce) {
  Operation *yield = body.getTerminator();
  if (maskedAxes.empty() || yield->getNumOperands() != 1)
    return;
  auto identity = cast<TypedAttr>(reduce.getIdentities()[0]);
  // A load, perhaps cast, whose only use is this one.
  Value value = yield->getOperand(0);
  while (auto cast = value.getDefiningOp<arith::ExtFOp>())
    value = cast.getIn();
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.hasOneUse()) {
    unsigned input = argument.getArgNumber();
    TypedAttr padding = castIdentity(identity, argument.getType());
    if (padding && llvm::all_of(maskedAxes, [&](unsigned a) { return isPaddedByLoad(input, a); })) {
      paddings[input] = padding;
      maskedAxes.clear();
      return;
    }
  }
  if (classifyCombiner(reduce.getCombiner()) == CombinerKind::Add)
    llvm::erase_if(maskedAxes, [&](unsigned a) { return isZeroOutside(yield->getOperand(0), a); });
}

//===-- Products -------------------------------------------------------------===//

const llvm::SmallBitVector &StatementConverter::getAxes(Value value) {
  if (auto it = axesOf.find(value); it != axesOf.end())
    return it->second;
  llvm::SmallBitVector result(axes.size());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    for (const Subscript &subscript : accesses[argument.getArgNumber()].subscripts)
      if (subscript.axis)
        result.set(*subscript.axis);
  } else if (auto index = value.getDefiningOp<scalar::IndexOp>()) {
    for (auto [i, axis] : llvm::enumerate(axes))
      if (axis.getName() == index.getAxisAttr() && sizes[i] > 1)
        result.set(i);
  } else {
    for (Value operand : value.getDefiningOp()->getOperands())
      result |= getAxes(operand);
  }
  return axesOf[value] = result;
}

/// What a product multiplies: the narrow values when both factors are extended from one type.
static std::pair<Value, Value> getFactors(arith::MulFOp product) {
  auto lhs = product.getLhs().getDefiningOp<arith::ExtFOp>();
  auto rhs = product.getRhs().getDefiningOp<arith::ExtFOp>();
  if (lhs && rhs && lhs.getIn().getType() == rhs.getIn().getType())
    return {lhs.getIn(), rhs.getIn()};
  return {product.getLhs(), product.getRhs()};
}

/// A factor with zeros outside the domain; both need them, as zero times infinity is not zero.
FailureOr<TileValue> StatementConverter::getDotOperand(Value value) {
  FailureOr<TileValue> tile = evaluator->get(value);
  if (failed(tile))
    return failure();
  for (unsigned axis : maskedAxes)
    if (!isZeroOutside(value, axis))
      *tile = mask(*tile, axis, grid.b.getZeroAttr(tile->getElementType()));
  return tile;
}

FailureOr<bool> StatementConverter::convertDot(scalar::ReduceOp reduce) {
  auto product = body.getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!product || body.getTerminator()->getNumOperands() != 1 ||
      classifyCombiner(reduce.getCombiner()) != CombinerKind::Add)
    return false;
  auto [lhs, rhs] = getFactors(product);
  llvm::SmallBitVector own = getAxes(lhs), other = getAxes(rhs), shared = getAxes(lhs);
  shared &= other;
  if (shared.count() != 1 || unsigned(shared.find_first()) < numParallel)
    return false;
  unsigned k = shared.find_first();
  own.reset(k);
  other.reset(k);
  SmallVector<unsigned> parallel = tiles->getTileAxes(numParallel);
  SmallVector<unsigned> all = tiles->getTileAxes(axes.size());
  if (own.count() != 1 || other.count() != 1 || parallel.size() != 2 || all.size() != 3)
    return false;
  // The rows of the result are the earlier axis.
  if (own.find_first() > other.find_first()) {
    std::swap(lhs, rhs);
    std::swap(own, other);
  }
  if (unsigned(own.find_first()) != parallel[0] || unsigned(other.find_first()) != parallel[1])
    return false;

  FailureOr<TileValue> a = getDotOperand(lhs), b = succeeded(a) ? getDotOperand(rhs) : a;
  if (failed(a) || failed(b))
    return failure();
  Value acc;
  if (reduce.getInits().empty())
    acc = tiles->expand(TileValue::ofConstant(cast<TypedAttr>(reduce.getIdentities()[0])), parallel,
                        loc);
  else
    acc = grid.getTile(reduce.getInits()[0]);
  Value dot = vrtile::DotOp::create(grid.b, loc, acc.getType(), a->value, b->value, acc,
                                    /*transpose_lhs=*/a->axes[0] == k,
                                    /*transpose_rhs=*/b->axes[1] == k);
  ++grid.counts.dots;
  setResult(reduce.getOutputs()[0], TileValue::ofTile(dot, parallel));
  return true;
}

//===-- The plain way ----------------------------------------------------------===//

/// Reduces all dims of `axes` from `first` on; the values are tiles over `order`.
static SmallVector<Value> reduceDims(scalar::ReduceOp op, TileBuilder &tiles,
                                     SmallVector<Value> values, SmallVector<unsigned> &order,
                                     unsigned first, Location loc) {
  OpBuilder &b = tiles.b;
  for (int64_t dim = order.size() - 1; dim >= 0; --dim) {
    if (order[dim] < first)
      continue;
    order.erase(order.begin() + dim);
    SmallVector<Type> types = llvm::map_to_vector(values, [&](Value value) -> Type {
      return tiles.getType(order, cast<RankedTensorType>(value.getType()).getElementType());
    });
    auto reduce = vrtile::ReduceOp::create(b, loc, types, values, dim, op.getIdentitiesAttr());
    IRMapping map;
    op.getCombiner().cloneInto(&reduce.getCombiner(), map);
    Operation *yield = reduce.getCombiner().front().getTerminator();
    OpBuilder inner(yield);
    vrtile::YieldOp::create(inner, yield->getLoc(), yield->getOperands());
    yield->erase();
    values.assign(reduce.getOutputs().begin(), reduce.getOutputs().end());
  }
  return values;
}

FailureOr<SmallVector<TileValue>> StatementConverter::combineElements(scalar::ReduceOp reduce) {
  SmallVector<TileValue> elements;
  for (auto [value, identity] :
       llvm::zip(body.getTerminator()->getOperands(), reduce.getIdentities())) {
    FailureOr<TileValue> tile = evaluator->get(value);
    if (failed(tile))
      return failure();
    for (unsigned axis : maskedAxes)
      *tile = mask(*tile, axis, cast<TypedAttr>(identity));
    elements.push_back(std::move(*tile));
  }
  // All elements over the axes of any, and every reduction axis.
  llvm::SmallBitVector used(axes.size());
  for (const TileValue &element : elements)
    for (unsigned axis : element.axes)
      used.set(axis);
  SmallVector<unsigned> order;
  bool reduces = false;
  for (unsigned axis : tiles->getTileAxes(axes.size())) {
    reduces |= axis >= numParallel;
    if (axis >= numParallel || used.test(axis))
      order.push_back(axis);
  }
  if (!reduces)
    return elements;
  for (const TileValue &element : elements)
    if (element.axes.size() == order.size())
      order = element.axes;
  SmallVector<Value> values = llvm::map_to_vector(
      elements, [&](const TileValue &element) { return tiles->expand(element, order, loc); });
  values = reduceDims(reduce, *tiles, std::move(values), order, numParallel, loc);
  return llvm::map_to_vector(values, [&](Value v) { return TileValue::ofTile(v, order); });
}

FailureOr<SmallVector<TileValue>> StatementConverter::combineInits(scalar::ReduceOp reduce,
                                                                   ArrayRef<TileValue> reduced) {
  SmallVector<TileValue> arguments;
  SmallVector<unsigned> parallel = tiles->getTileAxes(numParallel);
  for (Value init : reduce.getInits())
    arguments.push_back(TileValue::ofTile(grid.getTile(init), parallel));
  llvm::append_range(arguments, reduced);
  BlockEvaluator combiner(*tiles, [&](Value value) -> FailureOr<TileValue> {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? arguments[argument.getArgNumber()] : TileValue();
  });
  SmallVector<TileValue> results;
  for (Value value : reduce.getCombiner().front().getTerminator()->getOperands()) {
    FailureOr<TileValue> tile = combiner.get(value);
    if (failed(tile))
      return failure();
    results.push_back(std::move(*tile));
  }
  return results;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcasting elementwise code; see the header.

#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"

using namespace mlir;
using namespace mlir::nautilus;

Type TileValue::getElementType() const {
  return constant ? constant.getType() : getElementTypeOrSelf(value.getType());
}

RankedTensorType TileBuilder::getType(ArrayRef<unsigned> axes, Type element) const {
  SmallVector<int64_t> shape =
      llvm::map_to_vector(axes, [&](unsigned axis) { return sizes[axis]; });
  return RankedTensorType::get(shape, element);
}

SmallVector<unsigned> TileBuilder::getTileAxes(unsigned count) const {
  return llvm::to_vector(llvm::make_filter_range(llvm::seq<unsigned>(0, count),
                                                 [&](unsigned axis) { return sizes[axis] > 1; }));
}

Value TileBuilder::expand(const TileValue &tile, ArrayRef<unsigned> axes, Location loc) {
  RankedTensorType type = getType(axes, tile.getElementType());
  if (tile.constant)
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, tile.constant));
  if (!tile.isTile())
    return vrtile::SplatOp::create(b, loc, type, tile.value);

  // Where each dim goes; the source is brought to the order of the result first.
  auto position = [&](unsigned axis) -> int64_t { return llvm::find(axes, axis) - axes.begin(); };
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, tile.axes.size()));
  llvm::sort(permutation,
             [&](int64_t x, int64_t y) { return position(tile.axes[x]) < position(tile.axes[y]); });
  SmallVector<unsigned> sorted =
      llvm::map_to_vector(permutation, [&](int64_t dim) { return tile.axes[dim]; });
  Value value = tile.value;
  if (!llvm::is_sorted(permutation))
    value = vrtile::TransposeOp::create(b, loc, getType(sorted, tile.getElementType()), value,
                                        permutation);
  if (sorted.size() == axes.size())
    return value;
  SmallVector<int64_t> dims = llvm::map_to_vector(sorted, position);
  return vrtile::BroadcastOp::create(b, loc, type, value, dims);
}

/// The axes of the operand that has them all, in its own order; else all axes in order.
SmallVector<unsigned> TileBuilder::getCommonAxes(ArrayRef<TileValue> operands) const {
  SmallVector<unsigned> all;
  for (const TileValue &operand : operands)
    llvm::append_range(all, operand.axes);
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  for (const TileValue &operand : operands)
    if (operand.axes.size() == all.size())
      return operand.axes;
  return all;
}

TileValue TileBuilder::apply(ArrayRef<TileValue> operands, Location loc,
                             llvm::function_ref<Value(ValueRange)> build) {
  bool anyTile = llvm::any_of(operands, [](const TileValue &o) { return o.isTile(); });
  SmallVector<unsigned> axes = getCommonAxes(operands);
  SmallVector<Value> values = llvm::map_to_vector(operands, [&](const TileValue &operand) {
    if (anyTile)
      return expand(operand, axes, loc);
    return operand.constant ? arith::ConstantOp::create(b, loc, operand.constant).getResult()
                            : operand.value;
  });
  Value result = build(values);
  return anyTile ? TileValue::ofTile(result, axes) : TileValue::ofScalar(result);
}

FailureOr<TileValue> TileBuilder::applyOp(Operation *op, ArrayRef<TileValue> operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return TileValue::ofConstant(constant.getValue());
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1) {
    op->emitError("expected an elementwise op of arith or math in a statement body, got '")
        << op->getName() << "'";
    return failure();
  }
  TileValue result = apply(operands, op->getLoc(), [&](ValueRange values) {
    Type type = op->getResult(0).getType();
    if (auto tile = dyn_cast<RankedTensorType>(values[0].getType()))
      type = tile.clone(type);
    OperationState state(op->getLoc(), op->getName(), values, type,
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    return b.create(state)->getResult(0);
  });
  if (result.isTile())
    return result;
  // A scalar op on constants is a constant again.
  SmallVector<Value> folded;
  Operation *made = result.value.getDefiningOp();
  TypedAttr element;
  if (succeeded(b.tryFold(made, folded)) && matchPattern(folded[0], m_Constant(&element))) {
    made->erase();
    return TileValue::ofConstant(element);
  }
  return result;
}

FailureOr<TileValue> BlockEvaluator::get(Value value) {
  if (auto it = memo.find(value); it != memo.end())
    return it->second;
  FailureOr<TileValue> result = leaf(value);
  if (succeeded(result) && !result->value && !result->constant) {
    Operation *op = value.getDefiningOp();
    SmallVector<TileValue> operands;
    for (Value operand : op->getOperands()) {
      FailureOr<TileValue> tile = get(operand);
      if (failed(tile))
        return failure();
      operands.push_back(std::move(*tile));
    }
    result = tiles.applyOp(op, operands);
  }
  if (succeeded(result))
    memo[value] = *result;
  return result;
}

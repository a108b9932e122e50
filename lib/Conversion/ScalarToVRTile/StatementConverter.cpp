// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes, inputs and maps of statements; see the header. Reductions are in StatementReduce.cpp.

#include "StatementConverter.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nautilus;

template <typename Statement> static SmallVector<scalar::AxisAttr> getAllAxes(Statement op) {
  return llvm::map_to_vector(llvm::seq<unsigned>(0, op.getNumAxes()),
                             [&](unsigned axis) { return op.getAxis(axis); });
}

template <typename Statement> static SmallVector<Value> getAllOrigins(Statement op) {
  return llvm::map_to_vector(llvm::seq<unsigned>(0, op.getNumAxes()),
                             [&](unsigned axis) { return op.getOrigin(axis); });
}

/// Locations carry the statement's name into the lower levels.
template <typename Statement> static Location getStatementLoc(Statement op) {
  return NameLoc::get(op.getNameAttr(), op.getLoc());
}

StatementConverter::StatementConverter(GridConverter &grid, scalar::MapOp op)
    : grid(grid), op(op), body(op.getBody().front()), axes(getAllAxes(op)),
      scalarOrigins(getAllOrigins(op)), numParallel(op.getNumAxes()), inputs(op.getInputs()),
      maps(op.getIndexingMaps()), loc(getStatementLoc(op)) {}

StatementConverter::StatementConverter(GridConverter &grid, scalar::ReduceOp op)
    : grid(grid), op(op), body(op.getBody().front()), axes(getAllAxes(op)),
      scalarOrigins(getAllOrigins(op)), numParallel(op.getNumParallelAxes()),
      inputs(op.getInputs()), maps(op.getIndexingMaps()), loc(getStatementLoc(op)) {}

LogicalResult StatementConverter::convert() {
  if (failed(analyze()))
    return failure();
  if (auto map = dyn_cast<scalar::MapOp>(op))
    return convertMap(map);
  return convertReduce(cast<scalar::ReduceOp>(op));
}

LogicalResult StatementConverter::analyze() {
  for (scalar::AxisAttr axis : axes) {
    FailureOr<int64_t> points = grid.getNumPoints(op, axis);
    if (failed(points))
      return failure();
    sizes.push_back(*points);
  }
  tiles.emplace(grid.b, sizes);
  evaluator.emplace(*tiles, [this](Value value) { return evaluateLeaf(value); });
  paddings.resize(inputs.size());
  for (auto [i, input] : llvm::enumerate(inputs)) {
    AffineMap map = cast<AffineMapAttr>(maps[i]).getValue();
    bool isTile = scalar::isTileValue(input);
    // A tile is read in its own coordinates, which start at zero.
    auto isAligned = [&](unsigned axis) {
      return isTile || grid.isAligned(axes[axis], scalarOrigins[axis]);
    };
    FailureOr<Access> access = analyzeAccess(op, i, map, isTile, AccessAxes{sizes, isAligned},
                                             cast<RankedTensorType>(input.getType()).getShape());
    if (failed(access) || (!access->isTile && failed(checkUnitAxes(*access))))
      return failure();
    if (!isTile)
      remarkOnSteps(map);
    accesses.push_back(std::move(*access));
  }
  for (unsigned axis = numParallel; axis < axes.size(); ++axis)
    if (!grid.isInside(axes[axis], scalarOrigins[axis]))
      maskedAxes.push_back(axis);
  return success();
}

/// A tile walks a dim with stride 1, so an axis with another one is taken point by point, which is
/// slow: that is worth a remark.
void StatementConverter::remarkOnSteps(AffineMap map) {
  auto hasStep = [](AffineExpr expr, unsigned axis) {
    bool found = false;
    expr.walk([&](AffineExpr part) {
      auto product = dyn_cast<AffineBinaryOpExpr>(part);
      found |= product && product.getKind() == AffineExprKind::Mul && product.isFunctionOfDim(axis);
    });
    return found;
  };
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    int64_t extent = grid.getSize(axes[axis].getDim());
    if (size != 1 || extent == 1 || llvm::none_of(map.getResults(), [&, axis = axis](AffineExpr e) {
          return hasStep(e, axis);
        }))
      continue;
    remark::missed(op->getLoc(), remark::RemarkOpts::name("StridedAxis").category("Schedule"))
        << "axis '" << axes[axis].getName().getValue()
        << "' is walked one point at a time: a subscript multiplies it, and a tile walks with "
           "stride 1";
  }
}

/// An axis of one point is a plain index of the load, which has no bounds.
LogicalResult StatementConverter::checkUnitAxes(const Access &access) {
  for (const Subscript &subscript : access.subscripts)
    for (auto [axis, size] : llvm::enumerate(sizes))
      if (size == 1 && subscript.base.isFunctionOfDim(axis) &&
          !grid.isInside(axes[axis], scalarOrigins[axis]))
        return op->emitOpError("expected the origin of axis ")
               << axes[axis].getName()
               << " to be that of a whole loop over its dim (rule: an axis of one point is read "
                  "without bounds)";
  return success();
}

//===-- Inputs -----------------------------------------------------------------===//

Value StatementConverter::getOrigin(unsigned axis) {
  return scalarOrigins[axis] ? grid.getIndex(scalarOrigins[axis]) : grid.getConstant(0);
}

/// The first index of a subscript.
Value StatementConverter::getStart(const Subscript &subscript) {
  if (auto constant = dyn_cast<AffineConstantExpr>(subscript.base))
    return grid.getConstant(constant.getValue());
  SmallVector<Value> origins;
  for (unsigned axis = 0; axis < axes.size(); ++axis) {
    origins.push_back(subscript.base.isFunctionOfDim(axis) ? getOrigin(axis) : grid.getConstant(0));
    if (!origins.back())
      return {};
  }
  if (auto axis = dyn_cast<AffineDimExpr>(subscript.base))
    return origins[axis.getPosition()];
  return affine::expandAffineExpr(grid.b, loc, subscript.base, origins, {});
}

bool StatementConverter::isPaddedByLoad(unsigned input, unsigned axis) {
  if (accesses[input].isTile)
    return false;
  const WholeTensor &tensor = grid.getTensor(inputs[input]);
  for (auto [dim, subscript] : llvm::enumerate(accesses[input].subscripts))
    if (subscript.axis == axis)
      return subscript.isBare() && grid.haveEqualExtents(tensor.dims[dim], axes[axis].getDim());
  return false;
}

FailureOr<TileValue> StatementConverter::readInput(unsigned input) {
  if (!accesses[input].isTile)
    return loadInput(input);
  SmallVector<unsigned> walked;
  for (const Subscript &subscript : accesses[input].subscripts)
    if (subscript.axis)
      walked.push_back(*subscript.axis);
  return TileValue::ofTile(grid.getTile(inputs[input]), walked);
}

FailureOr<TileValue> StatementConverter::loadInput(unsigned input) {
  OpBuilder &b = grid.b;
  const WholeTensor &tensor = grid.getTensor(inputs[input]);
  SmallVector<Value> indices, dynamic;
  SmallVector<int64_t> walk, bounds;
  SmallVector<unsigned> walked;
  for (auto [dim, subscript] : llvm::enumerate(accesses[input].subscripts)) {
    Value index = getStart(subscript);
    if (!index)
      return op->emitOpError("expected origins computed by index arithmetic");
    indices.push_back(index);
    if (!subscript.axis)
      continue;
    unsigned axis = *subscript.axis;
    walk.push_back(dim);
    walked.push_back(axis);
    bool inside = isPaddedByLoad(input, axis) && grid.isInside(axes[axis], scalarOrigins[axis]);
    bounds.push_back(inside ? -1 : grid.getSize(tensor.dims[dim]));
    if (ShapedType::isDynamic(bounds.back()))
      dynamic.push_back(grid.getExtent(tensor.dims[dim]));
  }
  bool bounded = llvm::any_of(bounds, [](int64_t bound) { return bound != -1; });
  RankedTensorType type = tiles->getType(walked, tensor.type.getElementType());
  Value tile = vrtile::LoadOp::create(b, loc, type, grid.getMemRef(inputs[input]), indices, walk,
                                      bounds, dynamic, bounded ? paddings[input] : TypedAttr());
  return TileValue::ofTile(tile, walked);
}

//===-- Bodies -----------------------------------------------------------------===//

/// Block arguments, coordinates and extents; an empty value for other ops.
FailureOr<TileValue> StatementConverter::evaluateLeaf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return readInput(argument.getArgNumber());
  Operation *source = value.getDefiningOp();
  if (auto dim = dyn_cast<scalar::DimOp>(source))
    return TileValue::ofScalar(grid.getExtent(dim.getDimAttr()));
  auto index = dyn_cast<scalar::IndexOp>(source);
  if (!index)
    return TileValue();
  unsigned axis = 0;
  while (axes[axis].getName() != index.getAxisAttr())
    ++axis;
  Value origin = getOrigin(axis);
  if (!origin)
    return op->emitOpError("expected origins computed by index arithmetic");
  if (sizes[axis] == 1)
    return TileValue::ofScalar(origin);
  RankedTensorType type = tiles->getType({axis}, grid.b.getIndexType());
  return TileValue::ofTile(vrtile::IotaOp::create(grid.b, loc, type, origin, 0), {axis});
}

void StatementConverter::setResult(Value result, const TileValue &tile) {
  Value value = tiles->expand(tile, tiles->getTileAxes(numParallel), loc);
  if (Operation *made = value.getDefiningOp())
    for (NamedAttribute attr : op->getDiscardableAttrs())
      made->setDiscardableAttr(attr.getName(), attr.getValue());
  grid.setTile(result, value);
}

LogicalResult StatementConverter::convertMap(scalar::MapOp map) {
  FailureOr<TileValue> tile = evaluator->get(body.getTerminator()->getOperand(0));
  if (failed(tile))
    return failure();
  setResult(map.getResult(), *tile);
  return success();
}

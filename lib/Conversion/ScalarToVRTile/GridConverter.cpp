// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a grid; see the header. Statements are in StatementConverter.

#include "GridConverter.h"
#include "StatementConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;

FailureOr<LaunchPlan> GridConverter::convert(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  createKernel(name);
  if (failed(convertBlock(grid.getBody().front()))) {
    plan.kernel.erase();
    return failure();
  }
  vrtile::ReturnOp::create(b, grid.getLoc());
  plan.kernel.setFunctionType(b.getFunctionType(body->getArgumentTypes(), {}));
  for (auto &[dim, value] : extents)
    plan.dims.push_back(dim);
  return plan;
}

static MemRefType getMemRefType(RankedTensorType tensor) {
  SmallVector<int64_t> strides(tensor.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(tensor.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(tensor.getShape(), tensor.getElementType(), layout);
}

/// The kernel with one memref per tensor, and its origin op.
void GridConverter::createKernel(StringRef name) {
  llvm::SmallSetVector<unsigned, 8> used;
  grid->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto it = table.reads.find(operand); it != table.reads.end())
        used.insert(it->second);
  });
  plan.tensors = used.takeVector();
  llvm::sort(plan.tensors);
  for (Value result : grid.getOutputs())
    for (unsigned tensor : table.writes.lookup(result))
      plan.tensors.push_back(tensor);

  SmallVector<Type> types = llvm::map_to_vector(
      plan.tensors, [&](unsigned t) -> Type { return getMemRefType(table.tensors[t].type); });
  plan.grid = grid;
  plan.kernel = vrtile::KernelOp::create(b, grid.getLoc(), b.getStringAttr(name), StringAttr(),
                                         TypeAttr::get(b.getFunctionType(types, {})), ArrayAttr(),
                                         ArrayAttr());
  for (NamedAttribute attr : kernel->getDiscardableAttrs())
    plan.kernel->setDiscardableAttr(attr.getName(), attr.getValue());
  for (NamedAttribute attr : grid->getDiscardableAttrs())
    plan.kernel->setDiscardableAttr(attr.getName(), attr.getValue());
  body = b.createBlock(&plan.kernel.getBody(), {}, types,
                       SmallVector<Location>(types.size(), grid.getLoc()));
  for (auto [tensor, argument] : llvm::zip(plan.tensors, body->getArguments()))
    memrefs[tensor] = argument;

  SmallVector<int64_t> tiles, sizes;
  SmallVector<Value> dynamic;
  for (auto axis : grid.getAxes().getAsRange<scalar::AxisAttr>()) {
    tiles.push_back(axis.getTile());
    sizes.push_back(getSize(axis.getDim()));
    if (ShapedType::isDynamic(sizes.back()))
      dynamic.push_back(getExtent(axis.getDim()));
  }
  SmallVector<Type> indices(tiles.size(), b.getIndexType());
  auto origin = vrtile::OriginOp::create(b, grid.getLoc(), indices, tiles, sizes, dynamic, Value());
  map.map(grid.getBody().getArguments(), origin.getOrigins());
  prologueEnd = origin;
}

//===-- Index values --------------------------------------------------------===//

Value GridConverter::getConstant(int64_t value) {
  Value &constant = constants[value];
  if (!constant) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(prologueEnd);
    constant = arith::ConstantIndexOp::create(b, prologueEnd->getLoc(), value);
  }
  return constant;
}

Value GridConverter::getExtent(StringAttr dim) {
  int64_t size = getSize(dim);
  if (!ShapedType::isDynamic(size))
    return getConstant(size);
  Value &extent = extents[dim];
  if (!extent)
    extent = body->addArgument(b.getIndexType(), kernel.getLoc());
  return extent;
}

bool GridConverter::haveEqualExtents(StringAttr x, StringAttr y) {
  return x == y || (!ShapedType::isDynamic(getSize(x)) && getSize(x) == getSize(y));
}

/// Values above the grid are computed again in the kernel.
Value GridConverter::getIndex(Value value) {
  if (Value mapped = map.lookupOrNull(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  if (!op || !(isa<scalar::DimOp>(op) || isa<arith::ArithDialect>(op->getDialect())))
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  if (failed(convertOp(op)))
    return {};
  return map.lookupOrNull(value);
}

FailureOr<int64_t> GridConverter::getNumPoints(Operation *op, scalar::AxisAttr axis) {
  int64_t points = axis.getTile() ? axis.getTile() : getSize(axis.getDim());
  if (!ShapedType::isDynamic(points))
    return points;
  op->emitOpError("expected a tile of axis ")
      << axis.getName()
      << " (rule: below a grid every axis of a dynamic dim has a tile), got all of "
      << axis.getDim();
  return failure();
}

bool GridConverter::mayBeNegative(Value origin) {
  if (!origin)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(origin)) {
    auto loop = dyn_cast<scalar::ForOp>(argument.getOwner()->getParentOp());
    return loop && mayBeNegative(loop.getLower());
  }
  Operation *op = origin.getDefiningOp();
  auto all = [&] {
    return llvm::none_of(op->getOperands(), [&](Value v) { return mayBeNegative(v); });
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<scalar::DimOp>([](auto) { return false; })
      .Case<arith::ConstantIndexOp>([](auto o) { return o.value() < 0; })
      .Case<arith::MaxSIOp>(
          [&](auto o) { return mayBeNegative(o.getLhs()) && mayBeNegative(o.getRhs()); })
      .Case<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
            arith::MinSIOp, arith::DivUIOp>([&](auto) { return !all(); })
      .Default([](auto) { return true; });
}

/// The loop axis that an origin runs over, when it takes exactly the multiples of the axis' tile
/// that lie inside the dim.
static scalar::AxisAttr getLoopAxis(Value origin) {
  auto argument = dyn_cast_if_present<BlockArgument>(origin);
  if (!argument)
    return {};
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto grid = dyn_cast<scalar::GridOp>(parent))
    return grid.getAxis(argument.getArgNumber());
  auto loop = dyn_cast<scalar::ForOp>(parent);
  return loop && !loop.getLower() && !loop.getUpper() ? loop.getAxis() : scalar::AxisAttr();
}

bool GridConverter::isInside(scalar::AxisAttr axis, Value origin) {
  int64_t size = getSize(axis.getDim());
  int64_t points = axis.getTile() ? axis.getTile() : size;
  APInt constant;
  if (!origin || matchPattern(origin, m_ConstantInt(&constant))) {
    int64_t start = origin ? constant.getSExtValue() : 0;
    return !ShapedType::isDynamic(size) && start >= 0 && start + points <= size;
  }
  scalar::AxisAttr loop = getLoopAxis(origin);
  if (!loop || !haveEqualExtents(loop.getDim(), axis.getDim()) || points > loop.getTile())
    return false;
  return loop.getTile() == 1 || (!ShapedType::isDynamic(size) && size % loop.getTile() == 0);
}

bool GridConverter::isAligned(scalar::AxisAttr axis, Value origin) {
  APInt constant;
  if (!origin || matchPattern(origin, m_ConstantInt(&constant)))
    return !origin || constant.getSExtValue() % axis.getTile() == 0;
  scalar::AxisAttr loop = getLoopAxis(origin);
  return loop && axis.getTile() != 0 && loop.getTile() % axis.getTile() == 0;
}

//===-- Ops ------------------------------------------------------------------===//

LogicalResult GridConverter::convertBlock(Block &block) {
  for (Operation &op : block)
    if (failed(convertOp(&op)))
      return failure();
  return success();
}

/// The type of a tile value without its dims of one point.
static RankedTensorType dropUnitDims(Type type) {
  auto ranked = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape =
      llvm::to_vector(llvm::make_filter_range(ranked.getShape(), [](int64_t n) { return n != 1; }));
  return RankedTensorType::get(shape, ranked.getElementType());
}

LogicalResult GridConverter::convertOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scalar::MapOp, scalar::ReduceOp>(
          [&](auto statement) { return StatementConverter(*this, statement).convert(); })
      .Case<scalar::ForOp>([&](auto loop) { return convertFor(loop); })
      .Case<scalar::AssembleOp>([&](auto assemble) { return convertAssemble(assemble); })
      .Case<scalar::YieldOp>([](auto) { return success(); })
      .Case<scalar::FillOp>([&](scalar::FillOp fill) {
        auto dense = DenseElementsAttr::get(dropUnitDims(fill.getType()), fill.getValue());
        setTile(fill, arith::ConstantOp::create(b, fill.getLoc(), dense));
        return success();
      })
      .Case<scalar::DimOp>([&](scalar::DimOp dim) {
        map.map(dim.getResult(), getExtent(dim.getDimAttr()));
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        bool isIndexArithmetic =
            isa<arith::ArithDialect>(other->getDialect()) &&
            llvm::none_of(other->getResultTypes(), [](Type t) { return isa<ShapedType>(t); });
        if (!isIndexArithmetic)
          return other->emitError(
                     "expected a statement, a loop or index arithmetic in a grid, got '")
                 << other->getName() << "'";
        for (Value operand : other->getOperands())
          if (!getIndex(operand))
            return other->emitError("expected operands computed by index arithmetic");
        b.clone(*other, map);
        return success();
      });
}

LogicalResult GridConverter::convertFor(scalar::ForOp op) {
  auto bound = [&](Value value, Value otherwise) { return value ? getIndex(value) : otherwise; };
  SmallVector<Value> inits =
      llvm::map_to_vector(op.getInits(), [&](Value v) { return getTile(v); });
  Value lower = bound(op.getLower(), getConstant(0));
  Value upper = bound(op.getUpper(), getExtent(op.getAxis().getDim()));
  if (!lower || !upper)
    return op.emitOpError("expected bounds computed by index arithmetic");
  auto loop =
      scf::ForOp::create(b, op.getLoc(), lower, upper, getConstant(op.getAxis().getTile()), inits);
  for (NamedAttribute attr : op->getDiscardableAttrs())
    loop->setDiscardableAttr(attr.getName(), attr.getValue());
  Block &from = op.getBody().front();
  map.map(from.getArgument(0), loop.getInductionVar());
  map.map(from.getArguments().drop_front(), loop.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(b);
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  b.setInsertionPointToEnd(loop.getBody());
  if (failed(convertBlock(from)))
    return failure();
  Operation *yield = from.getTerminator();
  scf::YieldOp::create(b, yield->getLoc(), llvm::map_to_vector(yield->getOperands(), [&](Value v) {
                         return getTile(v);
                       }));
  map.map(op.getOutputs(), loop.getResults());
  return success();
}

//===-- Results ---------------------------------------------------------------===//

LogicalResult GridConverter::convertAssemble(scalar::AssembleOp op) {
  for (auto [number, result] : llvm::enumerate(grid.getOutputs()))
    for (unsigned tensor : table.writes.lookup(result))
      if (failed(storeTile(op, number, tensor)))
        return failure();
  return success();
}

/// A dim that no grid axis walks must fit its tile; the host checks what is known at the call only.
LogicalResult GridConverter::checkCovered(scalar::AssembleOp op, scalar::AxisAttr axis) {
  int64_t size = getSize(axis.getDim());
  bool isDynamic = ShapedType::isDynamic(size);
  if (isDynamic ? axis.getTile() == 1 : size > axis.getTile())
    return op.emitOpError("expected the tile of axis ")
           << axis.getName() << " to cover dim " << axis.getDim() << ", got " << axis.getTile();
  if (isDynamic)
    plan.covered.push_back({axis.getDim(), axis.getTile()});
  return success();
}

LogicalResult GridConverter::storeTile(scalar::AssembleOp op, unsigned number, unsigned tensor) {
  SmallVector<Value> indices, dynamic;
  SmallVector<int64_t> walk, bounds;
  auto axes = cast<ArrayAttr>(op.getAxes()[number]);
  for (auto [dim, axis] : llvm::enumerate(axes.getAsRange<scalar::AxisAttr>())) {
    const auto *loop = llvm::find(grid.getAxes(), axis);
    bool isLoop = loop != grid.getAxes().end();
    Value origin = isLoop ? grid.getBody().getArgument(loop - grid.getAxes().begin()) : Value();
    if (!isLoop && failed(checkCovered(op, axis)))
      return failure();
    indices.push_back(isLoop ? getIndex(origin) : getConstant(0));
    if (axis.getTile() == 1)
      continue;
    walk.push_back(dim);
    bounds.push_back(isInside(axis, origin) ? -1 : getSize(axis.getDim()));
    if (ShapedType::isDynamic(bounds.back()))
      dynamic.push_back(getExtent(axis.getDim()));
  }
  vrtile::StoreOp::create(b, op.getLoc(), getTile(op.getTiles()[number]), memrefs.lookup(tensor),
                          indices, walk, bounds, dynamic);
  return success();
}

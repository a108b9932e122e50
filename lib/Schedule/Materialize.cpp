// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a state as loop form. Checks first that nothing is open, then builds the new body from top
// to bottom: values are found by what they stand for, and a loop carries the reductions over its
// axis.

#include "nautilus/Schedule/Materialize.h"
#include "MaskBounds.h"

#include "mlir/IR/IRMapping.h"

#include <map>

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

namespace {

class Materializer {
public:
  Materializer(const State &state, KernelOp kernel)
      : state(state), kernel(kernel), builder(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult checkComplete();
  LogicalResult checkStatement(unsigned stmt);
  void declareDims();
  void emitGrid(Node root);
  void emitNodes(ArrayRef<Node> nodes);
  void emitStatement(unsigned stmt);
  void emitLoop(unsigned loop);
  SmallVector<Value> emitLoopPart(unsigned loop, const LoopPart &part, ArrayRef<ValueRef> carried,
                                  ArrayRef<Value> inits);
  std::pair<Value, int64_t> getOrigin(unsigned loop, unsigned axis);
  const Body &getBody(unsigned stmt);
  void finishGrid(GridOp grid, ArrayRef<ValueRef> escaping);

  int64_t getTile(unsigned stmt, unsigned axis);
  AxisAttr getAxisAttr(StringRef name, unsigned axis, int64_t tile);
  ArrayAttr getAxes(unsigned stmt, ArrayRef<Statement::LocalAxis> axes);
  RankedTensorType getTileType(const ValueRef &value);
  Type getElementType(const ValueRef &value) {
    return state.statements[value.id].body->getResultTypes()[value.result];
  }
  SmallVector<ValueRef> getEscaping(Node root);
  SmallVector<ValueRef> getCarried(unsigned loop);
  Value emitFill(const ValueRef &value);

  const State &state;
  KernelOp kernel;
  OpBuilder builder;
  std::map<ValueRef, Value> values;
  DenseMap<unsigned, Value> origins;        // of loops
  SmallVector<const MaskSplit *> bareParts; // that the builder is in
};

} // namespace

//===----------------------------------------------------------------------===//
// What must be decided before
//===----------------------------------------------------------------------===//

LogicalResult Materializer::checkStatement(unsigned stmt) {
  const Statement &statement = state.statements[stmt];
  Location loc = statement.body->getLoc();
  for (unsigned loop : state.getLoopsAround(stmt)) {
    const Loop &info = state.loops[loop];
    if (info.tile.isOpen())
      return emitError(loc) << "expected a size for tile '" << info.tile.knob << "' of axis '"
                            << state.axes[info.axis].name << "'; its knob is open";
    if (!info.isGrid && !state.isReductionLoop(loop))
      return emitError(loc) << "expected the loop over parallel axis '"
                            << state.axes[info.axis].name << "' of statement '" << statement.name
                            << "' to be bound to the grid";
  }
  if (std::optional<unsigned> reader = state.findReaderBeyondLoop(stmt))
    return emitError(loc) << "expected '" << statement.name
                          << "' to be read inside the serial loop that computes it, got '"
                          << state.statements[*reader].name << "' outside";
  for (const Statement::LocalAxis &local : statement.axes) {
    const Axis &axis = state.axes[local.axis];
    if (!state.findLoop(stmt, local.axis) && ShapedType::isDynamic(axis.extent))
      return emitError(loc) << "expected a tile or a static extent for axis '" << local.name
                            << "' of statement '" << statement.name << "'; dim '" << axis.dim
                            << "' is dynamic and one tile has to cover it";
  }
  return success();
}

LogicalResult Materializer::checkComplete() {
  for (unsigned stmt : state.getOrder())
    if (failed(checkStatement(stmt)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Types and axes
//===----------------------------------------------------------------------===//

int64_t Materializer::getTile(unsigned stmt, unsigned axis) {
  if (std::optional<unsigned> loop = state.findLoop(stmt, axis))
    return state.loops[*loop].tile.value;
  // An empty dim still has a tile; its points lie outside the domain.
  return std::max<int64_t>(state.axes[axis].extent, 1);
}

AxisAttr Materializer::getAxisAttr(StringRef name, unsigned axis, int64_t tile) {
  return AxisAttr::get(builder.getContext(), builder.getStringAttr(name),
                       builder.getStringAttr(state.axes[axis].dim), tile);
}

ArrayAttr Materializer::getAxes(unsigned stmt, ArrayRef<Statement::LocalAxis> axes) {
  SmallVector<Attribute> attrs;
  for (const Statement::LocalAxis &local : axes)
    attrs.push_back(getAxisAttr(local.name, local.axis, getTile(stmt, local.axis)));
  return builder.getArrayAttr(attrs);
}

RankedTensorType Materializer::getTileType(const ValueRef &value) {
  SmallVector<int64_t> shape;
  for (const Statement::LocalAxis &local : state.statements[value.id].getParallelAxes())
    shape.push_back(getTile(value.id, local.axis));
  return RankedTensorType::get(shape, getElementType(value));
}

//===----------------------------------------------------------------------===//
// Statements and serial loops
//===----------------------------------------------------------------------===//

static void cloneRegion(Region &from, Region &to) {
  IRMapping mapping;
  from.cloneInto(&to, mapping);
}

/// The body of a statement where the builder stands: without the masks that hold there.
const Body &Materializer::getBody(unsigned stmt) {
  for (const MaskSplit *split : bareParts)
    if (auto bare = split->bareBodies.find(stmt); bare != split->bareBodies.end())
      return *bare->second;
  return *state.statements[stmt].body;
}

void Materializer::emitStatement(unsigned stmt) {
  const Statement &statement = state.statements[stmt];
  const Body &body = getBody(stmt);
  Location loc = statement.body->getLoc();
  SmallVector<bool> hasOrigin;
  SmallVector<Value> inputs, statementOrigins, inits;
  for (const Statement::LocalAxis &local : statement.axes) {
    std::optional<unsigned> loop = state.findLoop(stmt, local.axis);
    hasOrigin.push_back(loop.has_value());
    if (loop)
      statementOrigins.push_back(origins[*loop]);
  }
  SmallVector<AffineMap> maps;
  for (const Read &read : statement.reads) {
    inputs.push_back(values.at(read.value));
    maps.push_back(read.map);
  }
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(statement.body->getResultTypes()))
    types.push_back(getTileType({ValueRef::Kind::Result, stmt, static_cast<unsigned>(i)}));
  ArrayAttr axes = getAxes(stmt, statement.getParallelAxes());
  Operation *op;
  if (!statement.isReduce()) {
    auto map = MapOp::create(builder, loc, types.front(), builder.getStringAttr(statement.name),
                             axes, builder.getDenseBoolArrayAttr(hasOrigin),
                             builder.getAffineMapArrayAttr(maps), inputs, statementOrigins);
    cloneRegion(body.getRegion(), map.getBody());
    op = map;
  } else {
    for (auto [i, type] : llvm::enumerate(types)) {
      ValueRef previous{ValueRef::Kind::Previous, stmt, static_cast<unsigned>(i)};
      if (!statement.inits.empty())
        inits.push_back(values.at(statement.inits[i]));
      else if (auto carried = values.find(previous); carried != values.end())
        inits.push_back(carried->second);
    }
    auto reduce = ReduceOp::create(
        builder, loc, types, builder.getStringAttr(statement.name), axes,
        getAxes(stmt, statement.getReductionAxes()), builder.getDenseBoolArrayAttr(hasOrigin),
        builder.getAffineMapArrayAttr(maps), statement.body->getIdentities(), inputs,
        statementOrigins, inits);
    cloneRegion(body.getRegion(), reduce.getBody());
    cloneRegion(statement.body->getCombiner(), reduce.getCombiner());
    op = reduce;
  }
  op->setDiscardableAttrs(statement.body->getAttributes());
  for (OpResult result : op->getResults())
    values[{ValueRef::Kind::Result, stmt, result.getResultNumber()}] = result;
}

SmallVector<ValueRef> Materializer::getCarried(unsigned loop) {
  SmallVector<ValueRef> carried;
  for (unsigned stmt : state.getStatementsBelow({Node::Kind::Loop, loop})) {
    if (!state.isCarriedBy(stmt, loop))
      continue;
    for (unsigned i = 0, e = state.statements[stmt].body->getResultTypes().size(); i < e; ++i)
      carried.push_back({ValueRef::Kind::Previous, stmt, i});
  }
  return carried;
}

Value Materializer::emitFill(const ValueRef &value) {
  const Body &body = *state.statements[value.id].body;
  return FillOp::create(builder, body.getLoc(), getTileType(value),
                        cast<TypedAttr>(body.getIdentities()[value.result]));
}

/// The tile of `axis` where `loop` starts: its origin, null for 0, and its size.
std::pair<Value, int64_t> Materializer::getOrigin(unsigned loop, unsigned axis) {
  unsigned stmt = state.getStatementsBelow({Node::Kind::Loop, loop}).front();
  for (unsigned outer : state.getLoopsAround(stmt)) {
    if (outer == loop)
      break;
    if (state.loops[outer].axis == axis)
      return {origins[outer], state.loops[outer].tile.value};
  }
  return {Value(), std::max<int64_t>(state.axes[axis].extent, 1)};
}

SmallVector<Value> Materializer::emitLoopPart(unsigned loop, const LoopPart &part,
                                              ArrayRef<ValueRef> carried, ArrayRef<Value> inits) {
  const Loop &info = state.loops[loop];
  unsigned first = state.getStatementsBelow({Node::Kind::Loop, loop}).front();
  Location loc = state.statements[first].body->getLoc();
  auto op = ForOp::create(builder, loc, ValueRange(inits).getTypes(),
                          getAxisAttr(state.axes[info.axis].name, info.axis, info.tile.value),
                          part.lower, part.upper, inits);
  Block &block = op.getBody().emplaceBlock();
  origins[loop] = block.addArgument(builder.getIndexType(), loc);
  std::map<ValueRef, Value> outside = values;
  for (auto [value, init] : llvm::zip(carried, inits))
    values[value] = block.addArgument(init.getType(), loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  if (part.isBare) {
    op->setAttr(kBareAttrName, builder.getUnitAttr());
    bareParts.push_back(&*info.split);
  }
  if (info.part)
    op->setAttr(kPartAttrName, builder.getStringAttr(state.axes[*info.part].name));
  emitNodes(info.children);
  if (part.isBare)
    bareParts.pop_back();
  SmallVector<Value> next;
  for (ValueRef value : carried) {
    value.kind = ValueRef::Kind::Result;
    next.push_back(values.at(value));
  }
  YieldOp::create(builder, loc, next);
  values = std::move(outside);
  return llvm::to_vector_of<Value>(op.getOutputs());
}

void Materializer::emitLoop(unsigned loop) {
  SmallVector<ValueRef> carried = getCarried(loop);
  SmallVector<Value> current;
  for (const ValueRef &value : carried) {
    // An inner loop goes on from what the outer one carries.
    auto outer = values.find(value);
    current.push_back(outer != values.end() ? outer->second : emitFill(value));
  }
  SmallVector<LoopPart> parts = {LoopPart()};
  if (state.loops[loop].split) {
    unsigned first = state.getStatementsBelow({Node::Kind::Loop, loop}).front();
    parts = emitLoopParts(builder, state.statements[first].body->getLoc(), state, loop,
                          [&](unsigned axis) { return getOrigin(loop, axis); });
  }
  if (std::optional<unsigned> axis = state.loops[loop].part) {
    unsigned first = state.getStatementsBelow({Node::Kind::Loop, loop}).front();
    parts = {emitPartRange(builder, state.statements[first].body->getLoc(), state, loop,
                           getOrigin(loop, *axis).first)};
  }
  for (const LoopPart &part : parts)
    current = emitLoopPart(loop, part, carried, current);
  for (auto [value, result] : llvm::zip(carried, current))
    values[{ValueRef::Kind::Result, value.id, value.result}] = result;
}

void Materializer::emitNodes(ArrayRef<Node> nodes) {
  for (Node node : nodes) {
    if (node.isLoop())
      emitLoop(node.id);
    else
      emitStatement(node.id);
  }
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

SmallVector<ValueRef> Materializer::getEscaping(Node root) {
  SmallVector<ValueRef> escaping;
  SmallVector<unsigned> inside = state.getStatementsBelow(root);
  for (unsigned stmt : inside) {
    unsigned numResults = state.statements[stmt].body->getResultTypes().size();
    for (unsigned i = 0; i < numResults; ++i) {
      ValueRef value{ValueRef::Kind::Result, stmt, i};
      bool read = llvm::any_of(state.getReaders(stmt), [&](unsigned reader) {
        return !llvm::is_contained(inside, reader) &&
               llvm::any_of(state.statements[reader].reads,
                            [&](const Read &r) { return r.value == value; });
      });
      if (read || llvm::is_contained(state.outputs, value))
        escaping.push_back(value);
    }
  }
  return escaping;
}

void Materializer::finishGrid(GridOp grid, ArrayRef<ValueRef> escaping) {
  SmallVector<Value> tiles;
  SmallVector<Attribute> axes;
  for (const ValueRef &value : escaping) {
    tiles.push_back(values.at(value));
    SmallVector<Attribute> ofTile;
    for (const Statement::LocalAxis &local : state.statements[value.id].getParallelAxes())
      ofTile.push_back(
          getAxisAttr(state.axes[local.axis].name, local.axis, getTile(value.id, local.axis)));
    axes.push_back(builder.getArrayAttr(ofTile));
  }
  AssembleOp::create(builder, grid.getLoc(), tiles, builder.getArrayAttr(axes));
}

void Materializer::emitGrid(Node root) {
  SmallVector<ValueRef> escaping = getEscaping(root);
  if (escaping.empty())
    return; // nobody asks for what it computes
  SmallVector<Attribute> axes;
  SmallVector<unsigned> chain;
  SmallVector<Node> nodes{root};
  while (nodes.size() == 1 && nodes.front().isLoop() && state.loops[nodes.front().id].isGrid) {
    const Loop &loop = state.loops[nodes.front().id];
    chain.push_back(nodes.front().id);
    axes.push_back(getAxisAttr(state.axes[loop.axis].name, loop.axis, loop.tile.value));
    nodes = loop.children;
  }
  SmallVector<Type> types;
  for (const ValueRef &value : escaping) {
    SmallVector<int64_t> shape;
    for (const Statement::LocalAxis &local : state.statements[value.id].getParallelAxes())
      shape.push_back(state.axes[local.axis].extent);
    types.push_back(RankedTensorType::get(shape, getElementType(value)));
  }
  Location loc = state.statements[escaping.back().id].body->getLoc();
  auto grid = GridOp::create(builder, loc, types, builder.getArrayAttr(axes));
  if (LaunchOptions launch = state.getLaunch(root); !(launch == LaunchOptions()))
    grid->setAttr(kLaunchAttrName, LaunchAttr::get(builder.getContext(), launch.warps,
                                                   launch.stages, launch.persistent, launch.order));
  Block &block = grid.getBody().emplaceBlock();
  for (unsigned loop : chain)
    origins[loop] = block.addArgument(builder.getIndexType(), loc);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&block);
    std::map<ValueRef, Value> outside = values;
    emitNodes(nodes);
    finishGrid(grid, escaping);
    values = std::move(outside);
  }
  for (auto [value, result] : llvm::zip(escaping, grid.getOutputs()))
    values[value] = result;
}

/// Declares the dims that steps have made, such as those over parts.
void Materializer::declareDims() {
  SmallVector<Attribute> dims(kernel.getDims().getValue());
  for (const Axis &axis : state.axes)
    if (!kernel.lookupDim(axis.dim)) {
      dims.push_back(DimAttr::get(builder.getContext(), builder.getStringAttr(axis.dim),
                                  axis.extent, axis.hint));
      kernel.setDimsAttr(builder.getArrayAttr(dims));
    }
}

LogicalResult Materializer::run() {
  if (failed(checkComplete()))
    return failure();
  declareDims();
  Block &block = kernel.getBody().front();
  SmallVector<Operation *> old;
  for (Operation &op : block.without_terminator())
    old.push_back(&op);
  for (BlockArgument argument : block.getArguments())
    values[{ValueRef::Kind::Argument, argument.getArgNumber()}] = argument;
  ReturnOp end = kernel.getReturn();
  builder.setInsertionPoint(end);
  for (Node root : state.roots)
    emitGrid(root);
  SmallVector<Value> results;
  for (const ValueRef &value : state.outputs)
    results.push_back(values.at(value));
  end->setOperands(results);
  for (Operation *op : llvm::reverse(old))
    op->erase();
  return success();
}

LogicalResult mlir::nautilus::schedule::materialize(const State &state, KernelOp kernel) {
  return Materializer(state, kernel).run();
}

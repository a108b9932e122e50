// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a schedule state from IR: numbers the statements, follows values through loops to the
// statement that makes them, then unifies axes over the access maps.

#include "nautilus/Schedule/ReadState.h"
#include "nautilus/Schedule/Materialize.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

std::optional<unsigned> mlir::nautilus::schedule::getBareAxis(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition();
  return std::nullopt;
}

namespace {

/// An axis of a statement before unification. Loops take part through the origins of statements.
using Slot = std::pair<unsigned, unsigned>; // statement, position

class StateReader {
public:
  explicit StateReader(KernelOp kernel) : kernel(kernel) { state.name = kernel.getSymName().str(); }

  FailureOr<State> run();

private:
  void numberStatements();
  LogicalResult readBlock(Block &block, SmallVectorImpl<Node> &nodes);
  LogicalResult readGrid(GridOp grid);
  LogicalResult readFor(ForOp loop, SmallVectorImpl<Node> &nodes);
  void readSplits();
  template <typename StatementOp> LogicalResult readStatement(StatementOp op);
  LogicalResult readInits(ReduceOp op, Statement &statement);
  FailureOr<ValueRef> getRef(Operation *reader, Value value);
  /// The statement result that a value inside or after loops stands for.
  Value getSource(Value value);
  void unify();
  bool mayUnify(Slot a, Slot b);

  KernelOp kernel;
  State state;
  DenseMap<Operation *, unsigned> statementIds;
  DenseMap<Value, unsigned> loopOfOrigin;
  DenseSet<unsigned> splitLoops;
  DenseMap<unsigned, StringRef> partNames; // by loop over parts of a range: the axis of parts
  /// Per statement and axis: the loop whose origin it has, or -1.
  std::vector<SmallVector<int>> loopOfAxis;
  std::vector<SmallVector<AxisAttr>> localAxes;
  llvm::EquivalenceClasses<Slot> classes;
};

} // namespace

/// The loop that `loop` goes on from with the same carried values: an earlier part of one range.
static ForOp getEarlierPart(ForOp loop) {
  if (loop.getInits().empty())
    return {};
  auto earlier = loop.getInits().front().getDefiningOp<ForOp>();
  bool isPart = earlier && earlier.getAxis() == loop.getAxis() && loop.getLower() &&
                llvm::equal(earlier.getOutputs(), loop.getInits());
  return isPart ? earlier : ForOp();
}

/// The part of a split range whose body is read, because it has the masks.
static ForOp getReadPart(ForOp loop) {
  SmallVector<ForOp> parts;
  for (ForOp earlier = loop; earlier; earlier = getEarlierPart(earlier))
    parts.push_back(earlier);
  ForOp first = parts.back();
  for (ForOp next = first; next;) {
    if (!next->hasAttr(kBareAttrName))
      return next;
    ForOp later;
    if (next.getNumResults() != 0)
      for (Operation *user : next.getOutputs().front().getUsers())
        if (auto candidate = dyn_cast<ForOp>(user); candidate && getEarlierPart(candidate) == next)
          later = candidate;
    next = later;
  }
  return first;
}

/// Numbers statements in order. The parts of a split range have the same statements, which share
/// their numbers.
void StateReader::numberStatements() {
  unsigned count = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto loop = dyn_cast<ForOp>(op);
    if (loop && getEarlierPart(loop)) {
      SmallVector<Operation *> first, own;
      auto isStatement = [](Operation *op) { return isa<MapOp, ReduceOp>(op); };
      getEarlierPart(loop).walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isStatement(op))
          first.push_back(op);
      });
      loop.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isStatement(op))
          own.push_back(op);
      });
      for (auto [op, twin] : llvm::zip(own, first))
        statementIds[op] = statementIds.lookup(twin);
      return WalkResult::skip();
    }
    if (isa<MapOp, ReduceOp>(op))
      statementIds[op] = count++;
    return WalkResult::advance();
  });
  state.statements.resize(count);
  loopOfAxis.resize(count);
  localAxes.resize(count);
}

Value StateReader::getSource(Value value) {
  while (true) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return value;
    if (auto loop = dyn_cast<ForOp>(result.getOwner()))
      value = loop.getBody().front().getTerminator()->getOperand(result.getResultNumber());
    else if (auto grid = dyn_cast<GridOp>(result.getOwner()))
      value = grid.getAssemble().getTiles()[result.getResultNumber()];
    else
      return value;
  }
}

FailureOr<ValueRef> StateReader::getRef(Operation *reader, Value value) {
  ValueRef::Kind kind = ValueRef::Kind::Result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent == kernel)
      return ValueRef{ValueRef::Kind::Argument, argument.getArgNumber()};
    auto loop = dyn_cast<ForOp>(parent);
    if (!loop)
      return reader->emitOpError("expected to read a tensor, got a loop origin");
    value = argument.getOwner()->getTerminator()->getOperand(argument.getArgNumber() - 1);
    kind = ValueRef::Kind::Previous;
  }
  value = getSource(value);
  auto it = statementIds.find(value.getDefiningOp());
  if (it == statementIds.end())
    return reader->emitOpError("expected to read a kernel argument or the result of a statement, "
                               "got a value of another origin");
  return ValueRef{kind, it->second, cast<OpResult>(value).getResultNumber()};
}

LogicalResult StateReader::readInits(ReduceOp op, Statement &statement) {
  for (Value init : op.getInits()) {
    // Carried values and fills are what a reduction without start values gets.
    if (isa_and_nonnull<FillOp>(init.getDefiningOp()))
      continue;
    FailureOr<ValueRef> ref = getRef(op, init);
    if (failed(ref))
      return failure();
    if (ref->kind != ValueRef::Kind::Previous)
      statement.inits.push_back(*ref);
  }
  if (!statement.inits.empty() && statement.inits.size() != op.getInits().size())
    return op.emitOpError("expected all start values to be computed, or none");
  return success();
}

template <typename StatementOp> LogicalResult StateReader::readStatement(StatementOp op) {
  unsigned id = statementIds.lookup(op);
  Statement &statement = state.statements[id];
  statement.name = op.getName().str();
  statement.body = Body::get(op);
  statement.numParallel = op.getAxes().size();
  for (unsigned i = 0; i < op.getNumAxes(); ++i) {
    AxisAttr axis = op.getAxis(i);
    statement.axes.push_back({axis.getName().str(), 0});
    localAxes[id].push_back(axis);
    Value origin = op.getOrigin(i);
    auto it = loopOfOrigin.find(origin);
    if (origin && it == loopOfOrigin.end())
      return op.emitOpError("expected the origin of axis ")
             << axis.getName() << " to be that of a loop";
    loopOfAxis[id].push_back(origin ? static_cast<int>(it->second) : -1);
    classes.insert({id, i});
  }
  for (auto [input, map] : llvm::zip(op.getInputs(), op.getIndexingMaps())) {
    FailureOr<ValueRef> ref = getRef(op, input);
    if (failed(ref))
      return failure();
    statement.reads.push_back({*ref, cast<AffineMapAttr>(map).getValue()});
  }
  if constexpr (std::is_same_v<StatementOp, ReduceOp>)
    return readInits(op, statement);
  return success();
}

LogicalResult StateReader::readFor(ForOp loop, SmallVectorImpl<Node> &nodes) {
  if (getReadPart(loop) != loop)
    return success();
  unsigned id = state.loops.size();
  auto part = loop->getAttrOfType<StringAttr>(kPartAttrName);
  if (part)
    partNames[id] = part.getValue();
  else if (getEarlierPart(loop) || loop.getLower() || loop.getUpper())
    splitLoops.insert(id);
  state.loops.push_back({0, TileSize::get(loop.getAxis().getTile()), /*isGrid=*/false, {}, {}, {}});
  loopOfOrigin[loop.getBody().getArgument(0)] = id;
  nodes.push_back({Node::Kind::Loop, id});
  SmallVector<Node> children;
  if (failed(readBlock(loop.getBody().front(), children)))
    return failure();
  state.loops[id].children = std::move(children);
  return success();
}

LogicalResult StateReader::readGrid(GridOp grid) {
  SmallVector<Node> children;
  SmallVector<unsigned> chain;
  for (auto [origin, axis] : llvm::zip(grid.getBody().getArguments(), grid.getAxes())) {
    chain.push_back(state.loops.size());
    loopOfOrigin[origin] = chain.back();
    int64_t tile = cast<AxisAttr>(axis).getTile();
    state.loops.push_back({0, TileSize::get(tile), /*isGrid=*/true, {}, {}, {}});
  }
  if (failed(readBlock(grid.getBody().front(), children)))
    return failure();
  for (unsigned loop : llvm::reverse(chain)) {
    state.loops[loop].children = std::move(children);
    children = {Node{Node::Kind::Loop, loop}};
  }
  if (LaunchAttr launch = LaunchAttr::lookup(grid); launch && !children.empty())
    state.launches[state.getStatementsBelow(children.front()).front()] = {
        launch.getWarps(), launch.getStages(), launch.getPersistent(), launch.getOrder()};
  // A grid without axes of one statement or loop is a bare root; one of several would be split into
  // several roots, which has the same meaning.
  llvm::append_range(state.roots, children);
  return success();
}

LogicalResult StateReader::readBlock(Block &block, SmallVectorImpl<Node> &nodes) {
  for (Operation &op : block) {
    LogicalResult result = llvm::TypeSwitch<Operation *, LogicalResult>(&op)
                               .Case<MapOp, ReduceOp>([&](auto statement) {
                                 nodes.push_back({Node::Kind::Statement, statementIds.lookup(&op)});
                                 return readStatement(statement);
                               })
                               .Case<ForOp>([&](ForOp loop) { return readFor(loop, nodes); })
                               .Case<GridOp>([&](GridOp grid) { return readGrid(grid); })
                               .Case<ReturnOp>([&](ReturnOp op) {
                                 for (Value value : op.getOperands()) {
                                   FailureOr<ValueRef> ref = getRef(op, value);
                                   if (failed(ref))
                                     return LogicalResult(failure());
                                   state.outputs.push_back(*ref);
                                 }
                                 return success();
                               })
                               .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  return success();
}

/// Two axes become one only if they run over one dim and no statement has both: a statement that
/// reads a matrix at [i, i] and [i, j] doesn't make i and j one axis.
bool StateReader::mayUnify(Slot a, Slot b) {
  if (localAxes[a.first][a.second].getDim() != localAxes[b.first][b.second].getDim())
    return false;
  DenseSet<unsigned> statements;
  for (Slot slot : {a, b})
    for (auto it = classes.findLeader(slot); it != classes.member_end(); ++it)
      if (!statements.insert(it->first).second)
        return false;
  return true;
}

void StateReader::unify() {
  auto join = [&](Slot a, Slot b) {
    if (classes.getLeaderValue(a) != classes.getLeaderValue(b) && mayUnify(a, b))
      classes.unionSets(a, b);
  };
  // What one statement makes and another reads comes first: it decides what can be fused. Axes that
  // walk one argument alike share a pass over it, unless that contradicts the former.
  std::map<std::pair<unsigned, unsigned>, Slot> firstOnArgument;
  for (bool ofArguments : {false, true})
    for (auto [id, statement] : llvm::enumerate(state.statements))
      for (const Read &read : statement.reads) {
        if ((read.value.kind == ValueRef::Kind::Argument) != ofArguments)
          continue;
        for (auto [dim, expr] : llvm::enumerate(read.map.getResults())) {
          std::optional<unsigned> axis = getBareAxis(expr);
          if (!axis)
            continue;
          Slot slot(id, *axis), other(read.value.id, dim);
          if (ofArguments)
            other = firstOnArgument.try_emplace({read.value.id, dim}, slot).first->second;
          join(slot, other);
        }
      }
  // Number the classes by their first member, and name them after it.
  std::map<Slot, unsigned> numbers;
  llvm::StringSet<> names;
  for (auto [id, statement] : llvm::enumerate(state.statements))
    for (auto [i, local] : llvm::enumerate(statement.axes)) {
      auto [it, isNew] = numbers.try_emplace(classes.getLeaderValue(Slot(id, i)), numbers.size());
      local.axis = it->second;
      if (loopOfAxis[id][i] >= 0)
        state.loops[loopOfAxis[id][i]].axis = local.axis;
      if (!isNew)
        continue;
      std::string name = local.name;
      for (unsigned n = 1; !names.insert(name).second; ++n)
        name = local.name + "$" + std::to_string(n);
      DimAttr dim = kernel.lookupDim(localAxes[id][i].getDim());
      state.axes.push_back({name, dim.getName().str(), dim.getSize(), dim.getHint()});
    }
}

/// The ranges of split loops follow from the masks below them, those of parts from a loop around.
void StateReader::readSplits() {
  for (auto [loop, name] : partNames) {
    unsigned stmt = state.getStatementsBelow({Node::Kind::Loop, loop}).front();
    if (std::optional<unsigned> axis = state.statements[stmt].findAxis(name))
      state.loops[loop].part = state.statements[stmt].axes[*axis].axis;
  }
  for (unsigned loop : splitLoops)
    state.loops[loop].split = findMasks(state, loop);
}

FailureOr<State> StateReader::run() {
  for (auto tensor : kernel.getArguments().getAsRange<TensorAttr>())
    state.arguments.push_back(tensor.getName().getValue().str());
  numberStatements();
  if (failed(readBlock(kernel.getBody().front(), state.roots)))
    return failure();
  unify();
  readSplits();
  return std::move(state);
}

FailureOr<State> mlir::nautilus::schedule::readState(KernelOp kernel) {
  return StateReader(kernel).run();
}

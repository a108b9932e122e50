// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primitive split_reduce: the reductions that a serial loop carries are computed for parts of
// its range at the same time, and merged by a launch of their own (split-K, flash decoding).
//
// Each part runs the loop as it is, so that part p ends with its own values: t_p of a reduction and
// r_p of those that repair it. The repair h that the loop applies when r moves on is also what
// makes t_p comparable: t is the sum of h(t_p; r_p, r) over the parts, with r merged before. A part
// without elements has the identity, which h keeps. So nothing is derived here: repairs are
// statements of the loop, and the merge has copies of them that read parts in place of old values.

#include "Edits.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

static constexpr int64_t kMaxParts = 1024;

namespace {
class Splitter {
public:
  Splitter(const State &state, unsigned loop, int64_t parts)
      : state(state), next(state), loop(loop), parts(parts) {}
  Proposal run();

private:
  std::optional<Reason> check();
  void addPartAxis();
  void splitStatement(unsigned stmt);
  std::optional<Reason> addMerge(unsigned member);
  std::optional<unsigned> copyRepair(unsigned stmt, SmallVectorImpl<Node> &nodes);
  Read withPart(Read read, bool inMerge);
  Node wrap(SmallVector<Node> nodes, bool withParts);
  Reason refuse(StringRef why) const {
    return Reason(ReasonCode::NotSplittable, {state.axes[state.loops[loop].axis].name, why});
  }
  bool isInside(unsigned stmt) const { return llvm::is_contained(inside, stmt); }
  bool isMember(unsigned stmt) const { return llvm::is_contained(members, stmt); }

  const State &state;
  State next;
  unsigned loop;
  int64_t parts;
  unsigned partAxis = 0;
  std::string partName;
  SmallVector<unsigned> grid;            // loops around, outermost first
  SmallVector<Node> before, after;       // children of the innermost of them, around the loop
  SmallVector<unsigned> inside, members; // statements below the loop; those that it carries
  DenseMap<unsigned, unsigned> partOf;   // by member: the statement that computes its parts
  DenseMap<unsigned, unsigned> copies;   // of repairs
  SmallVector<Node> merges;
};
} // namespace

/// `base`, or `base.1`, `base.2`, …
static std::string getFreshName(const std::string &base, function_ref<bool(StringRef)> isTaken) {
  std::string name = base;
  for (unsigned i = 1; isTaken(name); ++i)
    name = base + "." + std::to_string(i);
  return name;
}

//===-- What stands against it -----------------------------------------------------===//

std::optional<Reason> Splitter::check() {
  const Loop &info = state.loops[loop];
  if (!state.isReductionLoop(loop))
    return Reason(ReasonCode::NotSerial, {state.axes[info.axis].name});
  if (info.split || info.part)
    return refuse("its range is split already");
  Node node{Node::Kind::Loop, loop};
  inside = state.getStatementsBelow(node);
  for (unsigned outer : state.getLoopsAround(inside.front())) {
    if (outer == loop)
      break;
    if (state.isReductionLoop(outer))
      return refuse("it stands in another serial loop");
    grid.push_back(outer);
  }
  ArrayRef<Node> siblings = grid.empty() ? ArrayRef<Node>(node) : state.loops[grid.back()].children;
  const Node *place = llvm::find(siblings, node);
  before.assign(siblings.begin(), place);
  after.assign(place + 1, siblings.end());
  for (unsigned outer : ArrayRef(grid).drop_back(grid.empty() ? 0 : 1))
    if (state.loops[outer].children.size() != 1)
      return refuse("statements stand between the loops around it");
  for (unsigned stmt : inside)
    if (state.isCarriedBy(stmt, loop))
      members.push_back(stmt);
  for (Node child : before)
    for (unsigned stmt : state.getStatementsBelow(child)) {
      if (state.isOutput(stmt))
        return refuse("'" + state.statements[stmt].name + "' before it is a result");
      for (unsigned reader : state.getReaders(stmt))
        if (!isInside(reader) && llvm::none_of(before, [&](Node other) {
              return llvm::is_contained(state.getStatementsBelow(other), reader);
            }))
          return refuse("'" + state.statements[stmt].name + "' before it is read after it");
    }
  return std::nullopt;
}

//===-- The parts ------------------------------------------------------------------===//

/// The axis over parts, and its dim, under names that nothing has.
void Splitter::addPartAxis() {
  const Axis &axis = state.axes[state.loops[loop].axis];
  partName = getFreshName(axis.name + ".part", [&](StringRef name) {
    return llvm::any_of(state.axes, [&](const Axis &other) { return other.name == name; });
  });
  std::string dim = getFreshName(axis.dim + ".parts", [&](StringRef name) {
    return llvm::any_of(state.axes, [&](const Axis &other) { return other.dim == name; });
  });
  partAxis = next.axes.size();
  next.axes.push_back({partName, dim, parts, 0});
}

/// A read by a statement that has the part axis as its first.
Read Splitter::withPart(Read read, bool inMerge) {
  read.map = read.map.shiftDims(1);
  bool isPart = false;
  if (read.value.kind != ValueRef::Kind::Argument) {
    unsigned from = read.value.id;
    bool isOld = read.value.kind == ValueRef::Kind::Previous;
    if (isMember(from) && (!inMerge || isOld)) {
      read.value.id = partOf.lookup(from);
      isPart = true;
      if (inMerge)
        read.value.kind = ValueRef::Kind::Result;
    } else if (inMerge && copies.contains(from)) {
      read.value.id = copies.lookup(from);
      isPart = true;
    } else if (!inMerge) {
      isPart = isInside(from) || llvm::any_of(before, [&](Node node) {
                 return llvm::is_contained(state.getStatementsBelow(node), from);
               });
    }
  }
  if (isPart)
    read.map = read.map.insertResult(getAffineDimExpr(0, read.map.getContext()), 0);
  return read;
}

void Splitter::splitStatement(unsigned stmt) {
  Statement statement = state.statements[stmt];
  statement.axes.insert(statement.axes.begin(), Statement::LocalAxis{partName, partAxis});
  ++statement.numParallel;
  for (Read &read : statement.reads)
    read = withPart(read, /*inMerge=*/false);
  unsigned id = isMember(stmt) ? partOf.lookup(stmt) : stmt;
  if (isMember(stmt))
    statement.name = state.getFreshName(statement.name + ".split");
  for (ValueRef &init : statement.inits)
    if (init.kind != ValueRef::Kind::Argument && isMember(init.id))
      init.id = partOf.lookup(init.id);
  next.statements[id] = std::move(statement);
}

/// `nodes` in copies of the grid loops around, and in one over parts.
Node Splitter::wrap(SmallVector<Node> nodes, bool withParts) {
  auto put = [&](Loop outer) {
    outer.children = std::move(nodes);
    nodes = {Node{Node::Kind::Loop, static_cast<unsigned>(next.loops.size())}};
    next.loops.push_back(std::move(outer));
  };
  // Loops that aren't bound yet would be serial ones around the grid.
  bool areBound = llvm::all_of(grid, [&](unsigned outer) { return state.loops[outer].isGrid; });
  if (withParts)
    put({partAxis, TileSize::get(1), areBound, {}, {}, {}});
  for (unsigned outer : llvm::reverse(grid))
    put({state.loops[outer].axis, state.loops[outer].tile, state.loops[outer].isGrid, {}, {}, {}});
  return nodes.front();
}

//===-- The merge ------------------------------------------------------------------===//

/// A copy for the merge of an elementwise statement that a repair is made of, after copies of what
/// it reads; nothing if it depends on the iteration.
std::optional<unsigned> Splitter::copyRepair(unsigned stmt, SmallVectorImpl<Node> &nodes) {
  if (auto it = copies.find(stmt); it != copies.end())
    return it->second;
  Statement statement = state.statements[stmt];
  if (statement.isReduce() || statement.hasAxis(state.loops[loop].axis))
    return std::nullopt;
  for (const Read &read : statement.reads) {
    bool isLocal = read.value.kind == ValueRef::Kind::Result && isInside(read.value.id);
    if (isLocal && !isMember(read.value.id) && !copyRepair(read.value.id, nodes))
      return std::nullopt;
    if (read.value.kind != ValueRef::Kind::Argument && !isInside(read.value.id) &&
        state.getRoot(read.value.id) == state.getRoot(stmt))
      return std::nullopt; // made before the loop, in the other launch
  }
  statement.axes.insert(statement.axes.begin(), Statement::LocalAxis{partName, partAxis});
  ++statement.numParallel;
  for (Read &read : statement.reads)
    read = withPart(read, /*inMerge=*/true);
  statement.name = getFreshName(statement.name + ".merge", [&](StringRef name) {
    return llvm::any_of(next.statements, [&](const Statement &s) { return s.name == name; });
  });
  unsigned id = next.statements.size();
  next.statements.push_back(std::move(statement));
  nodes.push_back({Node::Kind::Statement, id});
  return copies[stmt] = id;
}

/// Makes `member` the reduction over its parts, in a loop of its own.
std::optional<Reason> Splitter::addMerge(unsigned member) {
  const Statement &old = state.statements[member];
  MLIRContext *context = old.body->getLoc().getContext();
  SmallVector<Node> nodes;
  Statement merged;
  merged.name = old.name;
  merged.axes.assign(old.getParallelAxes().begin(), old.getParallelAxes().end());
  merged.numParallel = merged.axes.size();
  merged.axes.push_back({partName, partAxis});
  copies.clear();
  SmallVector<AffineExpr> at = {getAffineDimExpr(merged.numParallel, context)};
  for (unsigned i = 0; i < merged.numParallel; ++i)
    at.push_back(getAffineDimExpr(i, context));
  auto map = AffineMap::get(merged.axes.size(), 0, at, context);
  std::shared_ptr<Body> body = old.body->cloneWithoutRegion();
  Block &block = body->getRegion().emplaceBlock();
  for (auto [i, type] : llvm::enumerate(old.body->getResultTypes())) {
    ValueRef value{ValueRef::Kind::Result, partOf.lookup(member), static_cast<unsigned>(i)};
    if (!old.inits.empty()) {
      std::optional<unsigned> repair = copyRepair(old.inits[i].id, nodes);
      if (!repair)
        return refuse("the repair of '" + old.name + "' depends on its iterations");
      value = {ValueRef::Kind::Result, *repair, 0};
    }
    merged.reads.push_back({value, map});
    block.addArgument(type, body->getLoc());
  }
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  YieldOp::create(builder, body->getLoc(), block.getArguments());
  merged.body = std::move(body);
  next.statements[member] = std::move(merged);
  nodes.push_back({Node::Kind::Statement, member});
  merges.push_back({Node::Kind::Loop, static_cast<unsigned>(next.loops.size())});
  next.loops.push_back({partAxis, TileSize::get(1), /*isGrid=*/false, std::move(nodes), {}, {}});
  return std::nullopt;
}

Proposal Splitter::run() {
  if (std::optional<Reason> reason = check())
    return *reason;
  LaunchOptions options = state.getLaunch(state.roots[state.getRoot(inside.front())]);
  addPartAxis();
  for (unsigned member : members) {
    partOf[member] = next.statements.size();
    next.statements.emplace_back();
  }
  SmallVector<unsigned> split(inside);
  for (Node node : before)
    llvm::append_range(split, state.getStatementsBelow(node));
  for (unsigned stmt : split)
    splitStatement(stmt);
  // Below the loop members become those that compute their parts.
  for (unsigned i = 0, e = next.loops.size(); i < e; ++i)
    for (Node &child : next.loops[i].children)
      if (!child.isLoop() && isMember(child.id))
        child.id = partOf.lookup(child.id);
  next.loops[loop].part = partAxis;
  for (unsigned member : members)
    if (std::optional<Reason> reason = addMerge(member))
      return *reason;
  SmallVector<Node> first(before), second(merges);
  first.push_back({Node::Kind::Loop, loop});
  llvm::append_range(second, after);
  unsigned root = state.getRoot(inside.front());
  next.roots[root] = wrap(first, /*withParts=*/true);
  if (grid.empty()) // the merge loops and what follows are roots by themselves
    next.roots.insert(next.roots.begin() + root + 1, merges.begin(), merges.end());
  else
    next.roots.insert(next.roots.begin() + root + 1, wrap(second, /*withParts=*/false));
  for (unsigned stmt : state.getStatementsBelow(state.roots[root]))
    next.launches.erase(stmt);
  if (!(options == LaunchOptions()))
    next.launches[partOf.lookup(members.front())] = options;
  return next;
}

Proposal mlir::nautilus::schedule::propose(const State &state, const SplitReduce &step) {
  auto found = findLoop(state, step.statement, step.axis);
  if (auto *reason = std::get_if<Reason>(&found))
    return *reason;
  int64_t parts = step.parts.value;
  if (parts < 2 || parts > kMaxParts)
    return Reason(ReasonCode::BadPartCount,
                  {step.axis, std::to_string(kMaxParts), std::to_string(parts)});
  return Splitter(state, std::get<unsigned>(found), parts).run();
}

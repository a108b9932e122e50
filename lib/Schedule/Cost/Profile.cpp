// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the work of each kernel. Bodies of all statements of a kernel become one expression DAG
// whose leaves are tensors at subscripts, so that what several statements compute alike counts
// once, and each node counts for the elements of the axes that it depends on, as the conversion to
// tiles computes it.

#include "Profile.h"

#include "nautilus/Interfaces/Combiner.h"
#include "nautilus/Schedule/Contraction.h"
#include "nautilus/Schedule/Cost.h"
#include "nautilus/Schedule/DefaultSchedule.h"
#include "nautilus/Schedule/ExprIR.h"
#include "nautilus/Schedule/ReadState.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallSet.h"

#include <set>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;
using llvm::SmallBitVector;

int64_t Profile::getExtent(unsigned axis) const {
  const Axis &info = state.axes[axis];
  if (!ShapedType::isDynamic(info.extent))
    return info.extent;
  return info.hint ? info.hint : kUnknownExtent;
}

int64_t Profile::getExtentOfDim(StringRef dim) const {
  for (auto [i, axis] : llvm::enumerate(state.axes))
    if (axis.dim == dim)
      return getExtent(i);
  return kUnknownExtent;
}

namespace {

/// A tensor at subscripts.
struct LeafInfo {
  ValueRef value;
  AffineMap map; // from State::axes
  SmallBitVector axes;
  int64_t bits;
};

/// The values of a statement's body, and where it stands.
struct Imported {
  unsigned stmt;
  Path loops; // all around it, grid loops first
  SmallVector<Expr> roots, masked;
  std::optional<Contraction> contraction;
};

class KernelCounter {
public:
  KernelCounter(const State &state, unsigned root) : state(state), root(root) {
    order = state.getStatementsBelow(state.roots[root]);
  }
  KernelProfile run();

private:
  void findLoops();
  void findMaskedLoops();
  SmallVector<Expr> importRegion(unsigned stmt, Region &region);
  Expr importRead(const Statement &statement, const Read &read, Type type);
  Imported importStatement(unsigned stmt);
  void findEqual(ArrayRef<Imported> all);
  const SmallBitVector &getLeaves(Expr e);
  SmallBitVector getAxes(Expr e);
  /// Of `loops`, those that make `e` anew in each iteration.
  Path getPath(Expr e, ArrayRef<unsigned> loops);
  Path getPath(const SmallBitVector &axes, ArrayRef<unsigned> producers, ArrayRef<unsigned> loops);
  Spans getSpans(const SmallBitVector &axes, ArrayRef<unsigned> loops) const;
  unsigned getCommonDepth(unsigned stmt, ArrayRef<unsigned> loops) const;

  void count(const Imported &imported);
  void countTree(Expr e, const Imported &imported, bool isMasked);
  void countNodeOf(Expr e, const Imported &imported, bool isMasked);
  void countLeaf(unsigned leaf, const Imported &imported, bool isOperand);
  void countDot(const Imported &imported);
  void countReduction(const Imported &imported);
  void countResults(const Imported &imported);
  unsigned getScratch(Expr e);
  bool isScale(Expr e) const;

  const State &state;
  unsigned root;
  SmallVector<unsigned> order;
  KernelProfile kernel;
  std::map<unsigned, std::shared_ptr<const Body>> bareBodies;
  ExprContext context;
  std::vector<LeafInfo> leaves;
  llvm::DenseMap<Expr, SmallBitVector> leavesOf;
  llvm::DenseMap<Expr, unsigned> uses;
  std::set<std::pair<Expr, Path>> counted;
  std::map<std::pair<unsigned, Path>, unsigned> loaded;
  /// The first of those elementwise statements that compute the same.
  std::map<unsigned, unsigned> canonical;
  bool hasExponential = false;
};

} // namespace

static int64_t getBits(Type type) {
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

//===-- Loops ---------------------------------------------------------------------===//

void KernelCounter::findLoops() {
  std::function<void(Node)> visit = [&](Node node) {
    if (!node.isLoop())
      return;
    const Loop &loop = state.loops[node.id];
    (loop.isGrid ? kernel.gridLoops : kernel.serialLoops).push_back(node.id);
    llvm::for_each(loop.children, visit);
  };
  visit(state.roots[root]);
}

void KernelCounter::findMaskedLoops() {
  for (unsigned loop : kernel.serialLoops) {
    std::optional<MaskSplit> split = state.loops[loop].split;
    // Below this level iterations without effect are dropped and masks split off by themselves.
    if (!split && (split = findMasks(state, loop)) && !isIdleWhenMasked(state, loop))
      split.reset();
    if (!split)
      continue;
    kernel.masks.push_back({loop, split->conditions});
    for (auto &[stmt, body] : split->bareBodies)
      bareBodies[stmt] = body;
  }
}

unsigned KernelCounter::getCommonDepth(unsigned stmt, ArrayRef<unsigned> loops) const {
  SmallVector<unsigned> around = state.getLoopsAround(stmt);
  unsigned depth = 0;
  while (depth < around.size() && depth < loops.size() && around[depth] == loops[depth])
    ++depth;
  return depth;
}

Path KernelCounter::getPath(const SmallBitVector &axes, ArrayRef<unsigned> producers,
                            ArrayRef<unsigned> loops) {
  unsigned depth = 0;
  for (auto [i, loop] : llvm::enumerate(loops))
    if (axes.test(state.loops[loop].axis))
      depth = i + 1;
  for (unsigned stmt : producers)
    depth = std::max(depth, getCommonDepth(stmt, loops));
  Path path;
  for (unsigned loop : loops.take_front(depth))
    if (!state.loops[loop].isGrid)
      path.push_back(loop);
  return path;
}

Path KernelCounter::getPath(Expr e, ArrayRef<unsigned> loops) {
  SmallVector<unsigned> producers;
  for (unsigned leaf : getLeaves(e).set_bits()) {
    const ValueRef &value = leaves[leaf].value;
    if (value.kind != ValueRef::Kind::Argument && llvm::is_contained(order, value.id))
      producers.push_back(value.id);
  }
  return getPath(getAxes(e), producers, loops);
}

Spans KernelCounter::getSpans(const SmallBitVector &axes, ArrayRef<unsigned> loops) const {
  Spans spans;
  for (unsigned axis : axes.set_bits()) {
    int found = -1;
    for (unsigned loop : loops)
      if (state.loops[loop].axis == axis)
        found = loop;
    spans.push_back({axis, found});
  }
  return spans;
}

//===-- Bodies --------------------------------------------------------------------===//

Expr KernelCounter::importRead(const Statement &statement, const Read &read, Type type) {
  MLIRContext *mlir = read.map.getContext();
  SmallVector<AffineExpr> axes;
  for (const Statement::LocalAxis &local : statement.axes)
    axes.push_back(getAffineDimExpr(local.axis, mlir));
  AffineMap map = read.map.replaceDimsAndSymbols(axes, {}, state.axes.size(), 0);
  std::optional<ScalarType> scalar = getScalarType(type);
  if (!scalar)
    return nullptr;
  ValueRef value = read.value;
  if (auto first = canonical.find(value.id);
      value.kind == ValueRef::Kind::Result && first != canonical.end())
    value.id = first->second;
  for (auto [i, leaf] : llvm::enumerate(leaves))
    if (leaf.value == value && leaf.map == map)
      return context.leaf(LeafRole::Element, i, *scalar);
  SmallBitVector walked(state.axes.size());
  for (AffineExpr expr : map.getResults())
    for (unsigned axis = 0; axis < state.axes.size(); ++axis)
      if (expr.isFunctionOfDim(axis))
        walked.set(axis);
  leaves.push_back({value, map, walked, getBits(type)});
  return context.leaf(LeafRole::Element, leaves.size() - 1, *scalar);
}

SmallVector<Expr> KernelCounter::importRegion(unsigned stmt, Region &region) {
  const Statement &statement = state.statements[stmt];
  SmallVector<Expr> arguments;
  for (auto [read, argument] : llvm::zip(statement.reads, region.front().getArguments())) {
    arguments.push_back(importRead(statement, read, argument.getType()));
    if (!arguments.back())
      return {};
  }
  auto leafOfOp = [&](Operation *op) -> Expr {
    if (auto index = dyn_cast<scalar::IndexOp>(op))
      return context.leaf(LeafRole::AxisIndex,
                          statement.axes[*statement.findAxis(index.getAxis())].axis,
                          ScalarType::Index);
    if (isa<scalar::DimOp>(op))
      return context.leaf(LeafRole::DimExtent, 0, ScalarType::Index);
    return nullptr;
  };
  FailureOr<SmallVector<Expr>> roots = importBody(context, region.front(), arguments, leafOfOp);
  return succeeded(roots) ? *roots : SmallVector<Expr>();
}

Imported KernelCounter::importStatement(unsigned stmt) {
  const Statement &statement = state.statements[stmt];
  Imported imported{stmt, Path(state.getLoopsAround(stmt)), {}, {}, findContraction(statement)};
  auto bare = bareBodies.find(stmt);
  const Body &body = bare != bareBodies.end() ? *bare->second : *statement.body;
  imported.roots = importRegion(stmt, body.getRegion());
  if (bare != bareBodies.end())
    imported.masked = importRegion(stmt, statement.body->getRegion());
  if (imported.roots.size() != 1 || imported.roots[0]->getOp() != ExprOp::Mul)
    imported.contraction.reset();
  return imported;
}

/// Notes a statement before the last of `all` that computes what the last one does.
void KernelCounter::findEqual(ArrayRef<Imported> all) {
  const Imported &last = all.back();
  const Statement &statement = state.statements[last.stmt];
  if (statement.isReduce() || last.roots.empty() || state.isOutput(last.stmt))
    return;
  auto getAxesOf = [&](unsigned stmt) {
    return llvm::map_to_vector(state.statements[stmt].axes, [](auto &local) { return local.axis; });
  };
  for (const Imported &other : all.drop_back())
    if (!state.statements[other.stmt].isReduce() && other.roots == last.roots &&
        other.masked == last.masked && other.loops == last.loops &&
        getAxesOf(other.stmt) == getAxesOf(last.stmt)) {
      canonical[last.stmt] = other.stmt;
      return;
    }
}

const SmallBitVector &KernelCounter::getLeaves(Expr e) {
  auto known = leavesOf.find(e);
  if (known != leavesOf.end() && known->second.size() >= leaves.size())
    return known->second;
  SmallBitVector set(leaves.size());
  if (e->isLeaf(LeafRole::Element))
    set.set(e->getIndex());
  for (Expr operand : e->getOperands())
    set |= getLeaves(operand);
  return leavesOf[e] = set;
}

SmallBitVector KernelCounter::getAxes(Expr e) {
  SmallBitVector axes(state.axes.size());
  for (unsigned leaf : getLeaves(e).set_bits())
    axes |= leaves[leaf].axes;
  for (Expr leaf : schedule::getLeaves(e))
    if (leaf->isLeaf(LeafRole::AxisIndex))
      axes.set(leaf->getIndex());
  return axes;
}

//===-- Counting ------------------------------------------------------------------===//

/// A product with a constant: the tile algebra folds it into exponentials behind it.
bool KernelCounter::isScale(Expr e) const {
  return hasExponential && (e->getOp() == ExprOp::Mul || e->getOp() == ExprOp::Div) &&
         e->getOperand(e->getOperand(0)->isConstant() ? 0 : 1)->isConstant();
}

void KernelCounter::countNodeOf(Expr e, const Imported &imported, bool isMasked) {
  Path path = getPath(e, imported.loops);
  if (e->isConstant() || !counted.insert({e, path}).second)
    return;
  if (e->isLeaf(LeafRole::Element))
    return countLeaf(e->getIndex(), imported, /*isOperand=*/false);
  OpCounts ops = schedule::countNode(e);
  auto isOp = [&](Expr operand, ExprOp op) { return operand->getOp() == op; };
  bool isSum = e->getOp() == ExprOp::Add || e->getOp() == ExprOp::Sub;
  if (isSum && isFloat(e->getType()) && llvm::any_of(e->getOperands(), [&](Expr operand) {
        return isOp(operand, ExprOp::Mul) && uses.lookup(operand) == 1;
      }))
    --ops.fma; // one multiply-add
  if (isScale(e))
    ops = {};
  if (e->getOp() == ExprOp::Exp &&
      (isOp(e->getOperand(0), ExprOp::Sub) || isOp(e->getOperand(0), ExprOp::Add)))
    ops.fma = 0; // its scale is part of the sum
  SmallBitVector axes = getAxes(e);
  if (e->getOp() == ExprOp::Div && isFloat(e->getType())) {
    Expr divisor = e->getOperand(1);
    SmallBitVector own = getAxes(divisor);
    ops = OpCounts{0, 1, 0};
    OpCounts reciprocal{divisor->isConstant() ? 0u : 1u, 0, 0};
    Path divisorPath = own == axes ? path : getPath(divisor, imported.loops);
    kernel.ops.push_back({getSpans(own, imported.loops), divisorPath, reciprocal, isMasked});
  }
  if (ops.mufu || ops.fma || ops.alu)
    kernel.ops.push_back({getSpans(axes, imported.loops), path, ops, isMasked});
}

void KernelCounter::countTree(Expr e, const Imported &imported, bool isMasked) {
  if (counted.count({e, getPath(e, imported.loops)}))
    return;
  for (Expr operand : e->getOperands())
    countTree(operand, imported, isMasked);
  if (!isMasked || !isFloat(e->getType()) || e->getOp() == ExprOp::Select || e->isLeaf())
    countNodeOf(e, imported, isMasked);
}

void KernelCounter::countLeaf(unsigned number, const Imported &imported, bool isOperand) {
  const LeafInfo &leaf = leaves[number];
  if (leaf.value.kind != ValueRef::Kind::Argument && llvm::is_contained(order, leaf.value.id))
    return; // a tile of this kernel
  Path path = getPath(leaf.axes, {}, imported.loops);
  auto [known, isNew] = loaded.try_emplace({number, path}, kernel.memory.size());
  if (!isNew) {
    kernel.memory[known->second].isOperand &= isOperand;
    return;
  }
  MemoryItem item;
  item.tensor = leaf.value;
  item.spans = getSpans(leaf.axes, imported.loops);
  if (leaf.map.getNumResults() != 0)
    if (std::optional<unsigned> last = getBareAxis(leaf.map.getResults().back()))
      for (auto [i, span] : llvm::enumerate(item.spans))
        if (span.axis == *last)
          item.inner = i;
  item.path = path;
  item.bits = leaf.bits;
  item.isWorkspace = leaf.value.kind != ValueRef::Kind::Argument;
  item.isOperand = isOperand;
  kernel.memory.push_back(item);
}

/// The value below casts that widen; what tensor cores read.
static Expr stripWidening(Expr e) {
  while (e->getOp() == ExprOp::Cast && isFloat(e->getType()) &&
         isFloat(e->getOperand(0)->getType()) &&
         getBitWidth(e->getOperand(0)->getType()) < getBitWidth(e->getType()))
    e = e->getOperand(0);
  return e;
}

void KernelCounter::countDot(const Imported &imported) {
  const Statement &statement = state.statements[imported.stmt];
  DotItem dot;
  SmallBitVector all(state.axes.size());
  for (auto [i, local] : llvm::enumerate(statement.axes)) {
    all.set(local.axis);
    SmallBitVector one(state.axes.size());
    one.set(local.axis);
    dot.spans.append(getSpans(one, imported.loops));
  }
  dot.rows = imported.contraction->rows;
  dot.columns = imported.contraction->columns;
  dot.depth = imported.contraction->depth;
  SmallVector<unsigned> producers = {imported.stmt};
  for (unsigned leaf : getLeaves(imported.roots[0]).set_bits())
    if (leaves[leaf].value.kind != ValueRef::Kind::Argument &&
        llvm::is_contained(order, leaves[leaf].value.id))
      producers.push_back(leaves[leaf].value.id);
  dot.path = getPath(all, producers, imported.loops);
  Expr factors[2] = {stripWidening(imported.roots[0]->getOperand(0)),
                     stripWidening(imported.roots[0]->getOperand(1))};
  if (getAxes(factors[1]).test(statement.axes[dot.rows].axis))
    std::swap(factors[0], factors[1]);
  auto is16Bit = [](Expr e) {
    return e->getType() == ScalarType::F16 || e->getType() == ScalarType::BF16;
  };
  if (is16Bit(factors[0]) && factors[0]->getType() == factors[1]->getType())
    dot.operandBits = 16;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    bool isLoad = factor->isLeaf(LeafRole::Element) &&
                  (leaves[factor->getIndex()].value.kind == ValueRef::Kind::Argument ||
                   !llvm::is_contained(order, leaves[factor->getIndex()].value.id));
    (i == 0 ? dot.isLeftLoaded : dot.isRightLoaded) = isLoad;
    if (isLoad) {
      std::optional<unsigned> inner =
          getBareAxis(leaves[factor->getIndex()].map.getResults().back());
      (i == 0 ? dot.isLeftAlongDepth : dot.isRightAlongDepth) =
          inner == statement.axes[dot.depth].axis;
    }
    if (isLoad)
      countLeaf(factor->getIndex(), imported, /*isOperand=*/true);
    else
      countTree(factor, imported, /*isMasked=*/false);
  }
  kernel.dots.push_back(dot);
}

static OpCounts getCombineCounts(Region &combiner, Type type) {
  switch (classifyCombiner(combiner)) {
  case CombinerKind::Add:
  case CombinerKind::Mul:
    return isa<FloatType>(type) ? OpCounts{0, 1, 0} : OpCounts{0, 0, 1};
  case CombinerKind::Custom:
    return OpCounts{0, 0, 6};
  default:
    return OpCounts{0, 0, 1};
  }
}

void KernelCounter::countReduction(const Imported &imported) {
  const Statement &statement = state.statements[imported.stmt];
  Type type = statement.body->getResultTypes().front();
  OpCounts combine = getCombineCounts(statement.body->getCombiner(), type);
  SmallBitVector all(state.axes.size()), kept(state.axes.size());
  for (auto [i, local] : llvm::enumerate(statement.axes)) {
    all.set(local.axis);
    if (i < statement.numParallel)
      kept.set(local.axis);
  }
  // A sum of products is one multiply-add each.
  bool isMultiplyAdd = combine.fma && imported.roots.size() == 1 &&
                       imported.roots[0]->getOp() == ExprOp::Mul &&
                       uses.lookup(imported.roots[0]) <= 1 && isFloat(imported.roots[0]->getType());
  if (isMultiplyAdd && !imported.contraction)
    combine.fma = 0;
  SmallVector<unsigned> producers = {imported.stmt};
  Path path = getPath(all, producers, imported.loops);
  if (!imported.contraction)
    kernel.ops.push_back({getSpans(all, imported.loops), path, combine, false});
  // Lanes exchange their parts, and a start value joins.
  OpCounts rest{0, !statement.inits.empty(), imported.contraction ? 0u : 10u};
  if (!imported.contraction)
    kernel.ops.push_back({getSpans(kept, imported.loops), path, rest, false});
}

/// Values as wide as `e` that are alive at once while it is computed, beside one that its operands
/// and its result share. Tiles are computed one operation after the other.
unsigned KernelCounter::getScratch(Expr e) {
  SmallBitVector axes = getAxes(e);
  llvm::DenseMap<Expr, unsigned> left; // uses to come
  SmallVector<Expr> sequence;
  std::function<void(Expr)> visit = [&](Expr node) {
    if (left[node]++ != 0)
      return;
    llvm::for_each(node->getOperands(), visit);
    if (!node->isLeaf() && !node->isConstant() && getAxes(node) == axes)
      sequence.push_back(node);
  };
  visit(e);
  int alive = 0, most = 1;
  for (Expr node : sequence) {
    for (Expr operand : node->getOperands())
      if (llvm::is_contained(sequence, operand) && --left[operand] == 0)
        --alive;
    ++alive;
    // An error function is a polynomial and an exponential: one more value than it seems.
    most = std::max(most, alive + (node->getOp() == ExprOp::Erf));
  }
  return most - 1;
}

void KernelCounter::countResults(const Imported &imported) {
  unsigned stmt = imported.stmt;
  const Statement &statement = state.statements[stmt];
  SmallBitVector kept(state.axes.size());
  for (const Statement::LocalAxis &local : statement.getParallelAxes())
    kept.set(local.axis);
  unsigned first = llvm::find(order, stmt) - order.begin(), last = first;
  bool isStored = state.isOutput(stmt);
  for (unsigned reader : state.getReaders(stmt)) {
    const auto *place = llvm::find(order, reader);
    isStored |= place == order.end();
    if (place != order.end())
      last = std::max<unsigned>(last, place - order.begin());
  }
  for (Expr e : imported.roots)
    if (unsigned scratch = imported.contraction ? 0 : getScratch(e))
      for (unsigned i = 0; i < scratch; ++i)
        kernel.values.push_back(
            {getSpans(getAxes(e), imported.loops), 32, first, first, false, /*isScratch=*/true});
  bool isCarried = false;
  for (unsigned loop : imported.loops) {
    if (state.loops[loop].isGrid || !state.isCarriedBy(stmt, loop))
      continue;
    SmallVector<unsigned> below = state.getStatementsBelow({Node::Kind::Loop, loop});
    isCarried = true;
    first = std::min<unsigned>(first, llvm::find(order, below.front()) - order.begin());
    last = std::max<unsigned>(last, llvm::find(order, below.back()) - order.begin());
  }
  if (isStored)
    last = order.size() - 1;
  // A start value is overwritten by the reduction that starts from it.
  bool isStart = llvm::any_of(order, [&](unsigned reader) {
    return llvm::any_of(state.statements[reader].inits,
                        [&](const ValueRef &init) { return init.isResultOf(stmt); });
  });
  for (auto [i, type] : llvm::enumerate(statement.body->getResultTypes())) {
    if (!isStart && !canonical.count(stmt))
      kernel.values.push_back(
          {getSpans(kept, imported.loops), getBits(type), first, last, isCarried, false});
    if (!isStored)
      continue;
    MemoryItem item;
    item.tensor = {ValueRef::Kind::Result, stmt, unsigned(i)};
    // In order of the statement's axes, the last of which is contiguous.
    for (const Statement::LocalAxis &local : statement.getParallelAxes()) {
      SmallBitVector one(state.axes.size());
      one.set(local.axis);
      item.spans.append(getSpans(one, imported.loops));
    }
    item.inner = int(item.spans.size()) - 1;
    item.bits = getBits(type);
    item.isWrite = true;
    item.isWorkspace = !state.isOutput(stmt);
    kernel.memory.push_back(item);
  }
}

void KernelCounter::count(const Imported &imported) {
  if (imported.contraction)
    countDot(imported);
  else
    for (Expr e : imported.roots)
      countTree(e, imported, /*isMasked=*/false);
  for (Expr e : imported.masked)
    countTree(e, imported, /*isMasked=*/true);
  if (state.statements[imported.stmt].isReduce())
    countReduction(imported);
  countResults(imported);
}

KernelProfile KernelCounter::run() {
  kernel.name = order.empty() ? std::string() : state.statements[order.back()].name;
  kernel.numStatements = order.size();
  findLoops();
  findMaskedLoops();
  std::vector<Imported> all;
  for (unsigned stmt : order) {
    all.push_back(importStatement(stmt));
    findEqual(all);
  }
  std::function<void(Expr)> visit = [&](Expr e) {
    hasExponential |= e->getOp() == ExprOp::Exp || e->getOp() == ExprOp::Exp2;
    if (uses[e]++ == 0)
      llvm::for_each(e->getOperands(), visit);
  };
  for (const Imported &imported : all)
    llvm::for_each(imported.roots, visit);
  for (const Imported &imported : all)
    count(imported);
  return std::move(kernel);
}

Profile schedule::makeProfile(const State &state) {
  Profile profile;
  profile.state = applyAll(state, completeSchedule(state));
  for (unsigned root = 0; root < profile.state.roots.size(); ++root)
    profile.kernels.push_back(KernelCounter(profile.state, root).run());
  return profile;
}

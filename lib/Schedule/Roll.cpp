// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primitive roll: a reduction joins the loop that still computes what it reads (the paper's
// rolling update). The elementwise statements on the way are taken into its body; what the solver
// derives from that body says what the loop carries, how a carried value is repaired when the
// values it was computed with move on, and what is left to do after the loop.

#include "Edits.h"
#include "RollBodies.h"
#include "Solver/Reducers.h"
#include "nautilus/Schedule/Solver.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;
using llvm::SmallBitVector;

/// The list that holds a loop, and its place there.
static std::pair<SmallVectorImpl<Node> *, unsigned> findPlace(State &state, unsigned loop) {
  Node node{Node::Kind::Loop, loop};
  SmallVectorImpl<Node> &siblings = state.getSiblings(node);
  return {&siblings, unsigned(llvm::find(siblings, node) - siblings.begin())};
}

/// Removes the statements of the path that nobody reads any more.
static void eraseUnread(State &state, ArrayRef<unsigned> path) {
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned stmt : path) {
      if (!llvm::is_contained(state.getOrder(), stmt) || state.isOutput(stmt) ||
          !state.getReaders(stmt).empty())
        continue;
      eraseStatement(state, stmt);
      changed = true;
    }
  }
}

namespace {
class Roller {
public:
  Roller(const State &state, unsigned stmt, unsigned loop)
      : state(state), stmt(stmt), loop(loop), bodies(state, stmt, loop) {}
  Proposal run();

private:
  std::optional<Reason> poseProblem();
  void guardEmpty(Repair &repair);
  void addCount(State &next, const Repair &repair, SmallVectorImpl<Node> &inside);
  State build(const Repair &repair);

  const State &state;
  unsigned stmt, loop;
  RollBodies bodies;
  RepairProblem problem;
};
} // namespace

std::optional<Reason> Roller::poseProblem() {
  const Statement &target = state.statements[stmt];
  MLIRContext *context = target.body->getLoc().getContext();
  auto refuse = [&](StringRef term) {
    return Reason(ReasonCode::NotSolvable, {target.name, term});
  };
  problem.reducer = classifyCombiner(target.body->getCombiner());
  problem.body =
      bodies.importStatement(stmt, AffineMap::getMultiDimIdentityMap(target.axes.size(), context));
  if (!problem.body)
    return refuse(bodies.getObstacle());
  for (unsigned reduction : bodies.getFrontier()) {
    FrontierValue value;
    value.reducer = classifyCombiner(state.statements[reduction].body->getCombiner());
    if (AffineMap axes = bodies.getAxesOf(reduction))
      value.element = bodies.importStatement(reduction, axes);
    problem.frontier.push_back(value);
  }
  const Axis &axis = state.axes[state.loops[loop].axis];
  problem.extentDim = bodies.getDimNumber(axis.dim);
  if (!ShapedType::isDynamic(axis.extent))
    problem.extentValue = axis.extent;
  return std::nullopt;
}

/// Over no element at all a reduction is its identity, also where the repaired value isn't.
void Roller::guardEmpty(Repair &repair) {
  const Axis &axis = state.axes[state.loops[loop].axis];
  if (!repair.needsElement || (!ShapedType::isDynamic(axis.extent) && axis.extent > 0))
    return;
  ExprContext &context = bodies.getContext();
  Expr isEmpty = context.cmpI(arith::CmpIPredicate::eq, bodies.getExtent(axis.dim),
                              context.intConstant(0, ScalarType::Index));
  Expr identity = context.constant(getIdentityOf(problem.reducer), repair.result->getType());
  repair.result = context.select(isEmpty, identity, repair.result);
}

/// The type of the count in `e`, if it is read there.
static std::optional<ScalarType> findCount(Expr e) {
  if (e)
    for (Expr leaf : getLeaves(e))
      if (leaf->isLeaf(LeafRole::Count) || leaf->isLeaf(LeafRole::CountOld))
        return leaf->getType();
  return std::nullopt;
}

/// Adds the reduction that counts elements if the repair needs it.
void Roller::addCount(State &next, const Repair &repair, SmallVectorImpl<Node> &inside) {
  std::optional<ScalarType> type = findCount(repair.result);
  for (const CarriedValue &carried : repair.carried)
    for (Expr e : {carried.element, carried.repair})
      type = type ? type : findCount(e);
  if (!type)
    return;
  const Statement &target = state.statements[stmt];
  unsigned id = next.statements.size();
  next.statements.emplace_back();
  // It is the same for all points, but stands in the loops around and so has their axes.
  SmallBitVector axes(target.axes.size());
  for (unsigned around : state.getLoopsAround(bodies.getFrontier().front()))
    for (auto [i, local] : llvm::enumerate(target.getParallelAxes()))
      if (local.axis == state.loops[around].axis)
        axes.set(i);
  SmallBitVector all = axes;
  all.set(bodies.getReductionPosition());
  Expr one = bodies.getContext().constant(1, *type);
  bodies.makeReduction(next, id, target.name + ".count", CombinerKind::Add, one, all, inside);
  bodies.setCount(id, axes);
}

State Roller::build(const Repair &repair) {
  State next = state;
  const Statement target = state.statements[stmt];
  llvm::erase(next.roots, Node{Node::Kind::Statement, stmt});
  next.launches.erase(stmt); // it becomes part of another launch
  // A carried value that is the result itself stands for the target.
  std::optional<unsigned> plain;
  if (repair.result->isLeaf(LeafRole::Accumulator))
    plain = repair.result->getIndex();
  unsigned reductionAxis = bodies.getReductionPosition();
  SmallVector<Node> inside, after;
  addCount(next, repair, inside);
  SmallVector<SmallBitVector> axes; // of each carried value
  SmallVector<unsigned> ids;
  for (auto [k, carried] : llvm::enumerate(repair.carried)) {
    SmallBitVector own = bodies.getAxes(carried.element);
    if (k == plain)
      own.set();
    own.reset(reductionAxis);
    ids.push_back(k == plain ? stmt : next.statements.size());
    if (k != plain)
      next.statements.emplace_back();
    bodies.setAccumulator(k, ids[k], own);
    axes.push_back(own);
  }
  for (auto [k, carried] : llvm::enumerate(repair.carried)) {
    unsigned id = ids[k];
    std::string name =
        k == plain ? target.name : target.name + ".acc" + (k ? "." + std::to_string(k) : "");
    std::optional<unsigned> start;
    if (carried.repair)
      start =
          bodies.addMap(next, name + ".repair", carried.repair, axes[k], /*inLoop=*/true, inside);
    SmallBitVector all = axes[k];
    all.set(reductionAxis);
    bodies.makeReduction(next, id, name, carried.reducer, carried.element, all, inside);
    if (start)
      next.statements[id].inits.push_back({ValueRef::Kind::Result, *start, 0});
  }
  if (!plain) {
    SmallBitVector all(target.axes.size(), true);
    all.reset(reductionAxis);
    unsigned id =
        bodies.addMap(next, target.name + ".result", repair.result, all, /*inLoop=*/false, after);
    // The value keeps the target's number and name, so that readers find it.
    next.statements[stmt] = std::move(next.statements[id]);
    next.statements[stmt].name = target.name;
    next.statements.pop_back();
    after.back().id = stmt;
  }
  llvm::append_range(next.loops[loop].children, inside);
  auto [siblings, place] = findPlace(next, loop);
  siblings->insert(siblings->begin() + place + 1, after.begin(), after.end());
  eraseUnread(next, bodies.getPath());
  return next;
}

Proposal Roller::run() {
  if (std::optional<Reason> reason = poseProblem())
    return *reason;
  RepairSolver solver(bodies.getContext());
  const RepairResult &result = solver.solve(problem);
  const Statement &target = state.statements[stmt];
  if (!result)
    return Reason(ReasonCode::NotSolvable, {target.name, getText(result.getRefusal())});
  if (result->assumesLive)
    return Reason(ReasonCode::NotSolvable,
                  {target.name, "a value that is wrong before the first element"});
  Repair repair = *result;
  guardEmpty(repair);
  State next = build(repair);
  if (!sortRoots(next))
    return Reason(ReasonCode::CyclicNests, {target.name, target.name});
  return next;
}

Proposal mlir::nautilus::schedule::propose(const State &state, const Roll &step) {
  std::optional<unsigned> stmt = state.findStatement(step.statement);
  if (!stmt)
    return Reason(ReasonCode::UnknownStatement, {step.statement});
  auto found = findLoop(state, step.into, step.axis);
  if (auto *reason = std::get_if<Reason>(&found))
    return *reason;
  unsigned loop = std::get<unsigned>(found);
  const Statement &statement = state.statements[*stmt];
  if (!statement.isReduce() || statement.getReductionAxes().size() != 1 ||
      !statement.reducesOver(state.loops[loop].axis) ||
      statement.body->getResultTypes().size() != 1)
    return Reason(ReasonCode::NotReduction, {step.statement});
  if (!llvm::is_contained(state.roots, Node{Node::Kind::Statement, *stmt}))
    return Reason(ReasonCode::AlreadyScheduled, {step.statement});
  return Roller(state, *stmt, loop).run();
}

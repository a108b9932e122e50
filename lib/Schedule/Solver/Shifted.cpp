// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repairs that move the basis with the tag. Where r enters the body as U = c + Y(r), a sum of
// P(U) exp(a U) is repaired by Taylor's formula, which is finite for a polynomial P:
//
//   P(U + d) exp(a (U + d)) = exp(a d) * sum_k d^k / k! * P^(k)(U) exp(a U),   d = Y(new) - Y(old)
//
// with one carried value per derivative. Nothing cancels, unlike in sums of powers of c and r. With
// Y = -sum / count this is the update of Welford (1962) and Chan, Golub and LeVeque (1979) by
// tiles: the extent in Y is read as the running count, so that Y is the mean of what was seen.

#include "Terms.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <functional>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

namespace {

/// Leaf numbers of the U's, out of the way of the problem's own.
constexpr unsigned firstShiftLeaf = 1u << 20;

struct Addend {
  Expr e;
  bool isNegative;
};

class ShiftSolver {
public:
  explicit ShiftSolver(SolveState &state)
      : state(state), context(state.context), build(state.build) {}
  std::optional<Repair> run();

private:
  bool findShifts(Expr e);
  bool addShift(Expr sum);
  Expr countElements(Expr e);
  bool isSafeInLoop(Expr e);
  bool isShiftLeaf(Expr e) {
    return e->isLeaf(LeafRole::Element) && e->getIndex() >= firstShiftLeaf;
  }
  bool readsShift(Expr e);
  Expr expandPower(Expr e);
  Expr derive(Expr core);
  std::optional<Expr> getRate(Expr core);
  std::optional<Expr> getCommonRate(Expr a, Expr b);
  Expr guard(Expr e) { return needsGuard ? state.guardExtremes(e) : e; }
  Expr restore(Expr core, bool guarded);
  std::optional<unsigned> carry(Expr core, unsigned depth);
  std::pair<double, Expr> stripConstant(Expr core);

  SolveState &state;
  ExprContext &context;
  Algebra &build;
  Repair repair;
  Refusal refusal{RefusalKind::NotSeparable};
  Expr shift = nullptr; // Y
  Expr delta = nullptr; // d
  bool needsGuard = false;
  llvm::DenseMap<Expr, Expr> replacements, definitions; // sum -> U + rest, U -> sum
  SmallVector<std::pair<Expr, unsigned>> carried;       // core -> number
};

} // namespace

static void flatten(Expr e, bool isNegative, SmallVectorImpl<Addend> &addends) {
  if (e->getOp() == ExprOp::Neg)
    return flatten(e->getOperand(0), !isNegative, addends);
  if (e->getOp() != ExprOp::Add && e->getOp() != ExprOp::Sub)
    return addends.push_back({e, isNegative});
  flatten(e->getOperand(0), isNegative, addends);
  flatten(e->getOperand(1), isNegative != (e->getOp() == ExprOp::Sub), addends);
}

/// The extent of J, read as the number of elements seen.
Expr ShiftSolver::countElements(Expr e) {
  const RepairProblem &problem = state.problem;
  if (!problem.hasCount)
    return e;
  return context.substitute(e, [&](Expr node) -> Expr {
    if (!isFloat(node->getType()))
      return nullptr;
    Expr count = context.leaf(LeafRole::Count, 0, node->getType());
    Expr inner = node;
    while (inner->getOp() == ExprOp::Cast)
      inner = inner->getOperand(0);
    if (problem.extentDim && inner->isLeaf(LeafRole::DimExtent) &&
        inner->getIndex() == *problem.extentDim)
      return count;
    if (!problem.extentValue)
      return nullptr;
    if (node->isConstant(*problem.extentValue))
      return count;
    if (node->isConstant(roundTo(1 / *problem.extentValue, node->getType())))
      return context.div(context.constant(1, node->getType()), count);
    return nullptr;
  });
}

bool ShiftSolver::isSafeInLoop(Expr e) {
  for (Expr leaf : getLeaves(e))
    if (leaf->isLeaf(LeafRole::Frontier) && state.problem.frontier[leaf->getIndex()].isDeferred)
      return false;
  return std::isfinite(state.evaluateAtIdentity(state.guardExtremes(countElements(e)), 1));
}

bool ShiftSolver::addShift(Expr sum) {
  SmallVector<Addend> addends;
  flatten(sum, false, addends);
  Expr own = nullptr, moving = nullptr, rest = nullptr;
  bool readsAny = false;
  for (const Addend &addend : addends) {
    if (isMixed(addend.e))
      return true; // not of this form; its operands may be
    Expr &part = !readsFrontier(addend.e) ? own : isSafeInLoop(addend.e) ? moving : rest;
    readsAny |= readsElement(addend.e);
    part = build.addOrNull(part, addend.isNegative ? build.neg(addend.e) : addend.e);
  }
  if (!readsAny || !moving)
    return true;
  if (shift && shift != moving)
    return false; // two tags move independently
  shift = moving;
  Expr leaf = context.leaf(LeafRole::Element, firstShiftLeaf + definitions.size(), sum->getType());
  definitions[leaf] = rest ? build.add(own, moving) : sum;
  replacements[sum] = rest ? build.add(leaf, rest) : leaf;
  return true;
}

/// Visits maximal sums.
bool ShiftSolver::findShifts(Expr e) {
  if (!isMixed(e) || replacements.count(e))
    return true;
  bool isSum = e->getOp() == ExprOp::Add || e->getOp() == ExprOp::Sub;
  if (isSum && !addShift(e))
    return false;
  if (replacements.count(e))
    return true;
  return llvm::all_of(e->getOperands(), [&](Expr operand) { return findShifts(operand); });
}

bool ShiftSolver::readsShift(Expr e) {
  return llvm::any_of(getLeaves(e), [&](Expr leaf) { return isShiftLeaf(leaf); });
}

/// x ** 2 and x ** 3 as products.
Expr ShiftSolver::expandPower(Expr e) {
  Expr x = e->getOperand(0), square = context.mul(x, x);
  if (e->getOperand(1)->isConstant(2))
    return square;
  return e->getOperand(1)->isConstant(3) ? context.mul(square, x) : nullptr;
}

/// a of exp(a U + …) as a factor of the whole of `core`; a constant 0 if there is none. Nothing if
/// `core` isn't of the form P(U) exp(a U).
std::optional<Expr> ShiftSolver::getRate(Expr core) {
  Expr zero = context.constant(0, core->getType());
  if (!readsShift(core) || isShiftLeaf(core))
    return zero;
  switch (core->getOp()) {
  case ExprOp::Exp: {
    Expr rate = derive(core->getOperand(0));
    if (!rate || readsShift(rate) || readsElement(rate))
      return std::nullopt;
    return rate;
  }
  case ExprOp::Neg:
  case ExprOp::Cast:
    return getRate(core->getOperand(0));
  case ExprOp::Mul: {
    auto a = getRate(core->getOperand(0)), b = getRate(core->getOperand(1));
    return a && b ? std::optional<Expr>(build.add(*a, *b)) : std::nullopt;
  }
  case ExprOp::Div:
    return readsShift(core->getOperand(1)) ? std::nullopt : getRate(core->getOperand(0));
  case ExprOp::Pow: {
    Expr product = expandPower(core);
    return product ? getRate(product) : std::nullopt;
  }
  case ExprOp::Add:
  case ExprOp::Sub:
    return getCommonRate(core->getOperand(0), core->getOperand(1));
  case ExprOp::Select:
    return readsShift(core->getOperand(0))
               ? std::nullopt
               : getCommonRate(core->getOperand(1), core->getOperand(2));
  default:
    return std::nullopt;
  }
}

std::optional<Expr> ShiftSolver::getCommonRate(Expr a, Expr b) {
  if (a->isConstant(0))
    return getRate(b);
  if (b->isConstant(0))
    return getRate(a);
  auto x = getRate(a), y = getRate(b);
  return x && y && *x == *y ? x : std::nullopt;
}

/// d/dU of the polynomial factor of `core`, its exponential factor kept. Null if `core` is no
/// polynomial.
Expr ShiftSolver::derive(Expr core) {
  Expr zero = context.constant(0, core->getType());
  if (isShiftLeaf(core))
    return context.constant(1, core->getType());
  if (!readsShift(core))
    return zero;
  SmallVector<Expr, 3> d;
  for (Expr operand : core->getOperands()) {
    d.push_back(isFloat(operand->getType()) ? derive(operand) : operand);
    if (!d.back())
      return nullptr;
  }
  switch (core->getOp()) {
  case ExprOp::Exp:
    return zero; // accounted for by the rate
  case ExprOp::Neg:
    return build.neg(d[0]);
  case ExprOp::Add:
    return d[0] == d[1] ? build.scale(d[0], 2) : build.add(d[0], d[1]);
  case ExprOp::Sub:
    return d[0] == d[1] ? zero : build.sub(d[0], d[1]);
  case ExprOp::Mul: {
    Expr a = build.mul(d[0], core->getOperand(1)), b = build.mul(core->getOperand(0), d[1]);
    return a == b ? build.scale(a, 2) : build.add(a, b);
  }
  case ExprOp::Div:
    return readsShift(core->getOperand(1)) ? nullptr : build.div(d[0], core->getOperand(1));
  case ExprOp::Pow: {
    Expr product = expandPower(core);
    return product ? derive(product) : nullptr;
  }
  case ExprOp::Cast:
    return context.cast(d[0], core->getType());
  case ExprOp::Select:
    return readsShift(core->getOperand(0)) ? nullptr
                                           : context.select(core->getOperand(0), d[1], d[2]);
  default:
    return nullptr;
  }
}

std::pair<double, Expr> ShiftSolver::stripConstant(Expr core) {
  if (core->isConstant())
    return {core->getFloat(), context.constant(1, core->getType())};
  if (core->getOp() == ExprOp::Mul)
    for (unsigned i : {0, 1})
      if (core->getOperand(i)->isConstant())
        return {core->getOperand(i)->getFloat(), core->getOperand(1 - i)};
  return {1, core};
}

/// `core` with each U written out, as the loop computes it or as the body says it.
Expr ShiftSolver::restore(Expr core, bool guarded) {
  return context.substitute(core, [&](Expr node) -> Expr {
    auto it = definitions.find(node);
    if (it == definitions.end())
      return nullptr;
    Expr sum = countElements(it->second);
    return guarded ? guard(sum) : sum;
  });
}

/// Adds carried values for `core` and its derivatives; returns the number of the first.
std::optional<unsigned> ShiftSolver::carry(Expr core, unsigned depth) {
  for (auto &[known, number] : carried)
    if (known == core)
      return number;
  std::optional<Expr> rate = getRate(core);
  if (!rate || depth > 3 || carried.size() > 8)
    return std::nullopt;
  unsigned number = repair.carried.size();
  ScalarType type = core->getType();
  carried.push_back({core, number});
  repair.carried.push_back({CombinerKind::Add, restore(core, true)});
  auto leafOf = [&](unsigned n) {
    return context.leaf(LeafRole::Accumulator, n, repair.carried[n].element->getType());
  };
  Expr sum = leafOf(number), power = nullptr;
  double coefficient = 1;
  Expr derivative = core;
  bool moves = !(*rate)->isConstant(0);
  for (unsigned k = 1;; ++k) {
    derivative = derive(derivative);
    if (!derivative)
      return std::nullopt;
    auto [factor, stripped] = stripConstant(derivative);
    if (factor == 0)
      break;
    std::optional<unsigned> next = carry(stripped, depth + 1);
    if (!next)
      return std::nullopt;
    coefficient *= factor / k;
    power = build.mulOrNull(power, build.coerce(delta, type));
    sum = build.add(sum, build.scale(build.mul(power, leafOf(*next)), coefficient));
    derivative = stripped;
    moves = true;
  }
  if (!(*rate)->isConstant(0))
    sum = build.mul(sum, context.exp(build.mul(*rate, build.coerce(delta, type))));
  if (moves)
    repair.carried[number].repair = sum;
  return number;
}

std::optional<Repair> ShiftSolver::run() {
  Expr body = state.problem.body;
  if (!findShifts(body) || !shift)
    return std::nullopt;
  Expr moved = context.substitute(body, [&](Expr e) { return replacements.lookup(e); });
  Separator separator(context, state.problem.policy);
  std::optional<Terms> terms = separator.separate(moved);
  if (!terms || llvm::any_of(*terms, [](const Term &t) { return t.exponent || t.exponent2; }))
    return std::nullopt;

  Expr counted = countElements(shift);
  needsGuard = !std::isfinite(state.evaluateAtIdentity(counted, 1));
  Expr guarded = guard(counted);
  delta = build.difference(guarded);
  if (Expr empty = state.isOldStateEmpty(counted))
    delta = context.select(empty, context.constant(0, delta->getType()), delta);
  repair.numericClass = separator.roundedTerms() ? NumericClass::Approved : NumericClass::Algebraic;
  repair.movesRounding = separator.movedRounding();
  // A running sum that isn't divided by the running count is far from the data at first.
  repair.mayCancel = llvm::any_of(getLeaves(counted), [&](Expr leaf) {
    return leaf->isLeaf(LeafRole::Frontier) && !state.isSelective(leaf->getIndex()) &&
           !counted->reads(LeafRole::Count);
  });

  for (const Term &term : *terms) {
    auto number = carry(term.core, 0);
    if (!number)
      return std::nullopt;
    Expr element = repair.carried[*number].element;
    Expr value = context.leaf(LeafRole::Accumulator, *number, element->getType());
    value = finishDead(state, repair, value, restore(term.core, false), element, shift, refusal);
    if (!value)
      return std::nullopt;
    value = build.coerce(build.applyFactors(value, term), body->getType());
    repair.result = repair.result ? build.add(repair.result, value) : value;
  }
  return repair;
}

std::optional<Repair> schedule::solveShifted(SolveState &state) { return ShiftSolver(state).run(); }

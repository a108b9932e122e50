// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Max and min of a body that is monotone for fixed r: body = F(r, C(c)). The loop takes the extreme
// of C, without reading r; F is applied once after it. A falling F turns max into min. No inverse
// of F is needed.

#include "Reducers.h"
#include "Terms.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

namespace {

struct Monotone {
  Expr core;       // C, c-only
  bool rises;      // F grows with C
  Expr expression; // F over Accumulator 0
};

class MonotoneSolver {
public:
  explicit MonotoneSolver(SolveState &state)
      : state(state), context(state.context), build(state.build) {}
  std::optional<Monotone> solve(Expr e);
  Refusal refusal{RefusalKind::NotSeparable};

private:
  using Result = std::optional<Monotone>;
  Result fail(RefusalKind kind, Expr e) {
    refusal = {kind, e};
    return std::nullopt;
  }
  Result whole(Expr e) {
    return Monotone{e, true, context.leaf(LeafRole::Accumulator, 0, e->getType())};
  }
  Result solveSum(Expr e);
  Result solveProduct(Expr e);
  Result solveAbs(Expr e);
  Result solveUnary(Expr e, bool rises);
  Result solvePower(Expr e);
  Result solveClamp(Expr e);
  Result solveSelect(Expr e);
  bool keepsIdentity(const Monotone &monotone);

  SolveState &state;
  ExprContext &context;
  Algebra &build;
};

} // namespace

static void flattenSum(Expr e, bool negative, SmallVectorImpl<std::pair<Expr, bool>> &parts) {
  if (e->getOp() == ExprOp::Neg)
    return flattenSum(e->getOperand(0), !negative, parts);
  if (e->getOp() != ExprOp::Add && e->getOp() != ExprOp::Sub)
    return parts.push_back({e, negative});
  flattenSum(e->getOperand(0), negative, parts);
  flattenSum(e->getOperand(1), negative != (e->getOp() == ExprOp::Sub), parts);
}

static void flattenProduct(Expr e, bool inverse, SmallVectorImpl<std::pair<Expr, bool>> &parts) {
  if (e->getOp() != ExprOp::Mul && e->getOp() != ExprOp::Div)
    return parts.push_back({e, inverse});
  flattenProduct(e->getOperand(0), inverse, parts);
  flattenProduct(e->getOperand(1), inverse != (e->getOp() == ExprOp::Div), parts);
}

std::optional<Monotone> MonotoneSolver::solve(Expr e) {
  if (!readsFrontier(e))
    return whole(e);
  switch (e->getOp()) {
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Neg:
    return solveSum(e);
  case ExprOp::Mul:
  case ExprOp::Div:
    return solveProduct(e);
  case ExprOp::Exp:
  case ExprOp::Exp2:
  case ExprOp::Tanh:
  case ExprOp::Erf:
  case ExprOp::Cast:
    return solveUnary(e, true);
  case ExprOp::Log:
  case ExprOp::Log2:
  case ExprOp::Sqrt:
  case ExprOp::Rsqrt:
    if (!context.getRange(e->getOperand(0)).isNonNegative())
      return fail(RefusalKind::UnknownSign, e->getOperand(0));
    return solveUnary(e, e->getOp() != ExprOp::Rsqrt);
  case ExprOp::Pow:
    return solvePower(e);
  case ExprOp::Abs:
    return solveAbs(e);
  case ExprOp::Max:
  case ExprOp::Min:
    return solveClamp(e);
  case ExprOp::Select:
    return solveSelect(e);
  default:
    return fail(RefusalKind::NotSeparable, e);
  }
}

/// F followed by another r-only step.
std::optional<Monotone> MonotoneSolver::solveUnary(Expr e, bool rises) {
  Result inner = solve(e->getOperand(0));
  if (!inner)
    return std::nullopt;
  inner->rises = inner->rises == rises;
  SmallVector<Expr, 2> operands(e->getOperands());
  operands[0] = inner->expression;
  inner->expression = context.withOperands(e, operands);
  return inner;
}

std::optional<Monotone> MonotoneSolver::solvePower(Expr e) {
  Expr exponent = e->getOperand(1);
  if (!exponent->isConstant())
    return fail(RefusalKind::NotSeparable, e);
  double k = exponent->getFloat();
  bool isOdd = std::fabs(std::fmod(k, 2)) == 1;
  if (!context.getRange(e->getOperand(0)).isNonNegative() && !(isOdd && k > 0))
    return fail(RefusalKind::UnknownSign, e->getOperand(0));
  return solveUnary(e, k >= 0);
}

std::optional<Monotone> MonotoneSolver::solveSum(Expr e) {
  SmallVector<std::pair<Expr, bool>> parts;
  flattenSum(e, false, parts);
  Expr own = nullptr, rest = nullptr;
  std::optional<std::pair<Expr, bool>> mixed;
  bool readsAny = false;
  for (auto [part, negative] : parts) {
    if (isMixed(part)) {
      if (mixed)
        return fail(RefusalKind::NotSeparable, e);
      mixed = {part, negative};
      continue;
    }
    readsAny |= readsElement(part);
    Expr &sum = readsElement(part) ? own : rest;
    sum = build.addOrNull(sum, negative ? build.neg(part) : part);
  }
  if (mixed && readsAny)
    return fail(RefusalKind::NotSeparable, e);
  bool negated = mixed ? mixed->second : own->getOp() == ExprOp::Neg;
  Result inner = mixed ? solve(mixed->first) : negated ? whole(own->getOperand(0)) : whole(own);
  if (!inner)
    return std::nullopt;
  if (negated) {
    inner->rises = !inner->rises;
    inner->expression = build.neg(inner->expression);
  }
  if (rest)
    inner->expression = build.add(inner->expression, rest);
  return inner;
}

std::optional<Monotone> MonotoneSolver::solveProduct(Expr e) {
  SmallVector<std::pair<Expr, bool>> parts;
  flattenProduct(e, false, parts);
  Expr one = context.constant(1, e->getType());
  Expr own = one, rest = one;
  std::optional<std::pair<Expr, bool>> mixed;
  bool readsAny = false;
  for (auto [part, inverse] : parts) {
    if (isMixed(part)) {
      if (mixed)
        return fail(RefusalKind::NotSeparable, e);
      mixed = {part, inverse};
      continue;
    }
    readsAny |= readsElement(part);
    Expr &product = readsElement(part) ? own : rest;
    product = inverse ? build.div(product, part) : build.mul(product, part);
  }
  if (mixed && readsAny)
    return fail(RefusalKind::NotSeparable, e);
  Interval sign = context.getRange(rest);
  if (!sign.isNonNegative() && !sign.isNonPositive())
    return fail(RefusalKind::UnknownSign, rest);
  Result inner = mixed ? solve(mixed->first) : whole(own);
  if (!inner)
    return std::nullopt;
  inner->rises = inner->rises == sign.isNonNegative();
  if (mixed && mixed->second) { // 1 / x falls on either side of 0
    Interval divisor = context.getRange(mixed->first);
    if (!divisor.isPositive() && !divisor.isNegative())
      return fail(RefusalKind::UnknownSign, mixed->first);
    inner->rises = !inner->rises;
    inner->expression = build.div(rest, inner->expression);
    return inner;
  }
  // x / r rather than x * (1 / r).
  if (rest->getOp() == ExprOp::Div && rest->getOperand(0)->isConstant(1))
    inner->expression = build.div(inner->expression, rest->getOperand(1));
  else
    inner->expression = build.mul(inner->expression, rest);
  return inner;
}

/// |c * r| = |c| * |r|.
std::optional<Monotone> MonotoneSolver::solveAbs(Expr e) {
  SmallVector<std::pair<Expr, bool>> parts;
  flattenProduct(e->getOperand(0), false, parts);
  Expr product = context.constant(1, e->getType());
  for (auto [part, inverse] : parts) {
    if (isMixed(part))
      return fail(RefusalKind::DataDependentSet, e);
    Expr absolute = context.unary(ExprOp::Abs, part);
    product = inverse ? build.div(product, absolute) : build.mul(product, absolute);
  }
  return solveProduct(product);
}

std::optional<Monotone> MonotoneSolver::solveClamp(Expr e) {
  for (unsigned i : {0, 1}) {
    if (readsElement(e->getOperand(1 - i)))
      continue;
    Result inner = solve(e->getOperand(i));
    if (inner)
      inner->expression = context.binary(e->getOp(), inner->expression, e->getOperand(1 - i));
    return inner;
  }
  return fail(RefusalKind::NotSeparable, e);
}

/// F maps the reducer's identity to itself for every r.
bool MonotoneSolver::keepsIdentity(const Monotone &monotone) {
  double identity = getIdentityOf(state.problem.reducer);
  for (double value : {0.3, 1.7}) {
    Evaluator evaluator(EvalMode::Real);
    for (Expr leaf : getLeaves(monotone.expression))
      evaluator.set(leaf, leaf->isLeaf(LeafRole::Accumulator) ? identity : value);
    if (evaluator.evaluateFloat(monotone.expression) != identity)
      return false;
  }
  return true;
}

std::optional<Monotone> MonotoneSolver::solveSelect(Expr e) {
  Expr condition = e->getOperand(0), a = e->getOperand(1), b = e->getOperand(2);
  if (isMixed(condition))
    return fail(RefusalKind::DataDependentSet, condition);
  if (readsFrontier(condition)) { // for fixed r one of the two
    auto solveBranch = [&](Expr branch) -> Result {
      return readsElement(branch) ? solve(branch) : Result(Monotone{nullptr, true, branch});
    };
    Result x = solveBranch(a), y = x ? solveBranch(b) : std::nullopt;
    if (!y)
      return std::nullopt;
    if (x->core && y->core && (x->core != y->core || x->rises != y->rises))
      return fail(RefusalKind::NotSeparable, e);
    Expr expression = context.select(condition, x->expression, y->expression);
    return Monotone{x->core ? x->core : y->core, x->core ? x->rises : y->rises, expression};
  }
  // A mask by the reducer's identity around F moves into C if F keeps the identity.
  double identity = getIdentityOf(state.problem.reducer);
  for (bool masksFirst : {true, false}) {
    if (!(masksFirst ? a : b)->isConstant(identity))
      continue;
    Result inner = solve(masksFirst ? b : a);
    if (!inner || !inner->rises || !keepsIdentity(*inner))
      return inner ? fail(RefusalKind::NotSeparable, e) : std::nullopt;
    Expr masked = context.constant(identity, inner->core->getType());
    inner->core = masksFirst ? context.select(condition, masked, inner->core)
                             : context.select(condition, inner->core, masked);
    return inner;
  }
  return fail(RefusalKind::NotSeparable, e);
}

static CombinerKind flip(CombinerKind kind) {
  switch (kind) {
  case CombinerKind::Max:
    return CombinerKind::Min;
  case CombinerKind::Min:
    return CombinerKind::Max;
  case CombinerKind::MaxNum:
    return CombinerKind::MinNum;
  default:
    return CombinerKind::MaxNum;
  }
}

RepairResult schedule::solveExtreme(SolveState &state) {
  MonotoneSolver solver(state);
  std::optional<Monotone> monotone = solver.solve(state.problem.body);
  if (!monotone)
    return solver.refusal;
  Repair repair;
  repair.numericClass = NumericClass::Algebraic;
  CombinerKind reducer = state.problem.reducer;
  repair.carried.push_back({monotone->rises ? reducer : flip(reducer), monotone->core});
  repair.result = monotone->expression;
  return repair;
}

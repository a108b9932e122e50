// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic over the reals: signs and bounds of nodes from facts of leaves. The solver
// asks it for the signs that its steps rest on. Bounds are not rounded outwards: only signs and
// zero matter to callers.

#include "nautilus/Schedule/Expr.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// 0 * inf is 0 here: a bound, not a value.
static double boundProduct(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static Interval multiply(Interval a, Interval b) {
  double products[] = {boundProduct(a.lo, b.lo), boundProduct(a.lo, b.hi), boundProduct(a.hi, b.lo),
                       boundProduct(a.hi, b.hi)};
  Interval result;
  result.lo = *std::min_element(std::begin(products), std::end(products));
  result.hi = *std::max_element(std::begin(products), std::end(products));
  result.nonZero = (a.nonZero || a.lo > 0 || a.hi < 0) && (b.nonZero || b.lo > 0 || b.hi < 0);
  return result;
}

static Interval reciprocal(Interval a) {
  if (a.isNonNegative()) // 1 / 0 is infinite
    return {a.hi == infinity ? 0 : 1 / a.hi, a.lo == 0 ? infinity : 1 / a.lo, true};
  if (a.isNonPositive())
    return {a.hi == 0 ? -infinity : 1 / a.hi, a.lo == -infinity ? 0 : 1 / a.lo, true};
  return {-infinity, infinity, true};
}

/// Image under a function that grows with its argument.
static Interval image(Interval a, double (*function)(double)) {
  return {function(a.lo), function(a.hi), false};
}

static Interval hull(Interval a, Interval b) {
  bool nonZero = (a.nonZero || a.lo > 0 || a.hi < 0) && (b.nonZero || b.lo > 0 || b.hi < 0);
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), nonZero};
}

static Interval power(Interval a, Expr exponent) {
  if (!exponent->isConstant())
    return a.isPositive() ? Interval::positive() : Interval();
  double k = exponent->getFloat();
  bool isEven = std::fmod(k, 2) == 0;
  if (a.isPositive())
    return Interval::positive();
  if (isEven || a.isNonNegative())
    return {0, infinity, a.nonZero};
  return {-infinity, infinity, a.nonZero};
}

static Interval rangeOfLeaf(Expr e) {
  switch (e->getRole()) {
  case LeafRole::Count:
    return {1, infinity, true};
  case LeafRole::AxisIndex:
  case LeafRole::CountOld:
    return Interval::nonNegative();
  case LeafRole::DimExtent:
    return {1, infinity, true};
  default:
    return e->getType() == ScalarType::I1 ? Interval{0, 1, false} : Interval();
  }
}

static Interval rangeOfProduct(ExprContext &context, Expr e) {
  Interval a = context.getRange(e->getOperand(0)), b = context.getRange(e->getOperand(1));
  Interval result = multiply(a, b);
  if (e->getOperand(0) == e->getOperand(1)) // a square
    result.lo = std::max(result.lo, 0.0);
  return result;
}

// One short case per op.
Interval ExprContext::computeRange(Expr e) { // NOLINT(readability-function-size)
  auto operand = [&](unsigned i) { return getRange(e->getOperand(i)); };
  switch (e->getOp()) {
  case ExprOp::Leaf:
    return rangeOfLeaf(e);
  case ExprOp::Constant: {
    double value = isFloat(e->getType()) ? e->getFloat() : static_cast<double>(e->getInt());
    return std::isnan(value) ? Interval() : Interval{value, value, value != 0};
  }
  case ExprOp::Add: {
    Interval a = operand(0), b = operand(1);
    bool nonZero = (a.isPositive() && b.isNonNegative()) || (b.isPositive() && a.isNonNegative()) ||
                   (a.isNegative() && b.isNonPositive()) || (b.isNegative() && a.isNonPositive());
    return {a.lo + b.lo, a.hi + b.hi, nonZero};
  }
  case ExprOp::Sub: {
    Interval a = operand(0), b = operand(1);
    bool nonZero = (a.isPositive() && b.isNonPositive()) || (b.isNegative() && a.isNonNegative()) ||
                   (a.isNegative() && b.isNonNegative()) || (b.isPositive() && a.isNonPositive());
    return {a.lo - b.hi, a.hi - b.lo, nonZero};
  }
  case ExprOp::Mul:
    return rangeOfProduct(*this, e);
  case ExprOp::Div:
    return isFloat(e->getType()) ? multiply(operand(0), reciprocal(operand(1))) : Interval();
  case ExprOp::Max:
  case ExprOp::MaxNum: {
    Interval a = operand(0), b = operand(1);
    return {std::max(a.lo, b.lo), std::max(a.hi, b.hi), a.isPositive() || b.isPositive()};
  }
  case ExprOp::Min:
  case ExprOp::MinNum: {
    Interval a = operand(0), b = operand(1);
    return {std::min(a.lo, b.lo), std::min(a.hi, b.hi), a.isNegative() || b.isNegative()};
  }
  case ExprOp::Neg: {
    Interval a = operand(0);
    return {-a.hi, -a.lo, a.nonZero};
  }
  case ExprOp::Abs: {
    Interval a = operand(0);
    return {std::max({0.0, a.lo, -a.hi}), std::max(std::fabs(a.lo), std::fabs(a.hi)), a.nonZero};
  }
  case ExprOp::Exp:
  case ExprOp::Exp2: {
    Interval result = image(operand(0), e->getOp() == ExprOp::Exp ? ::exp : ::exp2);
    result.nonZero = true;
    return result;
  }
  case ExprOp::Log:
  case ExprOp::Log2: {
    Interval a = operand(0);
    a.lo = std::max(a.lo, 0.0);
    a.hi = std::max(a.hi, 0.0);
    return image(a, e->getOp() == ExprOp::Log ? ::log : ::log2);
  }
  case ExprOp::Sqrt:
    return {0, infinity, operand(0).nonZero};
  case ExprOp::Rsqrt:
    return Interval::positive();
  case ExprOp::Pow:
    return power(operand(0), e->getOperand(1));
  case ExprOp::Tanh:
    return image(operand(0), ::tanh);
  case ExprOp::Erf:
    return image(operand(0), ::erf);
  case ExprOp::Sin:
  case ExprOp::Cos:
    return {-1, 1, false};
  case ExprOp::Select:
    return hull(operand(1), operand(2));
  case ExprOp::Cast: {
    Interval a = operand(0);
    bool toFloat = isFloat(e->getType());
    return {a.lo, a.hi, a.nonZero && toFloat};
  }
  case ExprOp::CmpF:
  case ExprOp::CmpI:
    return {0, 1, false};
  default:
    return {};
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of expressions in double (the reals) or as the machine rounds. The verifier of the
// solver and the tests stand on it.

#include "nautilus/Schedule/Expr.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;
using llvm::APFloat;

static const llvm::fltSemantics &getSemantics(ScalarType type) {
  switch (type) {
  case ScalarType::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case ScalarType::F8E5M2:
    return APFloat::Float8E5M2();
  case ScalarType::F16:
    return APFloat::IEEEhalf();
  default:
    return APFloat::BFloat();
  }
}

double schedule::getLargest(ScalarType type) {
  if (type == ScalarType::F64)
    return std::numeric_limits<double>::max();
  if (type == ScalarType::F32)
    return std::numeric_limits<float>::max();
  bool losesInfo;
  APFloat largest = APFloat::getLargest(getSemantics(type));
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return largest.convertToDouble();
}

double schedule::roundTo(double value, ScalarType type) {
  if (type == ScalarType::F64 || !isFloat(type))
    return value;
  if (type == ScalarType::F32)
    return static_cast<float>(value);
  if (std::isnan(value))
    return value;
  if (getBitWidth(type) == 8) { // casts to fp8 saturate
    double limit = getLargest(type);
    value = std::fmin(std::fmax(value, -limit), limit);
  }
  bool losesInfo;
  APFloat rounded(value);
  rounded.convert(getSemantics(type), APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

static int64_t wrap(int64_t value, ScalarType type) {
  unsigned width = getBitWidth(type);
  if (width == 64)
    return value;
  if (width == 1)
    return value & 1;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - width)) >> (64 - width);
}

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
}

/// In float where the type is f32, so that overflow and underflow happen where they do there.
static double applyUnary(ExprOp op, double a) {
  switch (op) {
  case ExprOp::Neg:
    return -a;
  case ExprOp::Abs:
    return std::fabs(a);
  case ExprOp::Exp:
    return std::exp(a);
  case ExprOp::Exp2:
    return std::exp2(a);
  case ExprOp::Log:
    return std::log(a);
  case ExprOp::Log2:
    return std::log2(a);
  case ExprOp::Sqrt:
    return std::sqrt(a);
  case ExprOp::Rsqrt:
    return 1 / std::sqrt(a);
  case ExprOp::Tanh:
    return std::tanh(a);
  case ExprOp::Erf:
    return std::erf(a);
  case ExprOp::Sin:
    return std::sin(a);
  default:
    return std::cos(a);
  }
}

static double applyBinary(ExprOp op, double a, double b) {
  switch (op) {
  case ExprOp::Add:
    return a + b;
  case ExprOp::Sub:
    return a - b;
  case ExprOp::Mul:
    return a * b;
  case ExprOp::Div:
    return a / b;
  case ExprOp::FloorDiv:
    return std::floor(a / b);
  case ExprOp::Rem:
    return std::fmod(a, b);
  case ExprOp::Max:
    return maximum(a, b);
  case ExprOp::Min:
    return minimum(a, b);
  case ExprOp::MaxNum:
    return std::fmax(a, b);
  case ExprOp::MinNum:
    return std::fmin(a, b);
  default:
    return std::pow(a, b);
  }
}

static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

static int64_t applyInteger(ExprOp op, int64_t a, int64_t b) {
  bool divides = op == ExprOp::Div || op == ExprOp::FloorDiv || op == ExprOp::Rem;
  if (divides && b == 0)
    return 0;
  switch (op) {
  case ExprOp::Add:
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  case ExprOp::Sub:
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  case ExprOp::Mul:
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  case ExprOp::Div:
    return b == -1 ? -a : a / b;
  case ExprOp::FloorDiv:
    return b == -1 ? -a : floorDivide(a, b);
  case ExprOp::Rem:
    return b == -1 ? 0 : a % b;
  case ExprOp::Max:
    return std::max(a, b);
  case ExprOp::Min:
    return std::min(a, b);
  case ExprOp::And:
    return a & b;
  case ExprOp::Or:
    return a | b;
  default:
    return a ^ b;
  }
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::UEQ:
    return unordered || a == b;
  case P::ONE:
    return !unordered && a != b;
  case P::UNE:
    return a != b;
  case P::OLT:
    return a < b;
  case P::ULT:
    return unordered || a < b;
  case P::OLE:
    return a <= b;
  case P::ULE:
    return unordered || a <= b;
  case P::OGT:
    return a > b;
  case P::UGT:
    return unordered || a > b;
  case P::OGE:
    return a >= b;
  case P::UGE:
    return unordered || a >= b;
  }
  return false;
}

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

static ScalarValue applyCast(Expr node, ScalarValue a, EvalMode mode) {
  ScalarType from = node->getOperand(0)->getType(), to = node->getType();
  if (isFloat(from) && isFloat(to))
    return {mode == EvalMode::Real ? a.f : roundTo(a.f, to), 0};
  if (isFloat(to)) {
    bool isBool = from == ScalarType::I1 && !node->isUnsigned();
    double value = node->isUnsigned() && a.i < 0 ? static_cast<double>(static_cast<uint64_t>(a.i))
                                                 : static_cast<double>(isBool ? -a.i : a.i);
    return {mode == EvalMode::Real ? value : roundTo(value, to), 0};
  }
  if (isFloat(from)) {
    bool fits = std::fabs(a.f) < 9e18;
    return {0, fits ? wrap(static_cast<int64_t>(a.f), to) : 0};
  }
  int64_t value = a.i;
  if (node->isUnsigned() && getBitWidth(from) < 64)
    value &= (int64_t(1) << getBitWidth(from)) - 1;
  else if (from == ScalarType::I1)
    value = -value;
  return {0, wrap(value, to)};
}

/// A fixed value in [0.5, 2) for an unknown function of `operands`.
static ScalarValue applyOpaque(Expr node, ArrayRef<ScalarValue> operands) {
  uint64_t state = node->getHash();
  for (const ScalarValue &value : operands) {
    state ^= llvm::bit_cast<uint64_t>(value.f) * 0x9E3779B97F4A7C15ull + value.i;
    state = (state ^ (state >> 31)) * 0xBF58476D1CE4E5B9ull;
    state ^= state >> 29;
  }
  double fraction = static_cast<double>(state >> 11) / static_cast<double>(1ull << 53);
  return {0.5 + 1.5 * fraction, static_cast<int64_t>(state % 2)};
}

ScalarValue schedule::applyOp(Expr node, ArrayRef<ScalarValue> operands, EvalMode mode) {
  switch (node->getOp()) {
  case ExprOp::Cast:
    return applyCast(node, operands[0], mode);
  case ExprOp::CmpF:
    return {0, compareFloats(node->getPredicateF(), operands[0].f, operands[1].f)};
  case ExprOp::CmpI:
    return {0, compareIntegers(node->getPredicateI(), operands[0].i, operands[1].i)};
  case ExprOp::Select:
    return operands[0].i ? operands[1] : operands[2];
  case ExprOp::Opaque:
    return applyOpaque(node, operands);
  default:
    break;
  }
  ScalarType type = node->getType();
  if (!isFloat(type)) {
    if (operands.size() == 1) {
      int64_t a = operands[0].i;
      return {0, wrap(node->getOp() == ExprOp::Abs && a >= 0 ? a : -a, type)};
    }
    return {0, wrap(applyInteger(node->getOp(), operands[0].i, operands[1].i), type)};
  }
  double value = operands.size() == 1 ? applyUnary(node->getOp(), operands[0].f)
                                      : applyBinary(node->getOp(), operands[0].f, operands[1].f);
  return {mode == EvalMode::Real ? value : roundTo(value, type), 0};
}

ScalarValue Evaluator::compute(Expr e) {
  if (e->isConstant())
    return isFloat(e->getType()) ? ScalarValue{e->getFloat(), 0} : ScalarValue{0, e->getInt()};
  if (e->isLeaf())
    return {};
  SmallVector<ScalarValue, 3> operands;
  for (Expr operand : e->getOperands())
    operands.push_back(evaluate(operand));
  return applyOp(e, operands, mode);
}

ScalarValue Evaluator::evaluate(Expr e) {
  if (auto it = values.find(e); it != values.end())
    return it->second;
  ScalarValue value = compute(e);
  values[e] = value;
  return value;
}

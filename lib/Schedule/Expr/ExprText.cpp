// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions as text for people, and as operation counts for the cost model.

#include "nautilus/Schedule/Expr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

static std::string nameLeaf(Expr leaf) {
  static constexpr llvm::StringLiteral stems[] = {"c", "u", "r", "r", "acc", "n", "n", "i", "N"};
  LeafRole role = leaf->getRole();
  std::string text = stems[static_cast<unsigned>(role)].str();
  if (role != LeafRole::Count && role != LeafRole::CountOld)
    text += std::to_string(leaf->getIndex());
  if (role == LeafRole::FrontierOld || role == LeafRole::CountOld)
    text += ".old";
  return text;
}

static std::string nameConstant(Expr e) {
  if (!isFloat(e->getType()))
    return std::to_string(e->getInt());
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.9g", e->getFloat());
  return text;
}

static llvm::StringRef getName(ExprOp op) {
  static constexpr llvm::StringLiteral names[] = {
      "leaf", "constant", "+",      "-",    "*",      "/",     "floordiv", "mod", "max",
      "min",  "maxnum",   "minnum", "pow",  "and",    "or",    "xor",      "-",   "abs",
      "exp",  "exp2",     "log",    "log2", "sqrt",   "rsqrt", "tanh",     "erf", "sin",
      "cos",  "cast",     "cmp",    "cmp",  "select", "opaque"};
  return names[static_cast<unsigned>(op)];
}

static llvm::StringRef getTypeName(ScalarType type) {
  static constexpr llvm::StringLiteral names[] = {
      "i1", "i8", "i16", "i32", "i64", "index", "f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64"};
  return names[static_cast<unsigned>(type)];
}

/// Binding strength of infix text.
static int getPrecedence(ExprOp op) {
  switch (op) {
  case ExprOp::Add:
  case ExprOp::Sub:
    return 1;
  case ExprOp::Mul:
  case ExprOp::Div:
    return 2;
  case ExprOp::Neg:
    return 3;
  default:
    return 4;
  }
}

std::string schedule::toString(Expr e, function_ref<std::string(Expr)> name) {
  auto child = [&](Expr operand, bool tight) {
    std::string text = toString(operand, name);
    int limit = getPrecedence(e->getOp()) + (tight ? 1 : 0);
    return getPrecedence(operand->getOp()) < limit ? "(" + text + ")" : text;
  };
  auto call = [&](std::string function) {
    function += "(";
    llvm::interleave(
        e->getOperands(), [&](Expr operand) { function += toString(operand, name); },
        [&] { function += ", "; });
    return function + ")";
  };
  switch (e->getOp()) {
  case ExprOp::Leaf:
    return name ? name(e) : nameLeaf(e);
  case ExprOp::Constant:
    return nameConstant(e);
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Mul:
  case ExprOp::Div: {
    bool tight = e->getOp() == ExprOp::Sub || e->getOp() == ExprOp::Div;
    std::string text = child(e->getOperand(0), false);
    return text + " " + getName(e->getOp()).str() + " " + child(e->getOperand(1), tight);
  }
  case ExprOp::Neg:
    return "-" + child(e->getOperand(0), true);
  case ExprOp::Cast:
    return call(getTypeName(e->getType()).str());
  case ExprOp::CmpF:
    return call(arith::stringifyCmpFPredicate(e->getPredicateF()).str());
  case ExprOp::CmpI:
    return call(arith::stringifyCmpIPredicate(e->getPredicateI()).str());
  default:
    return call(getName(e->getOp()).str());
  }
}

//===-- Counts ------------------------------------------------------------===//

OpCounts schedule::countNode(Expr e) {
  OpCounts counts;
  bool inFloat = isFloat(e->getType());
  switch (e->getOp()) {
  case ExprOp::Leaf:
  case ExprOp::Constant:
  case ExprOp::Neg: // a modifier of its reader
  case ExprOp::Abs:
    return counts;
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Mul:
    ++(inFloat ? counts.fma : counts.alu);
    return counts;
  case ExprOp::Div: // reciprocal and a correction
    counts.mufu += inFloat;
    counts.fma += 2 * inFloat;
    counts.alu += 8 * !inFloat;
    return counts;
  case ExprOp::Exp: // exp2 of a scaled argument
  case ExprOp::Log:
    ++counts.mufu;
    ++counts.fma;
    return counts;
  case ExprOp::Exp2:
  case ExprOp::Log2:
  case ExprOp::Sqrt:
  case ExprOp::Rsqrt:
  case ExprOp::Sin:
  case ExprOp::Cos:
    ++counts.mufu;
    return counts;
  case ExprOp::Tanh: // by one exponential and one reciprocal
    counts.mufu += 2;
    counts.fma += 3;
    return counts;
  case ExprOp::Pow:
    counts.mufu += 2;
    counts.fma += 2;
    return counts;
  case ExprOp::Erf: // a polynomial and one exponential
    ++counts.mufu;
    counts.fma += 12;
    return counts;
  default:
    ++counts.alu;
    return counts;
  }
}

OpCounts schedule::countOps(ArrayRef<Expr> roots) {
  llvm::DenseMap<Expr, unsigned> uses;
  SmallVector<Expr> order;
  std::function<void(Expr)> visit = [&](Expr e) {
    if (uses[e]++)
      return;
    for (Expr operand : e->getOperands())
      visit(operand);
    order.push_back(e);
  };
  for (Expr root : roots)
    visit(root);
  OpCounts counts;
  for (Expr e : order) {
    counts += countNode(e);
    if ((e->getOp() == ExprOp::Add || e->getOp() == ExprOp::Sub) && isFloat(e->getType()) &&
        llvm::any_of(e->getOperands(),
                     [&](Expr o) { return o->getOp() == ExprOp::Mul && uses[o] == 1; }))
      --counts.fma;
  }
  return counts;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructors that simplify over the reals, and differences of r-only values between two versions
// of r. A quotient of exponentials is never made: exponents
// are subtracted before an exponential is.

#include "Terms.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

Expr Algebra::coerce(Expr a, ScalarType type) { return context.cast(a, type); }

void Algebra::unify(Expr &a, Expr &b) {
  if (a->getType() == b->getType())
    return;
  ScalarType type = std::max(a->getType(), b->getType());
  a = coerce(a, type);
  b = coerce(b, type);
}

Expr Algebra::add(Expr a, Expr b) {
  unify(a, b);
  if (a->isConstant(0))
    return b;
  if (b->isConstant(0))
    return a;
  if (b->getOp() == ExprOp::Neg)
    return sub(a, b->getOperand(0));
  if (a->getOp() == ExprOp::Neg)
    return sub(b, a->getOperand(0));
  return context.add(a, b);
}

Expr Algebra::sub(Expr a, Expr b) {
  unify(a, b);
  if (b->isConstant(0))
    return a;
  if (a->isConstant(0))
    return neg(b);
  if (b->getOp() == ExprOp::Neg)
    return add(a, b->getOperand(0));
  return context.sub(a, b);
}

Expr Algebra::neg(Expr a) {
  if (a->getOp() == ExprOp::Sub)
    return context.sub(a->getOperand(1), a->getOperand(0));
  if (a->getOp() == ExprOp::Mul) // keep the sign where a difference takes it up
    for (unsigned i : {0, 1})
      if (a->getOperand(i)->getOp() == ExprOp::Sub)
        return context.mul(a->getOperand(1 - i), neg(a->getOperand(i)));
  return context.neg(a);
}

Expr Algebra::mul(Expr a, Expr b) {
  unify(a, b);
  if (a->isConstant(0) || b->isConstant(0))
    return context.constant(0, a->getType());
  if (a->isConstant(-1))
    return neg(b);
  if (b->isConstant(-1))
    return neg(a);
  bool sameExponential = a->getOp() == b->getOp() && !a->isConstant() &&
                         (a->getOp() == ExprOp::Exp || a->getOp() == ExprOp::Exp2);
  if (sameExponential)
    return context.unary(a->getOp(), add(a->getOperand(0), b->getOperand(0)));
  return context.mul(a, b);
}

Expr Algebra::div(Expr a, Expr b) {
  unify(a, b);
  if (b->getOp() == ExprOp::Exp || b->getOp() == ExprOp::Exp2) {
    Expr inverse = context.unary(b->getOp(), neg(b->getOperand(0)));
    return a->isConstant(1) ? inverse : mul(a, inverse);
  }
  return context.div(a, b);
}

Expr Algebra::scale(Expr a, double factor) {
  if (factor == 1)
    return a;
  return factor == -1 ? neg(a) : mul(context.constant(factor, a->getType()), a);
}

Expr Algebra::applyFactors(Expr value, const Term &term) {
  Expr result = value;
  if (term.numerator)
    result = mul(result, term.numerator);
  if (term.denominator)
    result = div(result, term.denominator);
  result = scale(result, term.coefficient);
  for (Expr guard : term.guards)
    result = context.select(guard, result, context.constant(0, result->getType()));
  return result;
}

Expr Algebra::toOld(Expr e) {
  return context.substitute(e, [&](Expr node) -> Expr {
    if (node->isLeaf(LeafRole::Frontier))
      return context.leaf(LeafRole::FrontierOld, node->getIndex(), node->getType());
    if (node->isLeaf(LeafRole::Count))
      return context.leaf(LeafRole::CountOld, node->getIndex(), node->getType());
    return nullptr;
  });
}

Expr Algebra::difference(Expr a) {
  if (!readsFrontier(a))
    return context.constant(0, a->getType());
  switch (a->getOp()) {
  case ExprOp::Add:
    return add(difference(a->getOperand(0)), difference(a->getOperand(1)));
  case ExprOp::Sub:
    return sub(difference(a->getOperand(0)), difference(a->getOperand(1)));
  case ExprOp::Neg:
    return neg(difference(a->getOperand(0)));
  case ExprOp::Mul:
    if (!readsFrontier(a->getOperand(0)))
      return mul(a->getOperand(0), difference(a->getOperand(1)));
    if (!readsFrontier(a->getOperand(1)))
      return mul(a->getOperand(1), difference(a->getOperand(0)));
    break;
  case ExprOp::Div:
    if (!readsFrontier(a->getOperand(1)))
      return div(difference(a->getOperand(0)), a->getOperand(1));
    break;
  default:
    break;
  }
  return context.sub(a, toOld(a));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repairs of sums from the terms of their bodies. A term's exponential factor is
// repaired in every iteration by one exponential of a difference; its other factors wait for the
// end. Extremes that stand in exponents are guarded: while a row has no live element its tag is
// infinite, the tag used in its place is 0, and the repair does nothing (a repair by
// exp(0 - new tag) would be inf * 0 in f32).

#include "Terms.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

Expr schedule::finishDead(SolveState &state, Repair &repair, Expr value, Expr raw, Expr guarded,
                          Expr exponent, Refusal &refusal) {
  using DeadKind = SolveState::DeadKind;
  for (Expr leaf : state.getExtremes(exponent)) {
    switch (state.classifyDead(leaf->getIndex(), raw, guarded)) {
    case DeadKind::Harmless:
      break;
    case DeadKind::GivesNaN:
      value = state.context.select(state.isAtIdentity(leaf),
                                   state.context.constant(std::nan(""), value->getType()), value);
      break;
    case DeadKind::Unknown:
      repair.assumesLive |= raw != guarded;
      break;
    case DeadKind::Unsafe:
      refusal = {RefusalKind::UnsafeAtIdentity, raw};
      return nullptr;
    }
  }
  return value;
}

/// exp(new - old) of both exponents, 1 where the old state has no live element.
static Expr makeFactor(SolveState &state, Expr exponent, Expr exponent2) {
  ExprContext &context = state.context;
  Algebra &build = state.build;
  Expr factor = nullptr, condition = nullptr;
  for (auto [power, op] : {std::pair(exponent, ExprOp::Exp), std::pair(exponent2, ExprOp::Exp2)}) {
    if (!power)
      continue;
    factor = build.mulOrNull(factor, context.unary(op, build.difference(power)));
    if (Expr empty = state.isOldStateEmpty(power))
      condition = condition ? context.binary(ExprOp::Or, condition, empty) : empty;
  }
  if (!condition)
    return factor;
  return context.select(condition, context.constant(1, factor->getType()), factor);
}

Expr schedule::carryEager(SolveState &state, Repair &repair, Expr element, Expr exponent,
                          Expr exponent2, Refusal &refusal) {
  ExprContext &context = state.context;
  auto isFinite = [&](Expr e) { return !e || std::isfinite(state.evaluateAtIdentity(e, 1)); };
  Expr raw = element;
  if (!isFinite(exponent) || !isFinite(exponent2)) {
    element = state.guardExtremes(element);
    exponent = exponent ? state.guardExtremes(exponent) : nullptr;
    exponent2 = exponent2 ? state.guardExtremes(exponent2) : nullptr;
    for (Expr e : {exponent, exponent2})
      if (!isFinite(e)) {
        refusal = {RefusalKind::UnsafeAtIdentity, e};
        return nullptr;
      }
  }
  auto *known =
      llvm::find_if(repair.carried, [&](const CarriedValue &c) { return c.element == element; });
  unsigned number = known - repair.carried.begin();
  Expr value = context.leaf(LeafRole::Accumulator, number, element->getType());
  if (known == repair.carried.end()) {
    CarriedValue carried{CombinerKind::Add, element};
    if (exponent || exponent2)
      carried.repair = state.build.mul(value, makeFactor(state, exponent, exponent2));
    repair.carried.push_back(carried);
  }
  for (Expr e : {exponent, exponent2}) {
    if (e && value)
      value = finishDead(state, repair, value, raw, element, e, refusal);
  }
  return value;
}

/// No term can have a sign other than that of the whole.
static bool haveOneSign(SolveState &state, const Terms &terms) {
  Expr positive = nullptr;
  int signs = 0;
  for (const Term &term : terms) {
    positive = state.build.applyFactors(term.core, term);
    Interval range = state.context.getRange(positive);
    signs |= range.isNonNegative() ? 1 : range.isNonPositive() ? 2 : 3;
  }
  return signs != 3;
}

RepairResult schedule::solveSum(SolveState &state, const Terms &terms, const Separator &separator) {
  ExprContext &context = state.context;
  Repair repair;
  repair.numericClass = separator.roundedTerms() ? NumericClass::Approved : NumericClass::Algebraic;
  repair.movesRounding = separator.movedRounding();
  repair.mayCancel = terms.size() > 1 && !haveOneSign(state, terms);
  ScalarType type = state.problem.body->getType();
  Refusal refusal{RefusalKind::NotSeparable};
  for (const Term &term : terms) {
    Expr value = carryEager(state, repair, term.core, term.exponent, term.exponent2, refusal);
    if (!value)
      return refusal;
    value = state.build.coerce(state.build.applyFactors(value, term), type);
    repair.result = repair.result ? state.build.add(repair.result, value) : value;
  }
  if (!repair.result)
    repair.result = context.constant(0, type);
  return repair;
}

RepairResult schedule::solveSumEager(SolveState &state, const Term &term,
                                     const Separator &separator) {
  Repair repair;
  repair.numericClass = NumericClass::Algebraic;
  repair.movesRounding = separator.movedRounding();
  Refusal refusal{RefusalKind::NotSeparable};
  Expr value = carryEager(state, repair, term.core, term.exponent, term.exponent2, refusal);
  if (!value)
    return refusal;
  ExprContext &context = state.context;
  Algebra &build = state.build;
  CarriedValue &carried = repair.carried.front();
  // The body itself: casts inside it see the same range as the body's.
  bool isGuarded = carried.element != term.core;
  carried.element = isGuarded ? state.guardExtremes(state.problem.body) : state.problem.body;
  Expr acc = context.leaf(LeafRole::Accumulator, 0, carried.element->getType());
  Expr h = carried.repair ? carried.repair : acc;
  // (acc * old) / new, in this order: the quotient old / new may be 0 / 0 where acc is 0.
  if (term.denominator)
    h = build.div(build.mul(h, build.toOld(term.denominator)), term.denominator);
  if (term.numerator)
    h = build.div(build.mul(h, term.numerator), build.toOld(term.numerator));
  for (Expr guard : term.guards) {
    h = context.select(build.toOld(guard), h, acc);
    h = context.select(guard, h, context.constant(0, h->getType()));
  }
  for (Expr factor : {term.numerator, term.denominator}) {
    if (!factor)
      continue;
    if (Expr empty = state.isOldStateEmpty(factor))
      h = context.select(empty, acc, h);
    // Unguarded, a tile without live elements may divide by nothing.
    repair.assumesLive |= term.guards.empty() && state.canBeEmpty(factor);
  }
  carried.repair = h;
  repair.result = build.coerce(value, state.problem.body->getType());
  return repair;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbolic split of a body into terms of separated c-only and r-only factors, one rule per
// operation. Cores keep the shape of the body (casts, masks, guards stay where they were), so that
// what is left inside the loop still looks as written.

#include "Terms.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

Separator::Result Separator::fail(RefusalKind kind, Expr term) {
  refusal = {kind, term};
  return std::nullopt;
}

static constexpr unsigned maxTerms = 12;

Separator::Result Separator::separate(Expr e) {
  if (e->isConstant(0))
    return Terms();
  if (!readsFrontier(e))
    return Terms{Term{e}};
  Result result = dispatch(e);
  if (result && result->size() > maxTerms)
    return fail(RefusalKind::RankTooHigh, e);
  if (result)
    merge(*result);
  if (!result && !readsElement(e))
    return atom(e); // r-only values need no finer split
  return result;
}

Terms Separator::atom(Expr e) {
  Term term{context.constant(1, e->getType())};
  term.numerator = e;
  return {term};
}

Separator::Result Separator::dispatch(Expr e) {
  if (e->isLeaf())
    return atom(e);
  switch (e->getOp()) {
  case ExprOp::Add:
  case ExprOp::Sub:
    return isMixed(e) ? separateSum(e) : Result(atom(e));
  case ExprOp::Neg: {
    Result terms = separate(e->getOperand(0));
    if (terms)
      for (Term &term : *terms)
        term.coefficient = -term.coefficient;
    return terms;
  }
  case ExprOp::Mul:
    return separateProduct(e);
  case ExprOp::Div:
    return separateQuotient(e);
  case ExprOp::Exp:
  case ExprOp::Exp2:
    return separateExponential(e);
  case ExprOp::Sqrt:
    return separatePower(e, 0.5);
  case ExprOp::Rsqrt:
    return separatePower(e, -0.5);
  case ExprOp::Pow:
    if (e->getOperand(1)->isConstant())
      return separatePower(e, e->getOperand(1)->getFloat());
    return fail(RefusalKind::NotSeparable, e);
  case ExprOp::Log:
  case ExprOp::Log2:
    return separateLogarithm(e);
  case ExprOp::Abs:
    return separateAbs(e);
  case ExprOp::Max:
  case ExprOp::Min:
    return separateClamp(e);
  case ExprOp::Select:
    return separateSelect(e);
  case ExprOp::Cast:
    return separateCast(e);
  case ExprOp::CmpF:
  case ExprOp::CmpI:
    return fail(RefusalKind::DataDependentSet, e);
  default:
    return fail(RefusalKind::NotSeparable, e);
  }
}

static bool sameFactors(const Term &a, const Term &b) {
  return a.exponent == b.exponent && a.exponent2 == b.exponent2 && a.numerator == b.numerator &&
         a.denominator == b.denominator;
}

/// One guard of `a` is the negation of one of `b`, the others are equal: returns that of `a`.
static Expr findComplement(ExprContext &context, const Term &a, const Term &b) {
  if (a.guards.size() != b.guards.size())
    return nullptr;
  Expr complement = nullptr;
  for (Expr guard : a.guards) {
    if (llvm::is_contained(b.guards, guard))
      continue;
    if (complement || !llvm::is_contained(b.guards, context.logicalNot(guard)))
      return nullptr;
    complement = guard;
  }
  return complement;
}

void Separator::merge(Terms &terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t j = i + 1; j < terms.size();) {
      Term &a = terms[i], &b = terms[j];
      bool merged = false;
      if (sameFactors(a, b) && a.guards == b.guards) {
        a.core = build.add(a.core, build.scale(b.core, b.coefficient / a.coefficient));
        merged = true;
      } else if (sameFactors(a, b) && a.core == b.core && a.coefficient == b.coefficient) {
        if (Expr guard = findComplement(context, a, b)) {
          a.guards.erase(llvm::find(a.guards, guard));
          merged = true;
        }
      }
      if (merged)
        terms.erase(terms.begin() + j);
      else
        ++j;
    }
  }
}

Separator::Result Separator::separateSum(Expr e) {
  Result a = separate(e->getOperand(0));
  Result b = a ? separate(e->getOperand(1)) : std::nullopt;
  if (!b)
    return std::nullopt;
  for (Term &term : *b) {
    if (e->getOp() == ExprOp::Sub)
      term.coefficient = -term.coefficient;
    a->push_back(term);
  }
  return a;
}

Term Separator::combine(const Term &a, const Term &b) {
  Term result = a;
  result.core = build.mul(a.core, b.core);
  result.coefficient = a.coefficient * b.coefficient;
  result.exponent = build.addOrNull(a.exponent, b.exponent);
  result.exponent2 = build.addOrNull(a.exponent2, b.exponent2);
  result.numerator = build.mulOrNull(a.numerator, b.numerator);
  result.denominator = build.mulOrNull(a.denominator, b.denominator);
  for (Expr guard : b.guards)
    if (!llvm::is_contained(result.guards, guard))
      result.guards.push_back(guard);
  return result;
}

Separator::Result Separator::separateProduct(Expr e) {
  Result a = separate(e->getOperand(0));
  Result b = a ? separate(e->getOperand(1)) : std::nullopt;
  if (!b)
    return std::nullopt;
  Terms products;
  for (const Term &x : *a)
    for (const Term &y : *b)
      products.push_back(combine(x, y));
  return products;
}

Separator::Result Separator::separateQuotient(Expr e) {
  Result a = separate(e->getOperand(0));
  Result b = a ? separate(e->getOperand(1)) : std::nullopt;
  if (!b)
    return std::nullopt;
  if (b->size() != 1 || !b->front().guards.empty())
    return fail(RefusalKind::MixedDivisor, e->getOperand(1));
  const Term &divisor = b->front();
  Term inverse{context.constant(1, e->getType())};
  inverse.coefficient = 1 / divisor.coefficient;
  inverse.exponent = divisor.exponent ? build.neg(divisor.exponent) : nullptr;
  inverse.exponent2 = divisor.exponent2 ? build.neg(divisor.exponent2) : nullptr;
  inverse.numerator = divisor.denominator;
  inverse.denominator = divisor.numerator;
  Terms quotients;
  for (const Term &term : *a) {
    Expr core = term.core;
    quotients.push_back(combine(term, inverse));
    quotients.back().core = divisor.core->isConstant(1) ? core : build.div(core, divisor.core);
  }
  return quotients;
}

/// b of a summand log(b), or null.
static Expr getLogOperand(Expr e) { return e->getOp() == ExprOp::Log ? e->getOperand(0) : nullptr; }

Separator::Result Separator::separateExponential(Expr e) {
  Expr argument = e->getOperand(0);
  Result summands = separate(argument);
  bool isPure = summands && llvm::all_of(*summands, [](const Term &term) {
                  bool isElement = !term.exponent && !term.exponent2 && !term.numerator &&
                                   !term.denominator && term.guards.empty();
                  return isElement || !readsElement(term.core);
                });
  if (!isPure) {
    // A mask inside the exponential: exp(select(c, a, b)) = select(c, exp a, exp b).
    if (argument->getOp() == ExprOp::Select && !readsFrontier(argument->getOperand(0)))
      return separate(context.select(argument->getOperand(0),
                                     context.unary(e->getOp(), argument->getOperand(1)),
                                     context.unary(e->getOp(), argument->getOperand(2))));
    return summands ? fail(RefusalKind::MixedExponent, argument) : std::nullopt;
  }
  Term result{e};
  Expr rest = nullptr, exponent = nullptr;
  bool dropsLogs = false;
  for (const Term &term : *summands) {
    if (readsElement(term.core)) {
      rest = build.addOrNull(rest, build.scale(term.core, term.coefficient));
      continue;
    }
    // exp(-log b) is the factor 1 / b, which needn't be repaired.
    Expr base = term.numerator && !term.denominator ? getLogOperand(term.numerator) : nullptr;
    if (base && e->getOp() == ExprOp::Exp && term.core->isConstant(1) && term.guards.empty() &&
        std::fabs(term.coefficient) == 1) {
      Expr &factor = term.coefficient > 0 ? result.numerator : result.denominator;
      factor = build.mulOrNull(factor, base);
      dropsLogs = true;
      continue;
    }
    Expr part = build.applyFactors(term.core, term);
    (readsFrontier(part) ? exponent : rest) =
        build.addOrNull(readsFrontier(part) ? exponent : rest, part);
  }
  (e->getOp() == ExprOp::Exp ? result.exponent : result.exponent2) = exponent;
  if (dropsLogs) {
    Expr left = build.addOrNull(rest, exponent);
    result.core = left ? context.unary(e->getOp(), left) : context.constant(1, e->getType());
  }
  return Terms{result};
}

Separator::Result Separator::separatePower(Expr e, double exponent) {
  Expr base = e->getOperand(0);
  bool isInteger = exponent == std::floor(exponent);
  Result terms = separate(base);
  if (!terms)
    return std::nullopt;
  if (terms->size() > 1 && isInteger && (exponent == 2 || exponent == 3)) {
    Expr square = context.mul(base, base);
    return separateProduct(exponent == 2 ? square : context.mul(square, base));
  }
  if (terms->size() != 1 || !terms->front().guards.empty())
    return fail(RefusalKind::NotSeparable, e);
  Term term = terms->front();
  auto isPositive = [&](Expr factor) { return !factor || context.getRange(factor).isPositive(); };
  bool signKnown =
      term.coefficient > 0 && isPositive(term.numerator) && isPositive(term.denominator);
  // For r-only values the caller falls back to the whole value as one factor.
  if (!isInteger && !signKnown)
    return fail(RefusalKind::UnknownSign, term.numerator ? term.numerator : base);
  auto raise = [&](Expr factor) -> Expr {
    if (!factor || factor->isConstant(1))
      return factor;
    return e->getOp() == ExprOp::Pow
               ? context.binary(ExprOp::Pow, factor,
                                build.coerce(e->getOperand(1), factor->getType()))
               : context.unary(e->getOp(), factor);
  };
  auto scaleExponent = [&](Expr x) { return x ? build.scale(x, exponent) : nullptr; };
  term.core = raise(term.core);
  term.coefficient = std::pow(term.coefficient, exponent);
  term.exponent = scaleExponent(term.exponent);
  term.exponent2 = scaleExponent(term.exponent2);
  term.numerator = raise(term.numerator);
  term.denominator = raise(term.denominator);
  return Terms{term};
}

Separator::Result Separator::separateLogarithm(Expr e) {
  Result terms = separate(e->getOperand(0));
  if (!terms)
    return std::nullopt;
  if (terms->size() != 1 || !terms->front().guards.empty())
    return fail(RefusalKind::NotSeparable, e);
  const Term &term = terms->front();
  for (Expr factor : {term.numerator, term.denominator})
    if (factor && !context.getRange(factor).isPositive())
      return fail(RefusalKind::UnknownSign, factor);
  if (term.coefficient <= 0 || term.exponent || term.exponent2)
    return fail(RefusalKind::NotSeparable, e);
  Terms result;
  Expr core = build.scale(term.core, term.coefficient);
  if (!core->isConstant(1))
    result.push_back(Term{context.unary(e->getOp(), core)});
  if (term.numerator)
    result.append(atom(context.unary(e->getOp(), term.numerator)));
  if (term.denominator) {
    result.append(atom(context.unary(e->getOp(), term.denominator)));
    result.back().coefficient = -1;
  }
  return result;
}

Separator::Result Separator::separateAbs(Expr e) {
  Result terms = separate(e->getOperand(0));
  if (!terms)
    return std::nullopt;
  if (terms->size() != 1)
    return fail(RefusalKind::DataDependentSet, e);
  Term term = terms->front();
  auto absolute = [&](Expr factor) -> Expr {
    if (!factor || context.getRange(factor).isNonNegative())
      return factor;
    return context.unary(ExprOp::Abs, factor);
  };
  term.core = absolute(term.core);
  term.coefficient = std::fabs(term.coefficient);
  term.numerator = absolute(term.numerator);
  term.denominator = absolute(term.denominator);
  return Terms{term};
}

/// max(x, 0) and min(x, 0) commute with positive factors.
Separator::Result Separator::separateClamp(Expr e) {
  Expr x = e->getOperand(0), zero = e->getOperand(1);
  if (x->isConstant(0))
    std::swap(x, zero);
  Result terms = separate(x);
  if (!terms)
    return std::nullopt;
  if (!zero->isConstant(0) || terms->size() != 1)
    return fail(RefusalKind::DataDependentSet, e);
  Term term = terms->front();
  for (Expr factor : {term.numerator, term.denominator})
    if (factor && !context.getRange(factor).isPositive())
      return fail(RefusalKind::UnknownSign, factor);
  bool flips = term.coefficient < 0;
  ExprOp op = (e->getOp() == ExprOp::Max) != flips ? ExprOp::Max : ExprOp::Min;
  term.core = context.binary(op, term.core, context.constant(0, term.core->getType()));
  return Terms{term};
}

Separator::Result Separator::separateFrontierSelect(Expr condition, Expr e) {
  Result a = separate(e->getOperand(1));
  Result b = a ? separate(e->getOperand(2)) : std::nullopt;
  if (!b)
    return std::nullopt;
  Expr negated = context.logicalNot(condition);
  for (auto [terms, guard] : {std::pair(&*a, condition), std::pair(&*b, negated)})
    for (Term &term : *terms)
      if (!llvm::is_contained(term.guards, guard))
        term.guards.push_back(guard);
  a->append(b->begin(), b->end());
  return a;
}

Separator::Result Separator::separateSelect(Expr e) {
  Expr condition = e->getOperand(0);
  if (isMixed(condition))
    return fail(RefusalKind::DataDependentSet, condition);
  if (readsFrontier(condition)) {
    Result terms = separateFrontierSelect(condition, e);
    // An r-only value is taken apart only for its exponentials.
    bool isWhole = terms && !readsElement(e) && llvm::all_of(*terms, [](const Term &term) {
                     return !term.exponent && !term.exponent2;
                   });
    return isWhole ? Result(atom(e)) : terms;
  }
  Result a = separate(e->getOperand(1));
  Result b = a ? separate(e->getOperand(2)) : std::nullopt;
  if (!b)
    return std::nullopt;
  bool matches = a->size() == 1 && b->size() == 1 && sameFactors(a->front(), b->front()) &&
                 a->front().guards == b->front().guards;
  if (matches) {
    Term term = a->front();
    term.core =
        context.select(condition, term.core,
                       build.scale(b->front().core, b->front().coefficient / term.coefficient));
    return Terms{term};
  }
  for (Term &term : *a)
    term.core = context.select(condition, term.core, context.constant(0, term.core->getType()));
  for (Term &term : *b) {
    term.core = context.select(condition, context.constant(0, term.core->getType()), term.core);
    a->push_back(term);
  }
  return a;
}

Separator::Result Separator::separateCast(Expr e) {
  Expr operand = e->getOperand(0);
  if (!isFloat(operand->getType()) || !isFloat(e->getType()))
    return fail(RefusalKind::RoundsMixed, e);
  Result terms = separate(operand);
  if (!terms)
    return std::nullopt;
  bool rounds = getBitWidth(e->getType()) < getBitWidth(operand->getType());
  if (rounds && isMixed(e)) {
    if (getBitWidth(e->getType()) < policy.narrowestRounding)
      return fail(RefusalKind::RoundsMixed, e);
    if (terms->size() > 1 && !policy.roundEachTerm)
      return fail(RefusalKind::RoundsSum, e);
    movesRounding = true;
    roundsTerms |= terms->size() > 1;
  }
  for (Term &term : *terms)
    term.core = context.cast(term.core, e->getType());
  return terms;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split of a body into terms: body = sum over terms of core * coefficient * numerator /
// denominator, each 0 where a guard is false. Cores are sums' elements, the rest is r-only and
// leaves the sum; the exponential factors of r stay in the core and are also listed as exponents.
// Private to the solver.

#ifndef NAUTILUS_LIB_SCHEDULE_SOLVER_TERMS_H
#define NAUTILUS_LIB_SCHEDULE_SOLVER_TERMS_H

#include "nautilus/Schedule/Solver.h"

namespace mlir::nautilus::schedule {

/// Null expressions stand for 0 in exponents and 1 in factors.
struct Term {
  Expr core;
  double coefficient = 1;
  Expr exponent = nullptr;  // the core has the r-only factor exp(exponent) …
  Expr exponent2 = nullptr; // … and 2 ** exponent2
  Expr numerator = nullptr, denominator = nullptr;
  SmallVector<Expr, 1> guards = {}; // r-only conditions, all must hold
};
using Terms = SmallVector<Term, 4>;

inline bool readsFrontier(Expr e) {
  return e->reads(LeafRole::Frontier) || e->reads(LeafRole::Count);
}
inline bool readsElement(Expr e) {
  return e->reads(LeafRole::Element) || e->reads(LeafRole::AxisIndex);
}
inline bool isMixed(Expr e) { return readsFrontier(e) && readsElement(e); }

/// Simplifying constructors over the reals; operands are cast to the wider type first.
class Algebra {
public:
  explicit Algebra(ExprContext &context) : context(context) {}
  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr div(Expr a, Expr b);
  Expr neg(Expr a);
  /// Null operands as in Term.
  Expr addOrNull(Expr a, Expr b) { return !a ? b : !b ? a : add(a, b); }
  Expr subOrNull(Expr a, Expr b) { return !b ? a : !a ? neg(b) : sub(a, b); }
  Expr mulOrNull(Expr a, Expr b) { return !a ? b : !b ? a : mul(a, b); }
  Expr scale(Expr a, double factor);
  Expr coerce(Expr a, ScalarType type);
  /// `value` times the r-only factors of `term`; guards give 0.
  Expr applyFactors(Expr value, const Term &term);
  /// a(r_new) - a(r_old) for r-only `a`, with common factors kept outside.
  Expr difference(Expr a);
  /// `e` with Frontier and Count replaced by their old versions.
  Expr toOld(Expr e);

private:
  void unify(Expr &a, Expr &b);
  ExprContext &context;
};

/// Splits bodies; on failure `getRefusal` tells why.
class Separator {
public:
  Separator(ExprContext &context, const RepairPolicy &policy)
      : context(context), build(context), policy(policy) {}

  std::optional<Terms> separate(Expr e);
  const Refusal &getRefusal() const { return refusal; }
  bool movedRounding() const { return movesRounding; }
  bool roundedTerms() const { return roundsTerms; }

private:
  using Result = std::optional<Terms>;
  Result fail(RefusalKind kind, Expr term);
  Result dispatch(Expr e);
  Result separateSum(Expr e);
  Result separateProduct(Expr e);
  Result separateQuotient(Expr e);
  Result separateExponential(Expr e);
  Result separatePower(Expr e, double exponent);
  Result separateLogarithm(Expr e);
  Result separateAbs(Expr e);
  Result separateClamp(Expr e);
  Result separateSelect(Expr e);
  Result separateFrontierSelect(Expr condition, Expr e);
  Result separateCast(Expr e);
  /// The terms of `e` if r-only and without a finer rule.
  Terms atom(Expr e);
  void merge(Terms &terms);
  Term combine(const Term &a, const Term &b);

  ExprContext &context;
  Algebra build;
  const RepairPolicy &policy;
  Refusal refusal{RefusalKind::NotSeparable};
  bool movesRounding = false, roundsTerms = false;
};

using Assignment = SmallVector<std::pair<Expr, ScalarValue>>;

/// Everything the parts of one solution share.
struct SolveState {
  ExprContext &context;
  const RepairProblem &problem;
  Algebra build;
  SolveState(ExprContext &context, const RepairProblem &problem)
      : context(context), problem(problem), build(context) {}

  double getIdentity(unsigned frontier) const;
  /// The frontier value is an extreme of elements: at its identity no element was live.
  bool isSelective(unsigned frontier) const;
  /// Frontier leaves of extremes that `e` reads.
  SmallVector<Expr> getExtremes(Expr e) const;
  /// The condition that frontier leaf `leaf` (new or old) is at its identity.
  Expr isAtIdentity(Expr leaf);
  /// Value of r-only `e` where all frontier values are identities and the count is `count`.
  double evaluateAtIdentity(Expr e, double count) const;
  /// Condition that an old value read by r-only `e` belongs to a state without live elements, in
  /// which a repair must do nothing. Null if no value of `e` can tell.
  Expr isOldStateEmpty(Expr e);
  /// After elements were seen, a frontier value of `e` may still be at its identity.
  bool canBeEmpty(Expr e) const;
  /// Values of leaves at which the element of `frontier` is its identity.
  std::optional<Assignment> findDeadElement(unsigned frontier, unsigned seed) const;
  /// How an element behaves where an extreme is at its identity: `raw` as the body says it,
  /// `guarded` as the loop computes it.
  enum class DeadKind { Harmless, GivesNaN, Unknown, Unsafe };
  DeadKind classifyDead(unsigned frontier, Expr raw, Expr guarded) const;
  /// `e` with every extreme among its frontier leaves replaced by select(at identity, 0, leaf).
  Expr guardExtremes(Expr e);
};

/// A carried value of a sum with exponential factors `exponents` of base e and 2 (null: none).
/// Guards `element` and `exponents`. Returns what `result` reads in place of the accumulator
/// `number`, or null with `refusal` set.
Expr carryEager(SolveState &state, Repair &repair, Expr element, Expr exponent, Expr exponent2,
                Refusal &refusal);

/// `value`, or NaN where the body gives NaN because an extreme read by `exponent` has seen no live
/// element; null with `refusal` set if the state without live elements can't be repaired.
Expr finishDead(SolveState &state, Repair &repair, Expr value, Expr raw, Expr guarded,
                Expr exponent, Refusal &refusal);

/// Repairs for sums: exponentials eager, everything else deferred.
RepairResult solveSum(SolveState &state, const Terms &terms, const Separator &separator);
/// Repairs for sums of functions of c - Y(r): the basis moves with Y, so nothing cancels.
/// Nothing if the body hasn't that shape.
std::optional<Repair> solveShifted(SolveState &state);
/// All r-only factors repaired in each iteration; one term.
RepairResult solveSumEager(SolveState &state, const Term &term, const Separator &separator);
/// Repairs for max and min.
RepairResult solveExtreme(SolveState &state);

/// Replaces carried values that the loop has anyway: counts and frontier values.
void reuseKnownValues(SolveState &state, Repair &repair);

} // namespace mlir::nautilus::schedule

#endif

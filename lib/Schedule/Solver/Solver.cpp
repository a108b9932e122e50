// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry of the repair solver: cheap refusals, the choice between the ways to a repair, reuse of
// values that the loop has anyway, verification, and the memory of answers.

#include "nautilus/Schedule/Solver.h"
#include "Reducers.h"
#include "Terms.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

bool Repair::isEager() const {
  return llvm::any_of(carried, [](const CarriedValue &c) { return c.repair != nullptr; });
}

StringRef schedule::stringifyRefusalKind(RefusalKind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "not-monoid",         "strict-policy",       "frontier-along-axis", "not-separable",
      "mixed-exponent",     "mixed-divisor",       "data-dependent-set",  "unknown-sign",
      "rounds-mixed",       "rounds-sum",          "rank-too-high",       "cancels",
      "unsafe-at-identity", "unsupported-reducer", "not-verified"};
  return names[static_cast<unsigned>(kind)];
}

std::string schedule::getText(const Refusal &refusal, function_ref<std::string(Expr)> name) {
  std::string term = refusal.term ? "'" + toString(refusal.term, name) + "'" : "the body";
  switch (refusal.kind) {
  case RefusalKind::NotMonoid:
    return "the reduction's combiner is not a known commutative monoid";
  case RefusalKind::StrictPolicy:
    return term + " needs a repair, which changes rounding";
  case RefusalKind::FrontierAlongAxis:
    return term + " reads an unfinished reduction at a position along its own axis";
  case RefusalKind::NotSeparable:
    return term + " does not separate into elements and unfinished reductions";
  case RefusalKind::MixedExponent:
    return "exponent " + term + " multiplies an element by an unfinished reduction";
  case RefusalKind::MixedDivisor:
    return "divisor " + term + " adds an element to an unfinished reduction";
  case RefusalKind::DataDependentSet:
    return term + " lets an unfinished reduction decide which elements count";
  case RefusalKind::UnknownSign:
    return "the sign of " + term + " is not known";
  case RefusalKind::RoundsMixed:
    return term + " rounds a value that depends on an unfinished reduction";
  case RefusalKind::RoundsSum:
    return term + " rounds a sum whose parts are repaired apart";
  case RefusalKind::RankTooHigh:
    return term + " needs too many carried values";
  case RefusalKind::Cancels:
    return term + " would be a small difference of large sums";
  case RefusalKind::UnsafeAtIdentity:
    return term + " has no finite value before the first live element";
  case RefusalKind::UnsupportedReducer:
    return term + " has no repair under this reduction's combiner";
  case RefusalKind::NotVerified:
    return "the repair of " + term + " failed its tests";
  }
  return {};
}

void schedule::reuseKnownValues(SolveState &state, Repair &repair) {
  ExprContext &context = state.context;
  ArrayRef<FrontierValue> frontier = state.problem.frontier;
  SmallVector<std::pair<Expr, Expr>> known(repair.carried.size()); // {new, old} or nulls
  SmallVector<unsigned> number(repair.carried.size());
  SmallVector<CarriedValue, 2> kept;
  for (unsigned i = 0; i < repair.carried.size(); ++i) {
    const CarriedValue &carried = repair.carried[i];
    ScalarType type = carried.element->getType();
    bool counts = carried.reducer == CombinerKind::Add && carried.element->isConstant() &&
                  state.problem.hasCount;
    auto *same = llvm::find_if(frontier, [&](const FrontierValue &value) {
      return !value.isDeferred && value.reducer == carried.reducer &&
             value.element == carried.element;
    });
    if (counts) {
      Expr count = context.leaf(LeafRole::Count, 0, type);
      known[i].first = state.build.scale(count, carried.element->getFloat());
    } else if (same != frontier.end()) {
      known[i].first = context.leaf(LeafRole::Frontier, same - frontier.begin(), type);
    } else {
      number[i] = kept.size();
      kept.push_back(carried);
      continue;
    }
    known[i].second = state.build.toOld(known[i].first);
  }
  // After the loop the newest value is meant, in a repair the one before the tile.
  auto replace = [&](Expr e, bool old) -> Expr {
    return e ? context.substitute(e,
                                  [&](Expr node) -> Expr {
                                    if (!node->isLeaf(LeafRole::Accumulator))
                                      return nullptr;
                                    auto [newest, previous] = known[node->getIndex()];
                                    if (newest)
                                      return old ? previous : newest;
                                    return context.leaf(LeafRole::Accumulator,
                                                        number[node->getIndex()], node->getType());
                                  })
             : nullptr;
  };
  for (CarriedValue &carried : kept)
    carried.repair = replace(carried.repair, true);
  repair.result = replace(repair.result, false);
  repair.carried = kept;
}

/// The body doesn't read the frontier: nothing to repair.
static Repair solveIndependent(SolveState &state) {
  Expr body = state.problem.body;
  Repair repair;
  repair.carried.push_back({state.problem.reducer, body});
  repair.result = state.context.leaf(LeafRole::Accumulator, 0, body->getType());
  return repair;
}

static RepairResult solveAddition(SolveState &state, bool defer) {
  const RepairProblem &problem = state.problem;
  Separator separator(state.context, problem.policy);
  std::optional<Terms> terms = separator.separate(problem.body);
  if (terms && terms->size() == 1 && !defer)
    return solveSumEager(state, terms->front(), separator);
  RepairResult plain =
      terms ? solveSum(state, *terms, separator) : RepairResult(separator.getRefusal());
  if (plain && !plain->mayCancel)
    return plain;
  // A moving basis keeps differences small.
  std::optional<Repair> shifted = solveShifted(state);
  if (shifted && !shifted->mayCancel)
    return *shifted;
  if (!plain)
    return shifted ? RepairResult(*shifted) : plain;
  // A sum of squares that is a difference of large sums may lose all digits.
  if (state.context.getRange(problem.body).isNonNegative() && !problem.policy.allowCancellation)
    return Refusal{RefusalKind::Cancels, problem.body};
  return plain;
}

static std::optional<Refusal> refuseEarly(const RepairProblem &problem) {
  if (problem.reducer == CombinerKind::Custom)
    return Refusal{RefusalKind::NotMonoid, problem.body};
  for (Expr leaf : getLeaves(problem.body))
    if (leaf->isLeaf(LeafRole::Frontier) && problem.frontier[leaf->getIndex()].isAlongAxis)
      return Refusal{RefusalKind::FrontierAlongAxis, leaf};
  if (!readsFrontier(problem.body))
    return std::nullopt;
  if (!problem.policy.algebraic)
    return Refusal{RefusalKind::StrictPolicy, problem.body};
  // A product's factor R(r) ** n leaves the range of floats long before the product does.
  bool hasRule = problem.reducer == CombinerKind::Add || isExtreme(problem.reducer);
  if (!isFloat(problem.body->getType()) || !hasRule)
    return Refusal{RefusalKind::UnsupportedReducer, problem.body};
  return std::nullopt;
}

/// With no element the result should be the reducer's identity.
static bool differsWhenEmpty(SolveState &state, const Repair &repair) {
  Evaluator evaluator(EvalMode::Real);
  for (Expr leaf : getLeaves(repair.result)) {
    double value = leaf->isLeaf(LeafRole::Accumulator)
                       ? getIdentityOf(repair.carried[leaf->getIndex()].reducer)
                   : leaf->isLeaf(LeafRole::Frontier) ? state.getIdentity(leaf->getIndex())
                   : leaf->isLeaf(LeafRole::Count)    ? 0
                                                      : 0.75;
    evaluator.set(leaf, value);
  }
  return evaluator.evaluateFloat(repair.result) != getIdentityOf(state.problem.reducer);
}

/// Reuse, limits and tests.
static RepairResult finish(SolveState &state, const RepairResult &candidate) {
  if (!candidate)
    return candidate;
  const RepairProblem &problem = state.problem;
  Repair reused = *candidate;
  reuseKnownValues(state, reused);
  if (reused.carried.size() > problem.policy.maxRank)
    return Refusal{RefusalKind::RankTooHigh, problem.body};
  if (!verifyRepair(state.context, problem, *candidate, reused))
    return Refusal{RefusalKind::NotVerified, problem.body};
  reused.needsElement = differsWhenEmpty(state, reused);
  return reused;
}

static RepairResult solveUncached(ExprContext &context, const RepairProblem &problem) {
  if (std::optional<Refusal> refusal = refuseEarly(problem))
    return *refusal;
  SolveState state(context, problem);
  if (!readsFrontier(problem.body))
    return solveIndependent(state);
  if (isExtreme(problem.reducer))
    return finish(state, solveExtreme(state));
  RepairResult candidate = solveAddition(state, problem.policy.defer);
  RepairResult result = finish(state, candidate);
  // A factor that kept a cast's operand in range can't wait for the end.
  if (!result && result.getRefusal().kind == RefusalKind::NotVerified && candidate->movesRounding)
    result = finish(state, solveAddition(state, /*defer=*/false));
  return result;
}

const RepairResult &RepairSolver::solve(const RepairProblem &problem) {
  auto address = [](Expr e) { return reinterpret_cast<uintptr_t>(e); };
  const RepairPolicy &policy = problem.policy;
  std::vector<uint64_t> key = {static_cast<uint64_t>(problem.reducer),
                               address(problem.body),
                               problem.hasCount,
                               context.getFactVersion(),
                               problem.extentDim ? *problem.extentDim + 1u : 0u,
                               llvm::bit_cast<uint64_t>(problem.extentValue.value_or(-1)),
                               policy.algebraic,
                               policy.narrowestRounding,
                               policy.roundEachTerm,
                               policy.defer,
                               policy.allowCancellation,
                               policy.maxRank};
  for (const FrontierValue &value : problem.frontier) {
    key.push_back(static_cast<uint64_t>(value.reducer) * 4 + value.isDeferred * 2 +
                  value.isAlongAxis);
    key.push_back(address(value.element));
  }
  auto it = cache.find(key);
  if (it == cache.end())
    it = cache.emplace(std::move(key), solveUncached(context, problem)).first;
  return it->second;
}

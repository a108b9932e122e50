// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repairs of rolling updates, derived from the algebra of a body. A reduction t = (+)_j G(r, c_j)
// over an axis J reads r, results of earlier reductions over the same J (the frontier). To run t in
// the same loop over tiles of J, where r is unfinished, one needs maps h(.; r, r') with
//
//   (A1) h(G(r, c); r, r') = G(r', c)        (A2) h(a (+) b) = h(a) (+) h(b),  h(identity) =
//   identity
//
// Then after every tile: acc = h(acc; r_old, r_new) (+) (+)_{j in tile} G(r_new, c_j). The solver
// finds h by splitting G into sums of products of c-only and r-only parts, never by comparing G
// with known operators. Factors that are exponentials of r are repaired in every iteration (eager);
// all other r-only factors leave the sum and are applied once after the loop (deferred). For max
// and min, a monotone G(r, .) is applied once after the loop.
//
// Every result is tested by evaluation (A1, A2, composition, states at the identity, whole rows)
// before it is returned; see Verify.cpp.

#ifndef NAUTILUS_SCHEDULE_SOLVER_H
#define NAUTILUS_SCHEDULE_SOLVER_H

#include "nautilus/Interfaces/Combiner.h"
#include "nautilus/Schedule/Expr.h"

#include <map>
#include <optional>
#include <vector>

namespace mlir::nautilus::schedule {

/// An earlier reduction over J. In bodies its value is the leaf (Frontier, position).
struct FrontierValue {
  CombinerKind reducer = CombinerKind::Custom;
  /// Its own body G over the same c leaves and over frontier leaves of lower position. May be null;
  /// then states where no element was live can be neither guarded nor tested on whole rows.
  Expr element = nullptr;
  /// Its running value is unsafe to read inside the loop (for example a quotient by a sum that may
  /// still be 0), so that it may be read after the loop only.
  bool isDeferred = false;
  /// Indexed by J itself: not one value per row.
  bool isAlongAxis = false;
};

struct RepairPolicy {
  /// Real-number identities. Off (`strict`): only what needs no repair.
  bool algebraic = true;
  /// A cast to a type of at least this many bits may move across a factor of r (its relative error
  /// stays the same); narrower ones are refused. 0 = all, 64 = none.
  unsigned narrowestRounding = 8;
  /// A cast may move into a sum, which changes values by design (class `approved`).
  bool roundEachTerm = false;
  /// Apply factors that aren't exponentials after the loop; off: repair everything in every
  /// iteration.
  bool defer = true;
  /// Accept sums that lose digits when the data's mean is large against its spread.
  bool allowCancellation = false;
  /// Limit on carried values.
  unsigned maxRank = 4;
};

struct RepairProblem {
  CombinerKind reducer = CombinerKind::Custom;
  Expr body = nullptr;
  SmallVector<FrontierValue> frontier;
  /// The loop can provide the number of elements seen so far (leaf Count). `extentDim`,
  /// `extentValue`: how a body says the extent of J, if it does.
  bool hasCount = true;
  std::optional<unsigned> extentDim;
  std::optional<double> extentValue;
  RepairPolicy policy;
};

enum class NumericClass { Exact, Algebraic, Approved };

/// One value that the loop carries. It starts at the identity of `reducer`.
struct CarriedValue {
  CombinerKind reducer;
  /// What each element contributes: over c leaves, Frontier (the newest values) and Count.
  Expr element;
  /// h: over Accumulator leaves (numbered as `Repair::carried`, values before the tile), Frontier,
  /// FrontierOld, Count, CountOld. Null: the identity map.
  Expr repair = nullptr;
};

struct Repair {
  SmallVector<CarriedValue, 2> carried;
  /// The reduction's value: over Accumulator, Frontier and Count after the last tile.
  Expr result = nullptr;
  NumericClass numericClass = NumericClass::Exact;
  /// A cast was moved across a factor.
  bool movesRounding = false;
  /// `result` may lose digits where mean >> spread.
  bool mayCancel = false;
  /// With no element at all, `result` isn't the identity: if the extent may be 0, select it.
  bool needsElement = false;
  /// A row without live element in its first tiles can't be proven safe (no `element` was given).
  bool assumesLive = false;

  /// Some carried value has a repair.
  bool isEager() const;
};

/// Why no repair was found. Each comes with the sub-term that it is about.
enum class RefusalKind {
  NotMonoid,          // the reducer isn't one of the known monoids
  StrictPolicy,       // any repair would change bits
  FrontierAlongAxis,  // the frontier value differs along J
  NotSeparable,       // a function of a mixed value with no rule
  MixedExponent,      // exponential of a product of c and r
  MixedDivisor,       // division by a sum of c and r
  DataDependentSet,   // r decides which elements take part
  UnknownSign,        // direction or domain depends on an unknown sign
  RoundsMixed,        // rounds a mixed value, against the policy
  RoundsSum,          // rounds a sum of mixed values
  RankTooHigh,        // more carried values than allowed
  Cancels,            // digits would be lost
  UnsafeAtIdentity,   // no finite repair from the state without elements
  UnsupportedReducer, // no rule for this monoid with this body
  NotVerified         // failed its tests
};

struct Refusal {
  RefusalKind kind;
  Expr term = nullptr;
};

StringRef stringifyRefusalKind(RefusalKind kind);
/// Lower case, no full stop; `name` names leaves.
std::string getText(const Refusal &refusal, function_ref<std::string(Expr)> name = nullptr);

class [[nodiscard]] RepairResult {
public:
  RepairResult(Repair repair) : repair(std::move(repair)) {}
  RepairResult(Refusal refusal) : refusal(refusal) {}
  explicit operator bool() const { return repair.has_value(); }
  const Repair &operator*() const { return *repair; }
  const Repair *operator->() const { return &*repair; }
  const Refusal &getRefusal() const { return *refusal; }

private:
  std::optional<Repair> repair;
  std::optional<Refusal> refusal;
};

/// Tests `repair` by evaluation. `own` is the same repair before values that the loop has anyway
/// (counts, frontier values) took the place of carried ones.
bool verifyRepair(ExprContext &context, const RepairProblem &problem, const Repair &own,
                  const Repair &repair);

/// Solves problems whose expressions live in one context, and remembers answers.
class RepairSolver {
public:
  explicit RepairSolver(ExprContext &context) : context(context) {}
  const RepairResult &solve(const RepairProblem &problem);
  unsigned getNumSolved() const { return cache.size(); }

private:
  ExprContext &context;
  std::map<std::vector<uint64_t>, RepairResult> cache;
};

} // namespace mlir::nautilus::schedule

#endif

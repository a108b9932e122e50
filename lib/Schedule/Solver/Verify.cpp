// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of a repair by evaluation, independent of how it was found: (A1), (A2), composition
// h(h(a; r, r'); r', r'') = h(a; r, r''), agreement of the result with the body, states at the
// identity, and whole rows run tile by tile against the formula, with rows and tiles without live
// elements and with scores of size 100. Points are drawn in double and, where overflow matters, as
// the machine rounds.

#include "Reducers.h"
#include "Sampler.h"
#include "Terms.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

namespace {

using Values = llvm::DenseMap<Expr, ScalarValue>;

class Verifier {
public:
  Verifier(SolveState &state, const Repair &own, const Repair &reused);
  bool run() { return testPoints() && testIdentities() && testRows(); }

private:
  using Vector = SmallVector<double, 4>;
  /// A version of the frontier and the count.
  struct Tag {
    Vector frontier;
    double count = 1;
  };
  Tag sampleTag(double scale, bool positive);
  Values sampleElement(double offset = 0, double scale = 2);
  void assign(Evaluator &evaluator, const Tag &tag, bool old) const;
  double evaluate(Expr e, EvalMode mode, const Values &c, const Tag &tag, const Tag *old = nullptr,
                  const Vector *acc = nullptr) const;
  Vector getElements(const Repair &r, EvalMode mode, const Values &c, const Tag &tag) const;
  Vector applyRepair(const Repair &r, EvalMode mode, const Vector &acc, const Tag &old,
                     const Tag &tag) const;
  Vector combine(const Repair &r, const Vector &a, const Vector &b) const;
  Vector getIdentities(const Repair &r) const;
  bool isClose(const Vector &a, const Vector &b, const Vector &scale) const;

  bool testPoints();
  bool testPoint(bool positive, unsigned &conclusive);
  bool testIdentities();
  bool testRows();
  bool overflowsCast(Expr e, const Values &c, const Tag &tag) const;
  bool leavesRange(const Values &c, const Tag &tag, const Tag &last) const;
  bool testRow(EvalMode mode, ArrayRef<Values> row, bool isLarge);
  std::pair<double, double> runFormula(EvalMode mode, ArrayRef<Values> row);
  Tag getPrefixTag(EvalMode mode, ArrayRef<Values> prefix);
  Expr nameExtent(Expr e);

  SolveState &state;
  ExprContext &context;
  const RepairProblem &problem;
  Repair own, reused;
  Expr body;
  SmallVector<Expr> elements; // of the frontier
  Sampler sampler;
  SmallVector<Expr> leaves; // of elements: roles Element, Uniform, AxisIndex, DimExtent
  Values uniforms;
  double extent = 1;
};

} // namespace

constexpr unsigned extentLeaf = 1u << 20;

/// An extent written as a number becomes a leaf, so that short rows can be tried.
Expr Verifier::nameExtent(Expr e) {
  if (!e || !problem.extentValue)
    return e;
  return context.substitute(e, [&](Expr node) -> Expr {
    if (!node->isConstant() || !isFloat(node->getType()))
      return nullptr;
    Expr leaf = context.leaf(LeafRole::DimExtent, extentLeaf, node->getType());
    if (node->isConstant(*problem.extentValue))
      return leaf;
    if (node->isConstant(roundTo(1 / *problem.extentValue, node->getType())))
      return context.div(context.constant(1, node->getType()), leaf);
    return nullptr;
  });
}

Verifier::Verifier(SolveState &state, const Repair &own, const Repair &reused)
    : state(state), context(state.context), problem(state.problem), own(own), reused(reused),
      body(nameExtent(problem.body)), sampler(context, 20240229) {
  llvm::DenseMap<Expr, bool> seen;
  auto collect = [&](Expr e) {
    for (Expr leaf : e ? getLeaves(e) : SmallVector<Expr>())
      if ((leaf->isLeaf(LeafRole::Element) || leaf->isLeaf(LeafRole::Uniform) ||
           leaf->isLeaf(LeafRole::AxisIndex) || leaf->isLeaf(LeafRole::DimExtent)) &&
          seen.try_emplace(leaf, true).second)
        leaves.push_back(leaf);
  };
  collect(body);
  for (const FrontierValue &value : problem.frontier)
    collect(elements.emplace_back(nameExtent(value.element)));
  for (Repair *repair : {&this->own, &this->reused}) {
    for (CarriedValue &carried : repair->carried) {
      carried.element = nameExtent(carried.element);
      carried.repair = nameExtent(carried.repair);
      collect(carried.element);
      collect(carried.repair);
    }
    repair->result = nameExtent(repair->result);
    collect(repair->result);
  }
}

Verifier::Tag Verifier::sampleTag(double scale, bool positive) {
  Tag tag;
  for (unsigned i = 0; i < problem.frontier.size(); ++i) {
    Expr leaf = context.leaf(LeafRole::Frontier, i, body->getType());
    double value = sampler.sample(leaf, 0, scale).f;
    tag.frontier.push_back(positive ? std::fabs(value) + 0.25 : value);
  }
  tag.count = 1 + sampler.below(40);
  return tag;
}

Values Verifier::sampleElement(double offset, double scale) {
  Values values = uniforms;
  for (Expr leaf : leaves)
    if (!values.count(leaf))
      values[leaf] = sampler.sample(leaf, offset, scale);
  return values;
}

void Verifier::assign(Evaluator &evaluator, const Tag &tag, bool old) const {
  for (ScalarType type : {ScalarType::F32, ScalarType::F64}) {
    for (auto [i, value] : llvm::enumerate(tag.frontier))
      evaluator.set(context.leaf(old ? LeafRole::FrontierOld : LeafRole::Frontier, i, type), value);
    evaluator.set(context.leaf(old ? LeafRole::CountOld : LeafRole::Count, 0, type), tag.count);
  }
}

double Verifier::evaluate(Expr e, EvalMode mode, const Values &c, const Tag &tag, const Tag *old,
                          const Vector *acc) const {
  Evaluator evaluator(mode);
  for (auto [leaf, value] : c)
    evaluator.set(leaf, value);
  assign(evaluator, tag, false);
  if (old)
    assign(evaluator, *old, true);
  for (Expr leaf : getLeaves(e)) {
    if (leaf->isLeaf(LeafRole::Accumulator))
      evaluator.set(leaf, (*acc)[leaf->getIndex()]);
    bool isExtent = leaf->isLeaf(LeafRole::DimExtent) &&
                    (leaf->getIndex() == extentLeaf || (problem.extentDim == leaf->getIndex()));
    if (isExtent)
      evaluator.set(leaf, extent);
  }
  return evaluator.evaluateFloat(e);
}

Verifier::Vector Verifier::getElements(const Repair &r, EvalMode mode, const Values &c,
                                       const Tag &tag) const {
  Vector result;
  for (const CarriedValue &carried : r.carried)
    result.push_back(evaluate(carried.element, mode, c, tag));
  return result;
}

Verifier::Vector Verifier::applyRepair(const Repair &r, EvalMode mode, const Vector &acc,
                                       const Tag &old, const Tag &tag) const {
  Vector result;
  for (auto [i, carried] : llvm::enumerate(r.carried))
    result.push_back(carried.repair ? evaluate(carried.repair, mode, uniforms, tag, &old, &acc)
                                    : acc[i]);
  return result;
}

Verifier::Vector Verifier::combine(const Repair &r, const Vector &a, const Vector &b) const {
  Vector result;
  for (auto [i, carried] : llvm::enumerate(r.carried))
    result.push_back(combineNumbers(carried.reducer, a[i], b[i]));
  return result;
}

Verifier::Vector Verifier::getIdentities(const Repair &r) const {
  return llvm::map_to_vector<4>(
      r.carried, [](const CarriedValue &carried) { return getIdentityOf(carried.reducer); });
}

bool Verifier::isClose(const Vector &a, const Vector &b, const Vector &scale) const {
  for (unsigned i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-9 * (std::fabs(a[i]) + std::fabs(b[i]) + scale[i])) &&
        a[i] != b[i])
      return false;
  return true;
}

static bool allFinite(ArrayRef<double> values) {
  return llvm::all_of(values, [](double value) { return std::isfinite(value); });
}

static double sumOfMagnitudes(ArrayRef<double> values) {
  double sum = 0;
  for (double value : values)
    sum += std::fabs(value);
  return sum;
}

//===-- Points ------------------------------------------------------------===//

bool Verifier::testPoint(bool positive, unsigned &conclusive) {
  constexpr EvalMode mode = EvalMode::Real;
  uniforms.clear();
  for (Expr leaf : leaves)
    if (!readsElement(leaf))
      uniforms[leaf] = sampler.sample(leaf);
  Tag r0 = sampleTag(2, positive), r1 = sampleTag(2, positive), r2 = sampleTag(2, positive);
  r1.count = r0.count + 3;
  r2.count = r1.count + 5;
  extent = r0.count;
  Values c = sampleElement(), d = sampleElement();

  Vector a = getElements(own, mode, c, r0), b = getElements(own, mode, d, r0);
  Vector ha = applyRepair(own, mode, a, r0, r1), hb = applyRepair(own, mode, b, r0, r1);
  Vector expected = getElements(own, mode, c, r1);
  if (!allFinite(a) || !allFinite(b) || !allFinite(ha) || !allFinite(expected))
    return true;
  ++conclusive;
  // Carried values that mix in a repair set the scale of its rounding.
  Vector scale(a.size(), sumOfMagnitudes(a) + sumOfMagnitudes(expected));
  if (!isClose(ha, expected, scale)) // A1
    return false;
  Vector both = applyRepair(own, mode, combine(own, a, b), r0, r1); // A2
  if (!isClose(both, combine(own, ha, hb), scale))
    return false;
  if (!isClose(applyRepair(own, mode, ha, r1, r2), applyRepair(own, mode, a, r0, r2), scale))
    return false;

  // The result is the body on one element and the combined bodies on two.
  double x = evaluate(body, mode, c, r0), y = evaluate(body, mode, d, r0);
  Vector sum = combine(own, a, b);
  double single = evaluate(own.result, mode, uniforms, r0, nullptr, &a);
  double pair = evaluate(own.result, mode, uniforms, r0, nullptr, &sum);
  if (!allFinite({x, y}))
    return true;
  double z = combineNumbers(problem.reducer, x, y);
  double magnitude = std::fabs(x) + std::fabs(y) + sumOfMagnitudes(a) + sumOfMagnitudes(b);
  return isClose({single, pair}, {x, z}, {magnitude, magnitude});
}

bool Verifier::testPoints() {
  unsigned conclusive = 0;
  for (unsigned trial = 0; trial < 64; ++trial)
    if (!testPoint(trial % 2, conclusive))
      return false;
  return conclusive >= 8;
}

bool Verifier::testIdentities() {
  if (own.assumesLive)
    return true;
  Tag none;
  for (unsigned i = 0; i < problem.frontier.size(); ++i)
    none.frontier.push_back(state.getIdentity(i));
  none.count = 0;
  Vector identities = getIdentities(own);
  for (double scale : {1.0, 100.0, 1e4}) {
    for (unsigned trial = 0; trial < 8; ++trial) {
      Tag tag = sampleTag(scale, false);
      for (EvalMode mode : {EvalMode::Real, EvalMode::Typed})
        if (applyRepair(own, mode, identities, none, tag) != identities)
          return false;
    }
  }
  return true;
}

//===-- Rows --------------------------------------------------------------===//

Verifier::Tag Verifier::getPrefixTag(EvalMode mode, ArrayRef<Values> prefix) {
  Tag tag;
  tag.count = prefix.size();
  for (unsigned i = 0; i < problem.frontier.size(); ++i)
    tag.frontier.push_back(state.getIdentity(i));
  for (unsigned i = 0; i < problem.frontier.size(); ++i) {
    double value = state.getIdentity(i);
    for (const Values &c : prefix) {
      value =
          combineNumbers(problem.frontier[i].reducer, value, evaluate(elements[i], mode, c, tag));
      if (mode == EvalMode::Typed)
        value = roundTo(value, body->getType());
    }
    tag.frontier[i] = value;
  }
  return tag;
}

/// Operands of casts in `e` that are too large for the type cast to.
bool Verifier::overflowsCast(Expr e, const Values &c, const Tag &tag) const {
  if (e->getOp() == ExprOp::Cast && isFloat(e->getType()) && readsElement(e) &&
      getBitWidth(e->getType()) < getBitWidth(e->getOperand(0)->getType())) {
    double value = std::fabs(evaluate(e->getOperand(0), EvalMode::Typed, c, tag));
    if (value > getLargest(e->getType()))
      return true;
  }
  return llvm::any_of(e->getOperands(),
                      [&](Expr operand) { return overflowsCast(operand, c, tag); });
}

/// A cast in the loop overflows where the body's own don't.
bool Verifier::leavesRange(const Values &c, const Tag &tag, const Tag &last) const {
  if (!reused.movesRounding)
    return false;
  return llvm::any_of(
             reused.carried,
             [&](const CarriedValue &carried) { return overflowsCast(carried.element, c, tag); }) &&
         !overflowsCast(body, c, last);
}

/// The body reduced with the finished frontier, and the sum of its magnitudes.
std::pair<double, double> Verifier::runFormula(EvalMode mode, ArrayRef<Values> row) {
  Tag last = getPrefixTag(mode, row);
  double result = getIdentityOf(problem.reducer), scale = 0;
  for (const Values &c : row) {
    double value = evaluate(body, mode, c, last);
    result = combineNumbers(problem.reducer, result, value);
    scale += std::fabs(value);
  }
  return {result, scale};
}

bool Verifier::testRow(EvalMode mode, ArrayRef<Values> row, bool isLarge) {
  constexpr unsigned tile = 4;
  extent = row.size();
  Tag last = getPrefixTag(mode, row), old = getPrefixTag(mode, {});
  Vector acc = getIdentities(reused);
  for (unsigned start = 0; start < row.size(); start += tile) {
    ArrayRef<Values> prefix = row.take_front(start + tile);
    Tag tag = getPrefixTag(mode, prefix);
    acc = applyRepair(reused, mode, acc, old, tag);
    for (const Values &c : prefix.drop_front(start)) {
      if (mode == EvalMode::Typed && leavesRange(c, tag, last))
        return false;
      acc = combine(reused, acc, getElements(reused, mode, c, tag));
    }
    old = tag;
  }
  double result = evaluate(reused.result, mode, uniforms, last, nullptr, &acc);
  double formula = runFormula(mode, row).first;
  // Out of range as the machine rounds, or without live element: compare what there is.
  if (!std::isfinite(formula))
    return isLarge || mode == EvalMode::Typed || result == formula ||
           (std::isnan(result) && std::isnan(formula));
  if (std::isnan(result))
    return false;
  // Casts moved across factors round otherwise than the formula.
  bool isRounded = mode == EvalMode::Typed && reused.movesRounding;
  if (reused.mayCancel || isRounded || (mode == EvalMode::Typed && isLarge))
    return true;
  auto [expected, scale] = runFormula(EvalMode::Real, row);
  double magnitude = 1;
  for (const Values &c : row)
    for (auto [leaf, value] : c)
      if (std::isfinite(value.f))
        magnitude = std::max(magnitude, std::fabs(value.f));
  double rounding = (mode == EvalMode::Real ? 1e-13 : 1e-6) * magnitude * magnitude;
  double tolerance = (mode == EvalMode::Real ? 1e-8 : 1e-2) * (scale + std::fabs(expected));
  return std::fabs(result - expected) <= tolerance + rounding;
}

bool Verifier::testRows() {
  if (reused.assumesLive || llvm::is_contained(elements, nullptr) ||
      !llvm::all_of(problem.frontier,
                    [](const FrontierValue &f) { return f.reducer <= CombinerKind::MinNum; }))
    return true;
  std::optional<unsigned> extreme;
  for (unsigned i = 0; i < problem.frontier.size() && !extreme; ++i)
    if (state.isSelective(i))
      extreme = i;
  enum Family { Plain, Equal, ZeroFirst, DeadFirst, DeadSome, DeadAll, Low, Large, NumFamilies };
  for (unsigned trial = 0; trial < 2 * NumFamilies; ++trial) {
    unsigned family = trial % NumFamilies;
    uniforms.clear();
    for (Expr leaf : leaves)
      if (!readsElement(leaf))
        uniforms[leaf] = {std::fabs(sampler.sample(leaf).f), 3};
    double offset = family == Low || family == DeadFirst ? -100 : 0;
    double scale = family == Large ? 1e5 : 2;
    std::vector<Values> row(8 + sampler.below(8));
    for (auto [i, c] : llvm::enumerate(row)) {
      c = family == Equal && i ? row[0] : sampleElement(offset, scale);
      if (family == ZeroFirst && i < 4)
        for (Expr leaf : leaves)
          if (readsElement(leaf) && context.getRange(leaf).lo <= 0)
            c[leaf].f = 0;
      bool dies = family == DeadAll || (family == DeadFirst && i < 5) ||
                  (family == DeadSome && sampler.below(2));
      if (!dies || !extreme)
        continue;
      if (auto dead = state.findDeadElement(*extreme, trial * 64 + i))
        for (auto [leaf, value] : *dead)
          if (!uniforms.count(leaf))
            c[leaf] = value;
    }
    for (EvalMode mode : {EvalMode::Real, EvalMode::Typed})
      if (!testRow(mode, row, family == Large))
        return false;
  }
  return true;
}

bool schedule::verifyRepair(ExprContext &context, const RepairProblem &problem, const Repair &own,
                            const Repair &repair) {
  SolveState state(context, problem);
  return Verifier(state, own, repair).run();
}

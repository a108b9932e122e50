// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repairs of whole cascades of reductions: each is solved, then all run in one loop over tiles, as
// a fused kernel would, in double and as f32 rounds, and are compared with the formulas in double.
// Rows: random, equal, huge, without live elements, with dead tiles before scores near -100.

#include "SolverFixture.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

namespace {

using Solver = SolverFixture;

TEST_F(Solver, SafeSoftmaxTimesValues) {
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m))));
  Expr p = c.select(equals(l, 0), c.constant(0), c.div(c.exp(c.sub(s, orZero(m))), l));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(p, v)));
  const Repair &pv = getLast();
  // acc <- acc * exp(m - m'), and 1 / l after the loop.
  EXPECT_EQ(pv.carried.size(), 1u);
  EXPECT_EQ(
      toString(pv.carried[0].repair),
      toString(c.mul(leaf(LeafRole::Accumulator, 0),
                     c.select(equals(leaf(LeafRole::FrontierOld, 0), -infinity), c.constant(1),
                              c.exp(c.sub(orZero(leaf(LeafRole::FrontierOld, 0)), orZero(m)))))));
  EXPECT_TRUE(pv.result->reads(LeafRole::Frontier));
  EXPECT_FALSE(pv.carried[0].element->isLeaf());
  checkRows(scores(), 1e-5);
}

TEST_F(Solver, OneExponentialNoQuotient) {
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, m)));
  ASSERT_TRUE(l);
  OpCounts counts = countOps({getLast().carried[0].repair});
  EXPECT_EQ(counts.mufu, 1u);
  // The same ratio if the body says it as a product of exponentials or by base 2.
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(c.exp(s), c.exp(c.neg(m)))));
  EXPECT_EQ(countOps({getLast().carried[0].repair}).mufu, 1u);
  EXPECT_EQ(countOps({getLast().carried[0].element}).mufu, 1u);
  ASSERT_TRUE(reduce(CombinerKind::Add, c.unary(ExprOp::Exp2, c.sub(s, m))));
  EXPECT_EQ(countOps({getLast().carried[0].repair}).mufu, 1u);
}

TEST_F(Solver, UnguardedSoftmaxIsGuardedInTheLoop) {
  // Dead rows give NaN as the formula does; dead tiles of live rows don't.
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, m)));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(c.div(c.exp(c.sub(s, m)), l), v)));
  checkRows(scores(), 1e-5);
}

TEST_F(Solver, RoundedProbabilities) {
  // P is cast to the type of V before the product: the cast stays around the eager factor.
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m))));
  Expr p = c.select(equals(l, 0), c.constant(0), c.div(c.exp(c.sub(s, orZero(m))), l));
  Expr v16 = c.leaf(LeafRole::Element, 1, ScalarType::F16);
  Expr body =
      c.mul(c.cast(c.cast(p, ScalarType::F16), ScalarType::F32), c.cast(v16, ScalarType::F32));
  ASSERT_TRUE(reduce(CombinerKind::Add, body));
  const Repair &repair = getLast();
  EXPECT_TRUE(repair.movesRounding);
  Expr expected =
      c.mul(c.cast(c.cast(c.exp(c.sub(s, orZero(m))), ScalarType::F16), ScalarType::F32),
            c.cast(v16, ScalarType::F32));
  EXPECT_EQ(toString(repair.carried[0].element), toString(expected));
  checkRows(scores(), 2e-3);
  RepairPolicy strict;
  strict.narrowestRounding = 64;
  EXPECT_EQ(refuse(CombinerKind::Add, body, strict).kind, RefusalKind::RoundsMixed);
}

TEST_F(Solver, PlainSoftmax) {
  Expr l = reduce(CombinerKind::Add, c.exp(s));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(c.div(c.exp(s), l), v)));
  EXPECT_FALSE(getLast().isEager());
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, MasksBelongToElements) {
  Expr live = leaf(LeafRole::Element, 5, ScalarType::I1);
  Expr x = c.select(live, c.mul(scale, s), c.constant(-infinity));
  Expr m = reduce(CombinerKind::Max, x);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(x, orZero(m))));
  Expr p = c.select(equals(l, 0), c.constant(0), c.div(c.exp(c.sub(x, orZero(m))), l));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(p, v)));
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, MaskAroundTheDifference) {
  Expr live = leaf(LeafRole::Element, 5, ScalarType::I1);
  Expr m = reduce(CombinerKind::Max, c.select(live, s, c.constant(-infinity)));
  Expr d = c.select(live, c.sub(s, orZero(m)), c.constant(-infinity));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(c.exp(d), v)));
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, ScaleOutsideTheDifference) {
  Expr m = reduce(CombinerKind::Max, s);
  ASSERT_TRUE(reduce(CombinerKind::Add, c.exp(c.mul(scale, c.sub(s, orZero(m))))));
  EXPECT_EQ(countOps({getLast().carried[0].repair}).mufu, 1u);
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, LogSumExpAndCrossEntropy) {
  Expr m = reduce(CombinerKind::Max, s);
  ASSERT_TRUE(reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m)))));
  // The logit of the target: a sum without frontier.
  Expr isTarget = c.cmpI(arith::CmpIPredicate::eq, leaf(LeafRole::AxisIndex, 0, ScalarType::Index),
                         leaf(LeafRole::Uniform, 3, ScalarType::Index));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.select(isTarget, s, c.constant(0))));
  EXPECT_EQ(getLast().numericClass, NumericClass::Exact);
  EXPECT_FALSE(getLast().isEager());
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, NormalisedByLogSumExp) {
  // exp(s - m - log l) is exp(s - m) / l.
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, m)));
  Expr lse = c.add(m, c.unary(ExprOp::Log, l));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(c.exp(c.sub(s, lse)), v)));
  EXPECT_EQ(countOps({getLast().carried[0].repair}).mufu, 1u);
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, Entropy) {
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m))));
  Expr d = c.sub(s, orZero(m));
  ASSERT_TRUE(
      reduce(CombinerKind::Add, c.mul(c.div(c.exp(d), l), c.sub(d, c.unary(ExprOp::Log, l)))));
  EXPECT_EQ(getLast().carried.size(), 1u); // the sum of exponentials is l
  EXPECT_FALSE(getLast().mayCancel);
  checkRows(bounded(), 1e-5);
  checkRows(shifted(1000), 1e-3);
}

TEST_F(Solver, VarianceByRunningMean) {
  Expr sum = reduce(CombinerKind::Add, s);
  Expr d = c.sub(s, c.div(sum, extent));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(d, d)));
  EXPECT_FALSE(getLast().mayCancel);
  EXPECT_TRUE(getLast().carried[0].repair->reads(LeafRole::CountOld));
  checkRows(bounded(), 1e-5);
  checkRows(shifted(1e4), 1e-2);
}

TEST_F(Solver, VarianceWithConstantExtent) {
  extentValue = 24;
  Expr sum = reduce(CombinerKind::Add, s);
  Expr d = c.sub(s, c.div(sum, c.constant(24)));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.binary(ExprOp::Pow, d, c.constant(2))));
  EXPECT_FALSE(getLast().mayCancel);
  checkRows(shifted(1e4), 1e-2);
}

TEST_F(Solver, VarianceWithoutCountCancels) {
  hasCount = false;
  Expr sum = reduce(CombinerKind::Add, s);
  Expr d = c.sub(s, c.div(sum, extent));
  EXPECT_EQ(refuse(CombinerKind::Add, c.mul(d, d)).kind, RefusalKind::Cancels);
  RepairPolicy policy;
  policy.allowCancellation = true;
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(d, d), policy));
  EXPECT_TRUE(getLast().mayCancel);
}

TEST_F(Solver, LayerNormThenMatmul) {
  Expr sum = reduce(CombinerKind::Add, s);
  Expr mean = c.div(sum, extent);
  Expr d = c.sub(s, mean);
  Expr squares = reduce(CombinerKind::Add, c.mul(d, d));
  c.setFact(squares, Interval::nonNegative());
  Expr rs = c.unary(ExprOp::Rsqrt, c.add(c.div(squares, extent), c.constant(1e-5)));
  Expr y = c.mul(c.add(c.mul(c.mul(d, rs), scale), w), v);
  ASSERT_TRUE(reduce(CombinerKind::Add, y));
  EXPECT_FALSE(getLast().mayCancel);
  checkRows(bounded(), 1e-4);
  checkRows(shifted(1000), 1e-2);
}

TEST_F(Solver, RmsNormThenMatmul) {
  Expr squares = reduce(CombinerKind::Add, c.mul(s, s));
  Expr rs = c.unary(ExprOp::Rsqrt, c.add(c.div(squares, extent), c.constant(1e-5)));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(c.mul(s, rs), v)));
  EXPECT_FALSE(getLast().isEager()); // a row factor after the loop
  EXPECT_EQ(getLast().carried[0].element, c.mul(s, v));
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, QuantisedMatmul) {
  Expr amax = reduce(CombinerKind::Max, c.unary(ExprOp::Abs, s));
  Expr q = c.div(c.mul(s, c.constant(448)), amax);
  Expr rounded = c.cast(c.cast(q, ScalarType::F8E4M3FN), ScalarType::F32);
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(q, v)));
  checkRows(bounded(), 1e-5);
  RepairPolicy policy;
  policy.narrowestRounding = 16;
  EXPECT_EQ(refuse(CombinerKind::Add, c.mul(rounded, v), policy).kind, RefusalKind::RoundsMixed);

  // Without its scale a value would saturate: the running scale stays in the loop.
  Expr guarded = c.select(equals(amax, 0), c.constant(0), rounded);
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(guarded, v)));
  EXPECT_TRUE(getLast().isEager());
  EXPECT_TRUE(getLast().movesRounding);
  EXPECT_TRUE(getLast().carried[0].element->reads(LeafRole::Frontier));
  checkRows(bounded(), 0.1);
}

TEST_F(Solver, SinkInTheDenominator) {
  Expr m = reduce(CombinerKind::Max, s);
  Expr sink = leaf(LeafRole::Uniform, 2);
  Expr top = orZero(c.binary(ExprOp::Max, m, sink));
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, top)));
  Expr total = c.add(l, c.exp(c.sub(sink, top)));
  Expr p = c.select(equals(total, 0), c.constant(0), c.div(c.exp(c.sub(s, top)), total));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(p, v)));
  checkRows(scores(), 1e-5);
}

TEST_F(Solver, ThreeDependentReductions) {
  Expr r1 = reduce(CombinerKind::Max, s);
  Expr e = c.exp(c.sub(s, orZero(r1)));
  Expr r2 = reduce(CombinerKind::Add, c.mul(e, c.exp(w)));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(c.div(e, r2), v)));
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, LargestProbability) {
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m))));
  c.setFact(l, Interval::nonNegative());
  ASSERT_TRUE(reduce(CombinerKind::Max, c.div(c.exp(c.sub(s, orZero(m))), l)));
  EXPECT_TRUE(getLast().carried.empty()); // the maximum of s is m
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, ExtremesOfMonotoneBodies) {
  Expr l = reduce(CombinerKind::Add, c.exp(s));
  Expr m = reduce(CombinerKind::Max, w);
  ASSERT_TRUE(reduce(CombinerKind::Max, c.unary(ExprOp::Tanh, c.div(c.sub(v, m), c.exp(m)))));
  ASSERT_TRUE(reduce(CombinerKind::Min, c.sub(m, v))); // falls: a maximum is carried
  EXPECT_EQ(getLast().carried[0].reducer, CombinerKind::Max);
  c.setFact(l, Interval::positive());
  ASSERT_TRUE(reduce(CombinerKind::Max, c.unary(ExprOp::Abs, c.div(v, l))));
  ASSERT_TRUE(reduce(CombinerKind::Max, c.div(c.constant(1), c.add(l, c.exp(v)))));
  EXPECT_EQ(getLast().carried[0].reducer, CombinerKind::Min);
  Expr live = leaf(LeafRole::Element, 5, ScalarType::I1);
  ASSERT_TRUE(reduce(CombinerKind::Max, c.select(live, c.sub(v, m), c.constant(-infinity))));
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, GradientOfScores) {
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m))));
  Expr p = c.div(c.exp(c.sub(s, orZero(m))), l);
  Expr dp = v;
  Expr d = reduce(CombinerKind::Add, c.mul(p, dp));
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(c.mul(p, c.sub(dp, d)), w)));
  EXPECT_EQ(getLast().carried.size(), 2u);
  checkRows(bounded(), 1e-4);
}

TEST_F(Solver, SquaresAndTemperature) {
  Expr m = reduce(CombinerKind::Max, c.div(s, scale));
  Expr e = c.exp(c.sub(c.div(s, scale), orZero(m)));
  Expr l = reduce(CombinerKind::Add, e);
  Expr p = c.div(e, l);
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(p, p)));
  EXPECT_EQ(countOps({getLast().carried[0].repair}).mufu, 1u);
  checkRows(bounded(), 1e-5);
}

TEST_F(Solver, NothingDeferred) {
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m))));
  Expr p = c.select(equals(l, 0), c.constant(0), c.div(c.exp(c.sub(s, orZero(m))), l));
  RepairPolicy policy;
  policy.defer = false;
  ASSERT_TRUE(reduce(CombinerKind::Add, c.mul(p, v), policy));
  EXPECT_TRUE(getLast().carried[0].repair->reads(LeafRole::FrontierOld));
  EXPECT_TRUE(getLast().result->isLeaf());
  checkRows(scores(), 1e-5);
}

TEST_F(Solver, AnswersAreRemembered) {
  Expr m = reduce(CombinerKind::Max, s);
  reduce(CombinerKind::Add, c.exp(c.sub(s, m)));
  unsigned solved = solver.getNumSolved();
  refit();
  m = reduce(CombinerKind::Max, s);
  reduce(CombinerKind::Add, c.exp(c.sub(s, m)));
  EXPECT_EQ(solver.getNumSolved(), solved);
  RepairPolicy strict;
  strict.algebraic = false;
  EXPECT_EQ(refuse(CombinerKind::Add, c.exp(c.sub(s, m)), strict).kind, RefusalKind::StrictPolicy);
}

TEST_F(Solver, WrongRepairsFailTheirTests) {
  Expr m = reduce(CombinerKind::Max, s);
  Expr l = reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m))));
  Expr body = c.select(equals(l, 0), c.constant(0), c.mul(c.div(c.exp(c.sub(s, orZero(m))), l), v));
  RepairProblem problem = getProblem(CombinerKind::Add, body, {});
  const RepairResult &right = solver.solve(problem);
  ASSERT_TRUE(bool(right));
  EXPECT_TRUE(verifyRepair(c, problem, *right, *right));

  Expr acc = leaf(LeafRole::Accumulator, 0), old = leaf(LeafRole::FrontierOld, 0);
  auto isAccepted = [&](Expr repair, Expr result) {
    Repair wrong = *right;
    wrong.carried[0].repair = repair;
    wrong.result = result;
    return verifyRepair(c, problem, wrong, wrong);
  };
  Expr factor = c.exp(c.sub(orZero(old), orZero(m)));
  EXPECT_FALSE(isAccepted(c.mul(acc, factor), right->result)); // unguarded
  EXPECT_FALSE(isAccepted(nullptr, right->result));
  EXPECT_FALSE(isAccepted(c.mul(acc, c.exp(c.sub(orZero(m), orZero(old)))), right->result));
  EXPECT_FALSE(isAccepted(c.add(right->carried[0].repair, c.constant(1e-3)), right->result));
  EXPECT_FALSE(isAccepted(right->carried[0].repair, acc));
  EXPECT_FALSE(isAccepted(right->carried[0].repair, c.div(acc, l))); // NaN in dead rows
}

TEST_F(Solver, DoublesAndHalves) {
  Expr s64 = leaf(LeafRole::Element, 8, ScalarType::F64);
  Expr m64 = leaf(LeafRole::Frontier, 0, ScalarType::F64);
  frontier.push_back({CombinerKind::Max, s64});
  const RepairResult &result =
      solver.solve(getProblem(CombinerKind::Add, c.exp(c.sub(s64, m64)), {}));
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->carried[0].repair->getType(), ScalarType::F64);
  // Scores stored in 16 bits, widened in the body.
  Expr s16 = c.cast(leaf(LeafRole::Element, 8, ScalarType::F16), ScalarType::F32);
  frontier[0].element = s16;
  EXPECT_TRUE(bool(solver.solve(
      getProblem(CombinerKind::Add, c.exp(c.sub(s16, leaf(LeafRole::Frontier, 0))), {}))));
}

TEST_F(Solver, FactorOfARowStandsApart) {
  Expr m = reduce(CombinerKind::Max, s);
  ASSERT_TRUE(reduce(CombinerKind::Add, c.exp(c.sub(s, orZero(m)))));
  SmallVector<Expr> parts =
      getMaximalWithout(getLast().carried[0].repair, maskOf(LeafRole::Accumulator));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(countOps(parts).mufu, 1u);
}

//===-- Refusals ----------------------------------------------------------===//

class Refusals : public SolverFixture {
protected:
  void expectRefused(Expr body, RefusalKind kind, Expr term,
                     CombinerKind reducer = CombinerKind::Add) {
    Refusal refusal = refuse(reducer, body);
    EXPECT_EQ(refusal.kind, kind) << getText(refusal);
    EXPECT_EQ(refusal.term, term) << toString(refusal.term) << " is not " << toString(term);
  }
  Expr relu(Expr x) { return c.binary(ExprOp::Max, x, c.constant(0)); }
};

TEST_F(Refusals, FunctionsOfMixedValues) {
  Expr r = reduce(CombinerKind::Add, s), d = c.sub(s, r);
  expectRefused(c.exp(c.mul(s, r)), RefusalKind::MixedExponent, c.mul(s, r));
  expectRefused(c.exp(c.div(s, r)), RefusalKind::MixedExponent, c.div(s, r));
  expectRefused(c.unary(ExprOp::Tanh, d), RefusalKind::NotSeparable, c.unary(ExprOp::Tanh, d));
  expectRefused(c.mul(c.unary(ExprOp::Erf, d), v), RefusalKind::NotSeparable,
                c.unary(ExprOp::Erf, d));
  Expr divisor = c.add(c.constant(1), c.exp(c.neg(d))); // sigmoid
  expectRefused(c.div(c.constant(1), divisor), RefusalKind::MixedDivisor, divisor);
  expectRefused(c.div(c.constant(1), c.add(s, r)), RefusalKind::MixedDivisor, c.add(s, r));
}

TEST_F(Refusals, SetsThatDependOnTheFrontier) {
  Expr r = reduce(CombinerKind::Add, s), d = c.sub(s, r);
  expectRefused(relu(d), RefusalKind::DataDependentSet, relu(d));
  expectRefused(c.unary(ExprOp::Abs, d), RefusalKind::DataDependentSet, c.unary(ExprOp::Abs, d));
  Expr above = c.cmpF(arith::CmpFPredicate::OGT, s, r);
  expectRefused(c.select(above, s, c.constant(0)), RefusalKind::DataDependentSet, above);
}

TEST_F(Refusals, Signs) {
  Expr r = reduce(CombinerKind::Add, s);
  expectRefused(c.mul(s, r), RefusalKind::UnknownSign, r, CombinerKind::Max);
  expectRefused(c.unary(ExprOp::Log, c.mul(c.exp(s), r)), RefusalKind::UnknownSign, r);
  Expr square = c.unary(ExprOp::Sqrt, c.mul(c.exp(s), r));
  expectRefused(square, RefusalKind::UnknownSign, r);
}

TEST_F(Refusals, Rounding) {
  Expr r = reduce(CombinerKind::Max, s);
  Expr integer = c.cast(c.cast(c.div(s, r), ScalarType::I32), ScalarType::F32);
  expectRefused(integer, RefusalKind::RoundsMixed, integer);
  Expr half = c.cast(c.sub(s, r), ScalarType::F16);
  expectRefused(c.mul(c.cast(half, ScalarType::F32), v), RefusalKind::RoundsSum, half);
}

TEST_F(Refusals, Reducers) {
  Expr r = reduce(CombinerKind::Add, s);
  Expr body = c.mul(s, r);
  expectRefused(body, RefusalKind::NotMonoid, body, CombinerKind::Custom);
  expectRefused(body, RefusalKind::UnsupportedReducer, body, CombinerKind::Or);
  expectRefused(body, RefusalKind::UnsupportedReducer, body, CombinerKind::Mul);
}

TEST_F(Refusals, FrontierAlongItsAxis) {
  Expr r = reduce(CombinerKind::Add, s);
  frontier.back().isAlongAxis = true;
  expectRefused(c.mul(s, r), RefusalKind::FrontierAlongAxis, r);
}

TEST_F(Refusals, ExponentsOfUnrelatedExtremes) {
  // While no s is live, exp(v - m) is infinite for every v.
  Expr m = reduce(CombinerKind::Max, s);
  expectRefused(c.exp(c.sub(v, m)), RefusalKind::UnsafeAtIdentity, c.exp(c.sub(v, m)));
}

TEST_F(Refusals, Rank) {
  Expr r = reduce(CombinerKind::Add, s);
  Expr body = c.constant(0);
  Expr power = c.constant(1);
  for (unsigned i = 0; i < 6; ++i) {
    power = c.mul(power, r);
    Expr f = c.opaque({"f" + std::to_string(i)}, {s}, ScalarType::F32);
    body = i ? c.add(body, c.mul(f, power)) : c.mul(f, power);
  }
  expectRefused(body, RefusalKind::RankTooHigh, body);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expression DAGs: one node per value, hashes that depend on structure alone, facts, evaluation as
// the machine rounds, counts, and the way from a body and back.

#include "nautilus/Schedule/Expr.h"
#include "nautilus/Schedule/ExprIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::nautilus::schedule;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Expr, EqualExpressionsAreOneNode) {
  ExprContext c;
  Expr x = c.leaf(LeafRole::Element, 0), y = c.leaf(LeafRole::Element, 1);
  EXPECT_EQ(c.add(x, y), c.add(y, x));
  EXPECT_EQ(c.mul(c.add(x, y), x), c.mul(x, c.add(y, x)));
  EXPECT_NE(c.sub(x, y), c.sub(y, x));
  EXPECT_NE(c.leaf(LeafRole::Element, 0, ScalarType::F16), x);
}

TEST(Expr, HashIsTheSameInEveryContext) {
  auto hash = [](bool padded) {
    ExprContext c;
    if (padded)
      c.exp(c.leaf(LeafRole::Uniform, 7));
    Expr x = c.leaf(LeafRole::Element, 0), m = c.leaf(LeafRole::Frontier, 0);
    Expr opaque = c.opaque({"foo {k = 1}"}, {x}, ScalarType::F32);
    return c.mul(c.exp(c.sub(x, m)), opaque)->getHash();
  };
  EXPECT_EQ(hash(false), hash(true));
}

TEST(Expr, FoldsKeepTheBits) {
  ExprContext c;
  Expr x = c.leaf(LeafRole::Element, 0);
  EXPECT_EQ(c.mul(x, c.constant(1)), x);
  EXPECT_EQ(c.sub(x, c.constant(0)), x);
  EXPECT_NE(c.add(x, c.constant(0)), x); // -0 + 0 is 0
  EXPECT_NE(c.sub(x, x), c.constant(0)); // NaN for infinities
  EXPECT_NE(c.mul(x, c.constant(0)), c.constant(0));
  Expr third = c.div(c.constant(1), c.constant(3));
  EXPECT_EQ(third->getFloat(), double(1.0f / 3.0f));
  EXPECT_EQ(c.exp(c.constant(-infinity)), c.constant(0));
  EXPECT_NE(c.constant(-0.0), c.constant(0.0));
}

TEST(Expr, Facts) {
  ExprContext c;
  Expr x = c.leaf(LeafRole::Element, 0), y = c.leaf(LeafRole::Element, 1);
  EXPECT_TRUE(c.getRange(c.exp(x)).isPositive());
  EXPECT_TRUE(c.getRange(c.add(c.exp(x), c.exp(y))).isPositive());
  EXPECT_TRUE(c.getRange(c.mul(c.sub(x, y), c.sub(x, y))).isNonNegative());
  EXPECT_FALSE(c.getRange(c.mul(x, y)).isNonNegative());
  EXPECT_TRUE(c.getRange(c.add(c.mul(x, x), c.constant(1e-5))).isPositive());
  EXPECT_FALSE(c.getRange(x).isNonNegative());
  c.setFact(x, Interval::nonNegative());
  EXPECT_TRUE(c.getRange(c.unary(ExprOp::Neg, x)).isNonPositive());
  Expr tanh = c.unary(ExprOp::Tanh, y);
  EXPECT_EQ(c.getRange(tanh).hi, 1);
}

TEST(Expr, EvaluationRoundsAsTyped) {
  ExprContext c;
  Expr x = c.leaf(LeafRole::Element, 0);
  Expr narrow = c.cast(c.cast(x, ScalarType::F16), ScalarType::F32);
  Evaluator real(EvalMode::Real), typed(EvalMode::Typed);
  for (Evaluator *evaluator : {&real, &typed})
    evaluator->set(x, 1.0 + 1.0 / 4096);
  EXPECT_EQ(real.evaluateFloat(narrow), 1.0 + 1.0 / 4096);
  EXPECT_EQ(typed.evaluateFloat(narrow), 1.0);
  EXPECT_EQ(roundTo(1e9, ScalarType::F8E4M3FN), 448);
  EXPECT_TRUE(std::isnan(roundTo(NAN, ScalarType::F8E4M3FN)));

  Evaluator overflow(EvalMode::Typed);
  overflow.set(x, 100);
  EXPECT_TRUE(std::isinf(overflow.evaluateFloat(c.exp(x))));
}

TEST(Expr, MaxPropagatesNaNAndMaxNumDoesNot) {
  ExprContext c;
  Expr x = c.leaf(LeafRole::Element, 0), y = c.leaf(LeafRole::Element, 1);
  Evaluator evaluator(EvalMode::Typed);
  evaluator.set(x, NAN);
  evaluator.set(y, 2);
  EXPECT_TRUE(std::isnan(evaluator.evaluateFloat(c.binary(ExprOp::Max, x, y))));
  EXPECT_EQ(evaluator.evaluateFloat(c.binary(ExprOp::MaxNum, x, y)), 2);
}

TEST(Expr, Counts) {
  ExprContext c;
  Expr s = c.leaf(LeafRole::Element, 0), m = c.leaf(LeafRole::Frontier, 0);
  Expr v = c.leaf(LeafRole::Element, 1), l = c.leaf(LeafRole::Frontier, 1);
  Expr e = c.exp(c.sub(s, m));
  OpCounts counts = countOps({c.mul(e, v), c.div(e, l)});
  EXPECT_EQ(counts.mufu, 2u); // one exponential (shared), one reciprocal
  EXPECT_EQ(counts.fma, 5u);  // scale, sub, mul, two of the division
  OpCounts fused = countOps({c.add(c.mul(s, v), m)});
  EXPECT_EQ(fused.fma, 1u);
}

TEST(Expr, Text) {
  ExprContext c;
  Expr s = c.leaf(LeafRole::Element, 0), m = c.leaf(LeafRole::Frontier, 0);
  EXPECT_EQ(toString(c.div(c.exp(c.sub(s, m)), c.sub(m, c.sub(s, m)))),
            "exp(c0 - r0) / (r0 - (c0 - r0))");
}

constexpr llvm::StringLiteral bodyText = R"mlir(
  func.func @body(%a: f16, %b: f32, %m: f32, %k: i32, %p: i1) -> f32 {
    %c = arith.constant 5.000000e-01 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %x = arith.extf %a : f16 to f32
    %s = arith.mulf %x, %b : f32
    %t = arith.select %p, %s, %ninf : f32
    %d = arith.subf %t, %m : f32
    %e = math.exp %d : f32
    %q = arith.cmpf oeq, %e, %c : f32
    %f = arith.select %q, %c, %e : f32
    %g = arith.truncf %f : f32 to f16
    %h = arith.extf %g : f16 to f32
    %i = arith.sitofp %k : i32 to f32
    %j = math.atan %i : f32
    %l = math.rsqrt %j : f32
    %n = arith.maximumf %h, %l : f32
    %two = arith.constant 2 : i32
    %o = arith.floordivsi %k, %two : i32
    %r = arith.uitofp %o : i32 to f32
    %u = arith.divf %n, %r : f32
    %w = math.tanh %u : f32
    return %w : f32
  }
)mlir";

class ExprIR : public ::testing::Test {
protected:
  ExprIR() { mlirContext.loadDialect<arith::ArithDialect, math::MathDialect, func::FuncDialect>(); }
  MLIRContext mlirContext;
};

TEST_F(ExprIR, RoundTrip) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bodyText, &mlirContext);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  ExprContext c;
  SmallVector<Expr> leaves;
  for (auto [i, argument] : llvm::enumerate(function.getArguments()))
    leaves.push_back(c.leaf(LeafRole::Element, i, *getScalarType(argument.getType())));
  auto first = importBody(c, function.getBody().front(), leaves, nullptr);
  ASSERT_TRUE(succeeded(first));
  ASSERT_EQ(first->size(), 1u);
  EXPECT_EQ((*first)[0]->getType(), ScalarType::F32);

  // Write it into an empty copy of the function and read it again.
  OpBuilder builder(&mlirContext);
  builder.setInsertionPointAfter(function);
  auto copy = func::FuncOp::create(builder, function.getLoc(), "copy", function.getFunctionType());
  Block *block = copy.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<Value> results = emit(builder, copy.getLoc(), c, *first, [&](Expr leaf) -> Value {
    return block->getArgument(leaf->getIndex());
  });
  func::ReturnOp::create(builder, copy.getLoc(), results);
  ASSERT_TRUE(succeeded(module->verify()));
  auto second = importBody(c, *block, leaves, nullptr);
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ((*first)[0], (*second)[0]);
}

TEST_F(ExprIR, ImportNamesTheOffender) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"mlir(
    func.func private @g(f32) -> f32
    func.func @f(%x: f32) -> f32 {
      %y = func.call @g(%x) : (f32) -> f32
      return %y : f32
    })mlir",
                                                             &mlirContext);
  auto function = *std::next(module->getOps<func::FuncOp>().begin());
  ExprContext c;
  Operation *offender = nullptr;
  EXPECT_TRUE(failed(importBody(c, function.getBody().front(), {c.leaf(LeafRole::Element, 0)},
                                nullptr, &offender)));
  ASSERT_NE(offender, nullptr);
  EXPECT_EQ(offender->getName().getStringRef(), "func.call");
}

} // namespace

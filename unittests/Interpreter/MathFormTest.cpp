// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Math form against hand-written C++.

#include "RunText.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus::interpreter;

namespace {

constexpr const char *matmul = R"mlir(
nautilus_scalar.kernel @k dims [M, N, K] (%A = A[M, K] : tensor<?x?xf16>, %B = B[K, N] : tensor<?x?xf16>) -> (C[M, N] : tensor<?x?xf32>) {
  %C = nautilus_scalar.reduce "C" [i: M, j: N] over [k: K] (%a = %A[i, k] : tensor<?x?xf16>, %b = %B[k, j] : tensor<?x?xf16>) -> tensor<?x?xf32> {
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    nautilus_scalar.yield %2 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %C : tensor<?x?xf32>
})mlir";

// The shapes choose the lane axis in each way: parallel, reduction, several runs of lanes, empty.
TEST(MathFormTest, Matmul) {
  RunText text;
  int64_t shapes[][3] = {{5, 7, 3}, {1, 1, 700}, {3, 300, 9}, {40, 2, 5},
                         {1, 1, 1}, {4, 5, 0},   {0, 3, 2},   {17, 16, 33}};
  for (auto [m, n, k] : shapes) {
    Tensor a = randomTensor(ElementKind::F16, {m, k}, 1);
    Tensor b = randomTensor(ElementKind::F16, {k, n}, 2);
    std::vector<Tensor> results = text.run(matmul, {a, b});
    ASSERT_EQ(results.size(), 1u) << text.messages;
    Tensor expected(ElementKind::F32, {m, n});
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t x = 0; x < k; ++x)
          expected.at({i, j}).f += a.at({i, x}).f * b.at({x, j}).f;
    EXPECT_TRUE(compare(results[0], expected, 1e-12).isWithin(1e-12)) << m << " " << n << " " << k;
  }
}

TEST(MathFormTest, ReadsStridedInputs) {
  RunText text;
  Tensor a = randomTensor(ElementKind::F16, {5, 3}, 1);
  Tensor b = randomTensor(ElementKind::F16, {20, 3}, 2);
  std::swap(b.shape[0], b.shape[1]); // Now a 3x20 matrix in column-major order.
  std::swap(b.strides[0], b.strides[1]);
  std::vector<Tensor> strided = text.run(matmul, {a, b});
  std::vector<Tensor> dense = text.run(matmul, {a, packed(b)});
  ASSERT_EQ(strided.size(), 1u) << text.messages;
  EXPECT_EQ(compare(strided[0], dense[0], 0).maxAbs, 0);
}

TEST(MathFormTest, TypedModeRoundsEachOp) {
  RunText text;
  Tensor a = randomTensor(ElementKind::F16, {4, 64}, 1);
  Tensor b = randomTensor(ElementKind::F16, {64, 20}, 2);
  std::vector<Tensor> results = text.run(matmul, {a, b}, {}, Mode::Typed);
  ASSERT_EQ(results.size(), 1u) << text.messages;
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 20; ++j) {
      float sum = 0; // The lanes run over j, so that k goes in order.
      for (int64_t x = 0; x < 64; ++x)
        sum += static_cast<float>(a.at({i, x}).f) * static_cast<float>(b.at({x, j}).f);
      EXPECT_EQ(results[0].at({i, j}).f, sum);
    }
}

constexpr const char *softmax = R"mlir(
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M, N] : tensor<?x?xf16>, L[M] : tensor<?xf32>) {
  %m = nautilus_scalar.reduce "m" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0xFF800000 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.maximumf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %e = nautilus_scalar.map "e" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %mx = %m[i] : tensor<?xf32>) -> tensor<?x?xf32> {
    %0 = arith.subf %x, %mx : f32
    %1 = math.exp %0 : f32
    nautilus_scalar.yield %1 : f32
  }
  %s = nautilus_scalar.reduce "s" [i: M] over [j: N] (%x = %e[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %e[i, j] : tensor<?x?xf32>, %d = %s[i] : tensor<?xf32>) -> tensor<?x?xf16> {
    %0 = arith.divf %x, %d : f32
    %1 = arith.truncf %0 : f32 to f16
    nautilus_scalar.yield %1 : f16
  }
  %L = nautilus_scalar.map "L" [i: M] (%a = %m[i] : tensor<?xf32>, %d = %s[i] : tensor<?xf32>) -> tensor<?xf32> {
    %0 = math.log %d : f32
    %1 = arith.addf %a, %0 : f32
    nautilus_scalar.yield %1 : f32
  }
  nautilus_scalar.return %Y, %L : tensor<?x?xf16>, tensor<?xf32>
})mlir";

TEST(MathFormTest, Softmax) {
  RunText text;
  int64_t shapes[][2] = {{3, 5}, {1, 1000}, {300, 2}, {7, 257}};
  for (auto [m, n] : shapes) {
    Tensor x = randomTensor(ElementKind::F32, {m, n}, 5);
    std::vector<Tensor> results = text.run(softmax, {x});
    ASSERT_EQ(results.size(), 2u) << text.messages;
    for (int64_t i = 0; i < m; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += std::exp(x.at({i, j}).f);
      EXPECT_NEAR(results[1].at({i}).f, std::log(sum), 1e-12);
      for (int64_t j = 0; j < n; ++j) {
        double y = std::exp(x.at({i, j}).f) / sum;
        EXPECT_NEAR(results[0].at({i, j}).f, roundToKind(ElementKind::F16, y), y * 0x1p-10);
      }
    }
  }
}

TEST(MathFormTest, EmptyReductionsGiveTheIdentity) {
  RunText text;
  std::vector<Tensor> results = text.run(softmax, {Tensor(ElementKind::F32, {2, 0})});
  ASSERT_EQ(results.size(), 2u) << text.messages;
  // max = -inf, sum = 0, so L = -inf + log 0.
  EXPECT_EQ(results[1].at({1}).f, -INFINITY);
}

constexpr const char *argmax = R"mlir(
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (V[M] : tensor<?xf32>, I[M] : tensor<?xi64>) {
  %V, %I = nautilus_scalar.reduce "V" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
    %j = nautilus_scalar.index "j"
    %0 = arith.index_cast %j : index to i64
    nautilus_scalar.yield %x, %0 : f32, i64
  } combine identity [0xFF800000 : f32, 9223372036854775807 : i64] {
  ^bb0(%lv: f32, %li: i64, %rv: f32, %ri: i64):
    // The left side wins when it is greater or NaN beside a number; at equal values the lower index.
    %lnan = arith.cmpf uno, %lv, %lv : f32
    %rnan = arith.cmpf uno, %rv, %rv : f32
    %greater = arith.cmpf ogt, %lv, %rv : f32
    %equal = arith.cmpf oeq, %lv, %rv : f32
    %both = arith.andi %lnan, %rnan : i1
    %tie = arith.ori %equal, %both : i1
    %lower = arith.cmpi slt, %li, %ri : i64
    %byIndex = arith.andi %tie, %lower : i1
    %true = arith.constant true
    %rnum = arith.xori %rnan, %true : i1
    %byNan = arith.andi %lnan, %rnum : i1
    %0 = arith.ori %greater, %byIndex : i1
    %1 = arith.ori %0, %byNan : i1
    %v = arith.select %1, %lv, %rv : f32
    %n = arith.select %1, %li, %ri : i64
    nautilus_scalar.yield %v, %n : f32, i64
  }
  nautilus_scalar.return %V, %I : tensor<?xf32>, tensor<?xi64>
})mlir";

TEST(MathFormTest, ArgmaxTakesNanAndTheLowestIndex) {
  RunText text;
  for (int64_t n : {1, 7, 500}) {
    for (int64_t m : {5, 40}) {
      Tensor x(ElementKind::F32, {m, n});
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          x.at({i, j}).f = (i * 31 + j * 17) % 5; // Many ties.
      if (n > 6) {
        x.at({0, 3}).f = x.at({0, 5}).f = NAN;
        x.at({1, n - 1}).f = 100;
      }
      std::vector<Tensor> results = text.run(argmax, {x});
      ASSERT_EQ(results.size(), 2u) << text.messages;
      for (int64_t i = 0; i < m; ++i) {
        int64_t best = 0;
        for (int64_t j = 1; j < n; ++j) {
          double v = x.at({i, j}).f, b = x.at({i, best}).f;
          if (!std::isnan(b) && (std::isnan(v) || v > b))
            best = j;
        }
        EXPECT_EQ(results[1].at({i}).i, best) << m << " " << n << " " << i;
      }
    }
  }
}

// h over G*R is two axes; the value of h and h / R are affine in them.
TEST(MathFormTest, ProductDims) {
  RunText text;
  std::vector<Tensor> results = text.run(
      R"mlir(
nautilus_scalar.kernel @k dims [G, R, N] (%Q = Q[G*R, N] : tensor<?x?x?xf32>, %K = K[G, N] : tensor<?x?xf32>) -> (S[G*R] : tensor<?x?xf32>) {
  %S = nautilus_scalar.reduce "S" [h.G: G, h.R: R] over [n: N] (%q = %Q[h.G, h.R, n] : tensor<?x?x?xf32>, %k = %K[h.G, n] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    %g = nautilus_scalar.index "h.G"
    %r = nautilus_scalar.index "h.R"
    %R = nautilus_scalar.dim "R"
    %0 = arith.muli %g, %R : index
    %1 = arith.addi %0, %r : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %q, %k : f32
    %5 = arith.mulf %4, %3 : f32
    nautilus_scalar.yield %5 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %S : tensor<?x?xf32>
})mlir",
      {randomTensor(ElementKind::F32, {3, 4, 20}, 1), randomTensor(ElementKind::F32, {3, 20}, 2)});
  ASSERT_EQ(results.size(), 1u) << text.messages;
  Tensor q = randomTensor(ElementKind::F32, {3, 4, 20}, 1);
  Tensor k = randomTensor(ElementKind::F32, {3, 20}, 2);
  for (int64_t h = 0; h < 12; ++h) {
    double sum = 0;
    for (int64_t n = 0; n < 20; ++n)
      sum += q.at({h / 4, h % 4, n}).f * k.at({h / 4, n}).f * static_cast<double>(h);
    EXPECT_NEAR(results[0].at({h / 4, h % 4}).f, sum, 1e-12);
  }
}

constexpr const char *subscripts = R"mlir(
nautilus_scalar.kernel @k dims [N, P] (%X = X[P] : tensor<?xi64>) -> (Y[N] : tensor<?xi64>) {
  %Y = nautilus_scalar.map "Y" [i: N] (%a = %X[i floordiv 3 + 1] : tensor<?xi64>, %b = %X[(i + 2) mod 4] : tensor<?xi64>, %c = %X[7 - i] : tensor<?xi64>) -> tensor<?xi64> {
    %0 = arith.addi %a, %b : i64
    %1 = arith.subi %0, %c : i64
    nautilus_scalar.yield %1 : i64
  }
  nautilus_scalar.return %Y : tensor<?xi64>
})mlir";

TEST(MathFormTest, NonLinearSubscripts) {
  RunText text;
  Tensor x = randomTensor(ElementKind::I64, {8}, 3);
  std::vector<Tensor> results = text.run(subscripts, {x}, {{"N", 8}});
  ASSERT_EQ(results.size(), 1u) << text.messages;
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(results[0].at({i}).i, x.at({i / 3 + 1}).i + x.at({(i + 2) % 4}).i - x.at({7 - i}).i);
}

TEST(MathFormTest, OutOfBoundsIsAnError) {
  RunText text;
  EXPECT_TRUE(text.run(subscripts, {randomTensor(ElementKind::I64, {8}, 3)}, {{"N", 9}}).empty());
  EXPECT_EQ(text.messages, "expected subscript 0 of input 2 inside [0, 8), got -1\n");
  EXPECT_TRUE(text.run(subscripts, {randomTensor(ElementKind::I64, {3}, 3)}, {{"N", 2}}).empty());
  EXPECT_NE(text.messages.find("inside [0, 3), got"), std::string::npos) << text.messages;
}

TEST(MathFormTest, DimErrors) {
  RunText text;
  Tensor x(ElementKind::I64, {8});
  EXPECT_TRUE(text.run(subscripts, {x}).empty());
  EXPECT_EQ(text.messages, "expected an extent of dim \"N\"\n");
  EXPECT_TRUE(text.run(subscripts, {x}, {{"N", 4}, {"P", 7}}).empty());
  EXPECT_EQ(text.messages, "expected extent 7 of dim P from input X, got 8\n");
  EXPECT_TRUE(text.run(subscripts, {Tensor(ElementKind::I64, {8, 1})}).empty());
  EXPECT_EQ(text.messages, "expected rank 1 of input X, got 2\n");
  EXPECT_TRUE(text.run(subscripts, {Tensor(ElementKind::F32, {8})}).empty());
  EXPECT_EQ(text.messages, "expected elements of type 'i64' in input \"X\", got f32\n");
  EXPECT_TRUE(text.run(subscripts, {}).empty());
  EXPECT_EQ(text.messages, "expected 1 inputs, got 0\n");
}

TEST(MathFormTest, UnknownOpIsAnError) {
  RunText text;
  EXPECT_TRUE(text.run(R"mlir(
nautilus_scalar.kernel @k dims [N = 2] () -> (Y[N] : tensor<2xi64>) {
  %Y = nautilus_scalar.map "Y" [i: N] () -> tensor<2xi64> {
    %0 = arith.constant 1 : i64
    %1 = math.ctpop %0 : i64
    nautilus_scalar.yield %1 : i64
  }
  nautilus_scalar.return %Y : tensor<2xi64>
})mlir",
                       {})
                  .empty());
  EXPECT_EQ(text.messages, "the interpreter does not know math.ctpop\n");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop form: tails, carried values, tile-local and global subscripts, what lies outside the domain.

#include "RunText.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus::interpreter;

namespace {

constexpr const char *matmul = R"mlir(
nautilus_scalar.kernel @k dims [M, N, K] (%A = A[M, K] : tensor<?x?xf32>, %B = B[K, N] : tensor<?x?xf32>) -> (C[M, N] : tensor<?x?xf32>) {
  %C = nautilus_scalar.grid (%i0, %j0) = [i: M tile 4, j: N tile 8] -> tensor<?x?xf32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<4x8xf32>
    %acc = nautilus_scalar.for %k0 = [k: K tile 3] iter (%c = %zero : tensor<4x8xf32>) {
      %next = nautilus_scalar.reduce "C" [i: M tile 4 at %i0, j: N tile 8 at %j0] over [k: K tile 3 at %k0]
          (%a = %A[i, k] : tensor<?x?xf32>, %b = %B[k, j] : tensor<?x?xf32>) init(%c : tensor<4x8xf32>) -> tensor<4x8xf32> {
        %0 = arith.mulf %a, %b : f32
        nautilus_scalar.yield %0 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<4x8xf32>
    }
    nautilus_scalar.assemble %acc [i: M, j: N] : tensor<4x8xf32>
  }
  nautilus_scalar.return %C : tensor<?x?xf32>
})mlir";

TEST(LoopFormTest, MatmulTails) {
  RunText text;
  for (int64_t m : {0, 1, 4, 9})
    for (int64_t n : {1, 8, 11})
      for (int64_t k : {0, 1, 3, 7}) {
        Tensor a = randomTensor(ElementKind::F32, {m, k}, 1);
        Tensor b = randomTensor(ElementKind::F32, {k, n}, 2);
        std::vector<Tensor> results = text.run(matmul, {a, b});
        ASSERT_EQ(results.size(), 1u) << text.messages;
        Tensor expected(ElementKind::F32, {m, n});
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j)
            for (int64_t x = 0; x < k; ++x)
              expected.at({i, j}).f += a.at({i, x}).f * b.at({x, j}).f;
        EXPECT_TRUE(compare(results[0], expected, 1e-12).isWithin(1e-12))
            << m << " " << n << " " << k;
      }
}

// A rolling softmax: carried maximum and sum, the sum repaired by old and new maximum; a tile value
// is read in coordinates of the tile, the argument in those of the whole tensor.
constexpr const char *rolling = R"mlir(
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (L[M] : tensor<?xf32>) {
  %L = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    %ninf = nautilus_scalar.fill 0xFF800000 : f32 : tensor<4xf32>
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    %m, %s = nautilus_scalar.for %j0 = [j: N tile 8] iter (%m0 = %ninf : tensor<4xf32>, %s0 = %zero : tensor<4xf32>) {
      %m1 = nautilus_scalar.reduce "m" [i: M tile 4 at %i0] over [j: N tile 8 at %j0] (%x = %X[i, j] : tensor<?x?xf32>) init(%m0 : tensor<4xf32>) -> tensor<4xf32> {
        nautilus_scalar.yield %x : f32
      } combine identity [0xFF800000 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.maximumf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      %e = nautilus_scalar.map "e" [i: M tile 4 at %i0, j: N tile 8 at %j0] (%x = %X[i, j] : tensor<?x?xf32>, %mx = %m1[i] : tensor<4xf32>) -> tensor<4x8xf32> {
        %0 = arith.subf %x, %mx : f32
        %1 = math.exp %0 : f32
        nautilus_scalar.yield %1 : f32
      }
      %fixed = nautilus_scalar.map "fix" [i: M tile 4 at %i0] (%old = %m0[i] : tensor<4xf32>, %new = %m1[i] : tensor<4xf32>, %sum = %s0[i] : tensor<4xf32>) -> tensor<4xf32> {
        %0 = arith.subf %old, %new : f32
        %1 = math.exp %0 : f32
        %2 = arith.mulf %sum, %1 : f32
        nautilus_scalar.yield %2 : f32
      }
      %s1 = nautilus_scalar.reduce "s" [i: M tile 4 at %i0] over [j: N tile 8 at %j0] (%x = %e[i, j] : tensor<4x8xf32>) init(%fixed : tensor<4xf32>) -> tensor<4xf32> {
        nautilus_scalar.yield %x : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %m1, %s1 : tensor<4xf32>, tensor<4xf32>
    }
    %l = nautilus_scalar.map "L" [i: M tile 4 at %i0] (%a = %m[i] : tensor<4xf32>, %d = %s[i] : tensor<4xf32>) -> tensor<4xf32> {
      %0 = math.log %d : f32
      %1 = arith.addf %a, %0 : f32
      nautilus_scalar.yield %1 : f32
    }
    nautilus_scalar.assemble %l [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %L : tensor<?xf32>
})mlir";

TEST(LoopFormTest, RollingLogSumExp) {
  RunText text;
  for (int64_t m : {1, 4, 6})
    for (int64_t n : {1, 8, 19}) {
      Tensor x = randomTensor(ElementKind::F32, {m, n}, 8);
      std::vector<Tensor> results = text.run(rolling, {x});
      ASSERT_EQ(results.size(), 1u) << text.messages;
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j)
          sum += std::exp(x.at({i, j}).f);
        EXPECT_NEAR(results[0].at({i}).f, std::log(sum), 1e-12);
      }
    }
}

// The second grid reads the result of the first as a whole tensor; loop bounds come from the
// origin.
constexpr const char *twoGrids = R"mlir(
nautilus_scalar.kernel @k dims [N] (%X = X[N] : tensor<?xf32>) -> (Y[N] : tensor<?xf32>) {
  %T = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?xf32> {
    %t = nautilus_scalar.map "T" [i: N tile 4 at %i0] (%x = %X[i] : tensor<?xf32>) -> tensor<4xf32> {
      %0 = arith.addf %x, %x : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %t [i: N] : tensor<4xf32>
  }
  %Y = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?xf32> {
    %c4 = arith.constant 4 : index
    %end = arith.addi %i0, %c4 : index
    %c0 = arith.constant 0 : index
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    %sum = nautilus_scalar.for %j0 = [j: N tile 2] from %c0 to %end iter (%s = %zero : tensor<4xf32>) {
      %next = nautilus_scalar.reduce "Y" [i: N tile 4 at %i0] over [j: N tile 2 at %j0] (%t = %T[j] : tensor<?xf32>) init(%s : tensor<4xf32>) -> tensor<4xf32> {
        %i = nautilus_scalar.index "i"
        %j = nautilus_scalar.index "j"
        %visible = arith.cmpi sle, %j, %i : index
        %none = arith.constant 0.0 : f32
        %0 = arith.select %visible, %t, %none : f32
        nautilus_scalar.yield %0 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<4xf32>
    }
    nautilus_scalar.assemble %sum [i: N] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
})mlir";

TEST(LoopFormTest, GridReadsAnEarlierGrid) {
  RunText text;
  for (int64_t n : {1, 3, 4, 10}) {
    Tensor x = randomTensor(ElementKind::F32, {n}, 8);
    std::vector<Tensor> results = text.run(twoGrids, {x});
    ASSERT_EQ(results.size(), 1u) << text.messages;
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += 2 * x.at({i}).f;
      EXPECT_NEAR(results[0].at({i}).f, sum, 1e-12);
    }
  }
}

// Reading a tile past the domain of the statement that made it gives poison.
TEST(LoopFormTest, OutsideTheDomainIsPoison) {
  RunText text;
  std::vector<Tensor> results = text.run(R"mlir(
nautilus_scalar.kernel @k dims [N, P = 4] (%X = X[N] : tensor<?xf32>) -> (Y[P] : tensor<4xf32>) {
  %Y = nautilus_scalar.grid () = [] -> tensor<4xf32> {
    %t = nautilus_scalar.map "T" [i: N tile 4] (%x = %X[i] : tensor<?xf32>) -> tensor<4xf32> {
      nautilus_scalar.yield %x : f32
    }
    %y = nautilus_scalar.map "Y" [p: P tile 4] (%x = %t[p] : tensor<4xf32>) -> tensor<4xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.assemble %y [p: P] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<4xf32>
})mlir",
                                         {randomTensor(ElementKind::F32, {3}, 1)});
  ASSERT_EQ(results.size(), 1u) << text.messages;
  EXPECT_FALSE(std::isnan(results[0].at({2}).f));
  EXPECT_TRUE(std::isnan(results[0].at({3}).f));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws of the cost model: no choice of sizes is below the lower bound, choices are legal, in order
// and the same each time, counts are those worked out by hand, and what it picks is what hand-tuned
// kernels have.

#include "nautilus/Schedule/Cost.h"
#include "nautilus/InitAll.h"
#include "nautilus/Schedule/Primitives.h"
#include "nautilus/Schedule/ReadState.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::nautilus::scalar;
using namespace mlir::nautilus::schedule;

namespace {

/// Products of f16 with an f16 result; `HINT` is the extent of all dims.
constexpr const char *product = R"mlir(
nautilus_scalar.kernel @k dims [M hint HINT, N hint HINT, K hint HINT] (%A = A[M, K] : tensor<?x?xf16>, %B = B[K, N] : tensor<?x?xf16>) -> (D[M, N] : tensor<?x?xf16>) {
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
  %D = nautilus_scalar.map "D" [i: M, j: N] (%c = %C[i, j] : tensor<?x?xf32>) -> tensor<?x?xf16> {
    %0 = arith.truncf %c : f32 to f16
    nautilus_scalar.yield %0 : f16
  }
  nautilus_scalar.return %D : tensor<?x?xf16>
})mlir";

/// Scores under a mask j <= i, their exponentials, and a product with these.
constexpr const char *chain = R"mlir(
nautilus_scalar.kernel @k dims [H hint 16, M hint HINT, D = DEPTH, N hint HINT] (%Q = Q[H, M, D] : tensor<?x?xDEPTHxf16>, %K = K[H, N, D] : tensor<?x?xDEPTHxf16>, %V = V[H, N, D] : tensor<?x?xDEPTHxf16>) -> (O[H, M, D] : tensor<?x?xDEPTHxf32>) {
  %S = nautilus_scalar.reduce "S" [h: H, i: M, j: N] over [d: D] (%q = %Q[h, i, d] : tensor<?x?xDEPTHxf16>, %k = %K[h, j, d] : tensor<?x?xDEPTHxf16>) -> tensor<?x?x?xf32> {
    %0 = arith.extf %q : f16 to f32
    %1 = arith.extf %k : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    nautilus_scalar.yield %2 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %X = nautilus_scalar.map "X" [h: H, i: M, j: N] (%s = %S[h, i, j] : tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
    %i = nautilus_scalar.index "i"
    %j = nautilus_scalar.index "j"
    %0 = arith.cmpi sle, %j, %i : index
    %c = arith.constant 0xFF800000 : f32
    %1 = arith.select %0, %s, %c : f32
    nautilus_scalar.yield %1 : f32
  }
  %E = nautilus_scalar.map "E" [h: H, i: M, j: N] (%x = %X[h, i, j] : tensor<?x?x?xf32>) -> tensor<?x?x?xf16> {
    %1 = math.exp %x : f32
    %2 = arith.truncf %1 : f32 to f16
    nautilus_scalar.yield %2 : f16
  }
  %O = nautilus_scalar.reduce "O" [h: H, i: M, e: D] over [j: N] (%e = %E[h, i, j] : tensor<?x?x?xf16>, %v = %V[h, j, e] : tensor<?x?xDEPTHxf16>) -> tensor<?x?xDEPTHxf32> {
    %0 = arith.extf %e : f16 to f32
    %1 = arith.extf %v : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    nautilus_scalar.yield %2 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %O : tensor<?x?xDEPTHxf32>
})mlir";

TileSize knob(const char *name) { return {0, name}; }

class CostTest : public ::testing::Test {
protected:
  CostTest() {
    DialectRegistry registry;
    mlir::nautilus::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  static std::string fill(std::string text, StringRef name, int64_t value) {
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, name.size(), std::to_string(value));
    return text;
  }

  State read(StringRef text, ArrayRef<Primitive> steps) {
    modules.push_back(parseSourceString<ModuleOp>(text, &context));
    State state = *readState(*modules.back()->getOps<KernelOp>().begin());
    for (const Primitive &step : steps) {
      Verdict verdict = checkStep(state, step);
      EXPECT_TRUE(verdict) << verdict.getReason().getText();
      state = applyStep(state, step);
    }
    return state;
  }

  State readProduct(int64_t extent) {
    return read(fill(product, "HINT", extent),
                {Tile{"C", "i", knob("m")}, Bind{"C", "i"}, Tile{"C", "j", knob("n")},
                 Bind{"C", "j"}, Tile{"C", "k", knob("k")}, Fuse{"D", "C", "j"}});
  }

  State readChain(int64_t extent, int64_t depth) {
    return read(fill(fill(chain, "HINT", extent), "DEPTH", depth),
                {Tile{"S", "h", TileSize::get(1)}, Bind{"S", "h"}, Tile{"S", "i", knob("m")},
                 Bind{"S", "i"}, Tile{"S", "j", knob("n")}, Fuse{"X", "S", "j"},
                 Fuse{"E", "S", "j"}, Fuse{"O", "S", "j"}});
  }

  const ::nautilus::machine::Machine &hopper = *::nautilus::machine::lookup("sm_90a");
  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
};

TEST_F(CostTest, CountsOneProductByHand) {
  State state = readProduct(4096);
  Parameters parameters;
  parameters.sizes = {{"m", 128}, {"n", 256}, {"k", 64}};
  Estimate estimate = CostModel(state, hopper).estimate(parameters);
  ASSERT_TRUE(estimate.isLegal()) << estimate.illegal;
  ASSERT_EQ(estimate.kernels.size(), 1u);
  const KernelCost &kernel = estimate.kernels[0];
  EXPECT_EQ(kernel.blocks, 32 * 16);
  EXPECT_EQ(kernel.warps, 8);
  EXPECT_EQ(kernel.blocksPerMultiprocessor, 1);
  // 2048 multiply-adds per clock on each of 132 multiprocessors.
  EXPECT_NEAR(kernel.mmaClocks, std::pow(4096.0, 3) / 2048 / 132, 1);
  // (128 + 256) * 64 f16 per step, and the f16 result.
  EXPECT_NEAR(kernel.l2Bytes, 512.0 * 64 * (384 * 64 * 2) + 4096.0 * 4096 * 2, 1);
  // Slots of 48 KiB.
  EXPECT_NEAR(double(kernel.sharedBytes), 4 * 49152, 1024);
}

TEST_F(CostTest, CountsLiveTilesUnderAMask) {
  State state = readChain(4096, 128);
  Parameters parameters;
  parameters.sizes = {{"m", 128}, {"n", 128}};
  Estimate masked = CostModel(state, hopper).estimate(parameters);
  ASSERT_TRUE(masked.isLegal()) << masked.illegal;
  // 32 rows of tiles, of which (1 + ... + 32) are live: 528 of 1024, 16 heads, two products.
  double clocks = 2.0 * 16 * 528 * 128 * 128 * 128 / 2048 / 132;
  EXPECT_NEAR(masked.kernels[0].mmaClocks, clocks, clocks * 1e-6);
}

TEST_F(CostTest, NothingIsBelowTheLowerBound) {
  std::mt19937 random(1);
  auto pick = [&](std::initializer_list<int64_t> sizes) {
    return sizes.begin()[random() % sizes.size()];
  };
  for (const auto &machine : ::nautilus::machine::all())
    for (int64_t extent : {100, 1000, 4096}) {
      std::vector<State> states = {readProduct(extent), readChain(extent, 64),
                                   readChain(extent, 128)};
      for (const State &state : states) {
        CostModel model(state, machine);
        double bound = model.lowerBound();
        for (int i = 0; i < 100; ++i) {
          Parameters parameters;
          for (const char *name : {"m", "n", "k"})
            parameters.sizes.push_back({name, pick({16, 32, 48, 64, 96, 128, 192, 256})});
          parameters.launches = {{pick({0, 4, 8, 12}), pick({0, 2, 3, 4})}};
          Estimate estimate = model.estimate(parameters);
          if (estimate.isLegal())
            EXPECT_GE(estimate.microseconds, bound) << machine.arch.str() << " " << extent;
        }
        EXPECT_EQ(bound, lowerBound(state, machine));
      }
    }
}

TEST_F(CostTest, RanksTheSameEachTime) {
  State state = readChain(4096, 128);
  SmallVector<Parameters> first = enumerateParameters(state, hopper),
                          second = enumerateParameters(state, hopper);
  ASSERT_EQ(first.size(), second.size());
  ASSERT_FALSE(first.empty());
  CostModel model(state, hopper);
  for (auto [a, b] : llvm::zip(first, second)) {
    EXPECT_EQ(a.sizes, b.sizes);
    EXPECT_EQ(a.microseconds, b.microseconds);
    Estimate estimate = model.estimate(a);
    EXPECT_TRUE(estimate.isLegal());
    EXPECT_NEAR(estimate.microseconds, a.microseconds, 1e-9);
    EXPECT_GE(a.microseconds, first.front().microseconds);
  }
}

TEST_F(CostTest, PicksWhatHandTunedKernelsHave) {
  auto best = [&](const State &state) {
    Parameters parameters = enumerateParameters(state, hopper, {1}).front();
    return std::make_tuple(parameters.getSize("m"), parameters.getSize("n"),
                           parameters.launches[0].warps);
  };
  auto [m, n, warps] = best(readChain(4096, 128));
  EXPECT_EQ(m, 128);
  EXPECT_GE(n, 128);
  EXPECT_EQ(warps, 8);
  std::tie(m, n, warps) = best(readChain(4096, 64));
  EXPECT_GE(m, 128);
  std::tie(m, n, warps) = best(readChain(4096, 256));
  EXPECT_EQ(m, 128);
  EXPECT_TRUE(n == 64 || n == 80) << n;
  std::tie(m, n, warps) = best(readProduct(4096));
  EXPECT_GE(m * n, 128 * 256);
  EXPECT_EQ(warps, 8);
  std::tie(m, n, warps) = best(readProduct(512)); // too small for large tiles
  EXPECT_LE(m * n, 64 * 64);
}

TEST_F(CostTest, OpenSizesAreSaid) {
  Estimate estimate = estimateCost(readProduct(512), hopper);
  EXPECT_FALSE(estimate.isLegal());
  EXPECT_NE(estimate.illegal.find("the size of m is open"), std::string::npos) << estimate.illegal;
}

TEST_F(CostTest, UnscheduledStatesGetThePlainSchedule) {
  State state = read(fill(product, "HINT", 512), {});
  Estimate estimate = estimateCost(state, hopper);
  EXPECT_TRUE(estimate.isLegal()) << estimate.illegal;
  EXPECT_EQ(estimate.kernels.size(), 2u);
  EXPECT_GE(estimate.microseconds, lowerBound(state, hopper));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions, carried out element by element on all threads.

#include "Samples.h"
#include <gtest/gtest.h>

using namespace nautilus::layout;
using samples::Fragment;
using Kind = ConversionPlan::Kind;

/// Carries `plan` out on the elements of `from`.
static Fragment carryOut(const ConversionPlan &plan, const RegisterLayout &from,
                         const RegisterLayout &to, int64_t warps) {
  Fragment source = samples::fill(from, warps);
  if (plan.kind == Kind::Identity)
    return source;
  Fragment result(warps, std::vector<std::vector<int64_t>>(
                             32, std::vector<int64_t>(to.numRegisters(), samples::outside)));
  for (int64_t warp = 0; warp < warps; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t r = 0; r < to.numRegisters(); ++r) {
        int64_t lane2 = lane, r2;
        if (plan.kind == Kind::RegisterPermute) {
          r2 = plan.sourceRegister[r];
        } else {
          lane2 = plan.shuffle.sourceLane(r, lane);
          r2 = plan.shuffle.results[r].sources[plan.shuffle.selector(lane)];
        }
        if (r2 >= 0)
          result[warp][lane][r] = source[warp][lane2][r2];
      }
  return result;
}

static Kind check(const RegisterLayout &from, const RegisterLayout &to, int64_t warps,
                  int64_t maxShuffles = 4) {
  ConversionPlan plan = planConversion(from, to, maxShuffles);
  if (plan.kind != Kind::Shared)
    EXPECT_TRUE(samples::matches(carryOut(plan, from, to, warps), to))
        << from.str() << "\n  to " << to.str();
  return plan.kind;
}

TEST(Conversion, AccumulatorToOperandIsFree) {
  for (int64_t k : {16, 80, 96, 128, 176})
    EXPECT_EQ(check(wgmmaAccumulator(128, k, 8), wgmmaOperandA(128, k, 16, 8), 8), Kind::Identity);
}

TEST(Conversion, BetweenAccumulatorsOfOtherNumbering) {
  // Registers of mma.sync run along columns, then rows; so do wgmma's.
  EXPECT_EQ(check(wgmmaAccumulator(128, 80, 4), mmaSyncAccumulator(128, 80, 4, 1), 4),
            Kind::Identity);
  RegisterLayout from({4, 4}, {{0, 1}, {1, 0}}, {{0, 2}, {2, 0}}, {}),
      to({4, 4}, {{1, 0}, {0, 1}}, {{0, 2}, {2, 0}}, {});
  ConversionPlan plan = planConversion(from, to);
  EXPECT_EQ(plan.kind, Kind::RegisterPermute);
  EXPECT_EQ(plan.sourceRegister, (llvm::SmallVector<int64_t>{0, 2, 1, 3}));
}

TEST(Conversion, AccumulatorToEightBitOperandShufflesInQuads) {
  RegisterLayout from = wgmmaAccumulator(64, 96, 4), to = wgmmaOperandA(64, 96, 8, 4);
  EXPECT_EQ(check(from, to, 4), Kind::Shuffle);
  ConversionPlan plan = planConversion(from, to, 2);
  EXPECT_EQ(plan.kind, Kind::Shuffle);
  // Lane bit 1 of a reader chooses between two registers.
  EXPECT_EQ(plan.shuffle.selectorMasks, (llvm::SmallVector<int32_t>{2}));
  EXPECT_EQ(plan.shuffle.numShuffles(), 2 * to.numRegisters());
  EXPECT_EQ(planConversion(from, to, 1).kind, Kind::Shared);
  EXPECT_EQ(planConversion(from, to).kind, Kind::Shared) << "shuffles only where asked for";
}

TEST(Conversion, AccumulatorToMemoryOrderIsShared) {
  EXPECT_EQ(check(wgmmaAccumulator(128, 128, 8), blockedFor({128, 128}, 8, 2, 1), 8), Kind::Shared);
  EXPECT_EQ(check(blockedFor({128, 80}, 8, 2, 1), wgmmaAccumulator(128, 80, 8), 8), Kind::Shared);
}

TEST(Conversion, RepeatedDataIsSelectedWithoutShuffles) {
  // Every lane holds the whole row; the result is spread over lanes.
  RegisterLayout from({8}, {{1}, {2}, {4}}, {{0}, {0}, {0}, {0}, {0}}, {}),
      to({8}, {}, {{1}, {2}, {4}, {0}, {0}}, {});
  EXPECT_EQ(check(from, to, 1, 8), Kind::Shuffle);
  EXPECT_EQ(planConversion(from, to, 8).shuffle.numShuffles(), 0);
  // The other way round each lane gathers.
  EXPECT_EQ(check(to, from, 1, 8), Kind::Shuffle);
}

TEST(Conversion, WarpsMustHoldTheSame) {
  RegisterLayout from({4, 2}, {}, {{0, 1}}, {{1, 0}, {2, 0}}),
      to({4, 2}, {}, {{0, 1}}, {{2, 0}, {1, 0}});
  EXPECT_EQ(planConversion(from, to, 32).kind, Kind::Shared);
}

TEST(Conversion, AllPairsOfSamples) {
  std::vector<samples::Sample> list = samples::all();
  int64_t direct = 0;
  for (const samples::Sample &a : list)
    for (const samples::Sample &b : list)
      if (a.layout.shape() == b.layout.shape() && a.warps == b.warps)
        direct += check(a.layout, b.layout, a.warps, 32) != Kind::Shared;
  EXPECT_GT(direct, int64_t(list.size()));
}

TEST(Conversion, SlicesConvertWithinAWarp) {
  // Row sums of an accumulator, one row per lane.
  RegisterLayout sums = wgmmaAccumulator(64, 128, 4).dropDim(1);
  RegisterLayout rows({64}, {}, {{1}, {2}, {4}, {8}, {0}}, {{16}, {32}});
  EXPECT_EQ(check(sums, rows, 4), Kind::Shuffle);
  EXPECT_EQ(check(rows, sums, 4), Kind::Shuffle);
}

TEST(Conversion, ScratchIsPaddedAgainstConflicts) {
  RegisterLayout from = wgmmaAccumulator(64, 128, 4), to = blockedFor({64, 128}, 4, 2, 1);
  ScratchPlan plan = planScratch(from, to, 2);
  EXPECT_EQ(plan.storeWidth, 2);
  EXPECT_EQ(plan.loadWidth, 8);
  EXPECT_EQ(plan.rowStride, 2 * 128 + 16);
  EXPECT_EQ(plan.size, 64 * plan.rowStride);
  SharedLayout padded = SharedLayout::rowMajor(64, 128, 2, 16),
               plain = SharedLayout::rowMajor(64, 128, 2);
  EXPECT_EQ(countBankConflicts(from, padded, 2).factor(), 1);
  EXPECT_EQ(countBankConflicts(from, plain, 2).factor(), 8);
  for (const samples::Sample &sample : samples::all())
    for (int64_t bytes : {1, 2, 4, 8}) {
      ScratchPlan any = planScratch(sample.layout, sample.layout, bytes);
      EXPECT_EQ(any.rowStride % (bytes * any.loadWidth), 0);
      EXPECT_GE(any.rowStride, sample.layout.shape().back() * bytes);
    }
}

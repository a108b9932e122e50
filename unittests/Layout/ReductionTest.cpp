// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions carried out as planned: sums of numbered elements, so that one counted twice or left
// out shows.

#include "Samples.h"
#include <gtest/gtest.h>
#include <map>

using namespace nautilus::layout;
using samples::Fragment;

/// Sums the elements of `sample` along `dim` by the plan's steps; outside elements count 0.
static Fragment carryOut(const ReductionPlan &plan, const samples::Sample &sample) {
  Fragment elements = samples::fill(sample.layout, sample.warps), sums(sample.warps);
  for (int64_t warp = 0; warp < sample.warps; ++warp) {
    sums[warp].resize(32);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (auto &group : plan.registerGroups) {
        int64_t sum = 0;
        for (int64_t r : group)
          if (elements[warp][lane][r] != samples::outside)
            sum += elements[warp][lane][r];
          else
            EXPECT_TRUE(plan.needsMask[r]);
        sums[warp][lane].push_back(sum);
      }
    for (int32_t mask : plan.laneMasks) {
      auto before = sums[warp];
      for (int64_t lane = 0; lane < 32; ++lane)
        for (size_t r = 0; r < before[lane].size(); ++r)
          sums[warp][lane][r] += before[lane ^ mask][r];
    }
  }
  Fragment total = sums;
  for (int64_t warp = 0; warp < sample.warps; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (size_t r = 0; r < sums[warp][lane].size(); ++r) {
        total[warp][lane][r] = 0;
        for (int64_t other : plan.partners(warp, sample.warps))
          total[warp][lane][r] += sums[other][lane][r];
      }
  return total;
}

TEST(Reduction, SumsEveryElementOnce) {
  for (const samples::Sample &sample : samples::all())
    for (unsigned dim = 0; dim < sample.layout.rank(); ++dim) {
      auto plan = planReduction(sample.layout, dim);
      ASSERT_TRUE(plan);
      EXPECT_EQ(plan->result, sample.layout.dropDim(dim));
      std::map<llvm::SmallVector<int64_t>, int64_t> want;
      llvm::SmallVector<int64_t> shape(sample.layout.shape());
      int64_t count = 1;
      for (int64_t extent : shape)
        count *= extent;
      for (int64_t i = 0; i < count; ++i) {
        llvm::SmallVector<int64_t> at(shape.size());
        for (int64_t d = shape.size() - 1, rest = i; d >= 0; rest /= shape[d], --d)
          at[d] = rest % shape[d];
        at.erase(at.begin() + dim);
        want[at] += i;
      }
      Fragment got = carryOut(*plan, sample);
      for (int64_t warp = 0; warp < sample.warps; ++warp)
        for (int64_t lane = 0; lane < 32; ++lane)
          for (int64_t r = 0; r < plan->result.numRegisters(); ++r) {
            auto at = plan->result.coords(r, lane, warp);
            if (plan->result.contains(at))
              ASSERT_EQ(got[warp][lane][r], want[at])
                  << sample.layout.str() << " dim " << dim << " warp " << warp << " lane " << lane;
          }
    }
}

TEST(Reduction, AccumulatorRowsStayInQuads) {
  auto plan = planReduction(wgmmaAccumulator(64, 128, 4), 1);
  EXPECT_EQ(plan->registerGroups.size(), 2u);
  EXPECT_EQ(plan->registerGroups[0].size(), 32u);
  EXPECT_EQ(plan->laneMasks, (llvm::SmallVector<int32_t>{1, 2}));
  EXPECT_EQ(plan->warpMask, 0);
  auto columns = planReduction(wgmmaAccumulator(64, 128, 4), 0);
  EXPECT_EQ(columns->laneMasks, (llvm::SmallVector<int32_t>{4, 8, 16}));
  EXPECT_EQ(columns->warpMask, 3);
}

TEST(Reduction, PartnersAmongTwelveWarps) {
  auto plan = planReduction(wgmmaAccumulator(192, 80, 12), 0);
  EXPECT_EQ(plan->warpMask, 15);
  EXPECT_EQ(plan->partners(5, 12).size(), 12u);
}

TEST(Reduction, EntangledThreadsAreRefused) {
  EXPECT_FALSE(planReduction(RegisterLayout({2, 2}, {{0, 1}}, {{1, 1}}, {}), 1));
  EXPECT_FALSE(planReduction(RegisterLayout({2, 2}, {{0, 1}, {1, 0}}, {{0, 1}}, {}), 1));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws of register layouts, on every sample.

#include "Samples.h"
#include <gtest/gtest.h>
#include <set>

using namespace nautilus::layout;

TEST(RegisterLayout, EveryElementIsHeldByTheWarpsThatThereAre) {
  for (const samples::Sample &sample : samples::all()) {
    std::string why;
    EXPECT_TRUE(sample.layout.isValid(&why, sample.warps)) << sample.layout.str() << ": " << why;
    EXPECT_LE(sample.layout.numWarps(), 16);
    EXPECT_TRUE(sample.layout.isAdditive()) << sample.layout.str();
  }
}

TEST(RegisterLayout, AdditiveMeansSum) {
  for (const samples::Sample &sample : samples::all())
    for (int64_t r = 0; r < sample.layout.numRegisters(); ++r) {
      auto at = sample.layout.coords(r, 13, 1), offset = sample.layout.registerOffset(r),
           thread = sample.layout.threadOffset(13, 1);
      for (size_t dim = 0; dim < at.size(); ++dim)
        EXPECT_EQ(at[dim], offset[dim] + thread[dim]);
    }
}

TEST(RegisterLayout, OneHolderPerElementWhereNoBasisIsZero) {
  for (const RegisterLayout &layout :
       {wgmmaAccumulator(192, 80, 12), mmaSyncAccumulator(32, 72, 2, 1),
        blockedFor({128, 64}, 4, 2, 1)}) {
    std::set<int64_t> seen;
    int64_t held = 0;
    for (auto &warp : samples::fill(layout, layout.numWarps()))
      for (auto &lane : warp)
        for (int64_t element : lane)
          if (element != samples::outside) {
            seen.insert(element);
            ++held;
          }
    EXPECT_EQ(held, int64_t(seen.size())) << layout.str();
    EXPECT_EQ(held, layout.shape()[0] * layout.shape()[1]);
  }
}

TEST(RegisterLayout, PruningKeepsWholeInstructions) {
  RegisterLayout layout = wgmmaAccumulator(192, 80, 12);
  EXPECT_EQ(layout.numRegisters(), 40);
  EXPECT_EQ(layout.numWarps(), 12);
  EXPECT_EQ(layout.numThreads(), 384);
  for (int64_t r = 0; r < 40; ++r)
    EXPECT_EQ(layout.registerIndices()[r], r);
  EXPECT_EQ(wgmmaAccumulator(192, 96, 4).numRegisters(), 3 * 48);
}

TEST(RegisterLayout, DropDimAgreesWithCoords) {
  for (const samples::Sample &sample : samples::all())
    for (unsigned dim = 0; dim < sample.layout.rank(); ++dim) {
      RegisterLayout slice = sample.layout.dropDim(dim);
      EXPECT_TRUE(slice.isValid(nullptr, sample.warps)) << slice.str();
      for (int64_t warp = 0; warp < sample.warps; ++warp)
        for (int64_t lane = 0; lane < 32; lane += 3) {
          std::set<llvm::SmallVector<int64_t>> full, reduced;
          for (int64_t r = 0; r < sample.layout.numRegisters(); ++r) {
            auto at = sample.layout.coords(r, lane, warp);
            at.erase(at.begin() + dim);
            full.insert(at);
          }
          for (int64_t r = 0; r < slice.numRegisters(); ++r)
            EXPECT_TRUE(reduced.insert(slice.coords(r, lane, warp)).second) << "held twice";
          EXPECT_EQ(full, reduced) << sample.layout.str() << " without dim " << dim;
        }
    }
}

TEST(RegisterLayout, ExpandThenDropIsIdentity) {
  for (const samples::Sample &sample : samples::all())
    for (unsigned dim = 0; dim <= sample.layout.rank(); ++dim) {
      RegisterLayout expanded = sample.layout.expandDim(dim, 5);
      EXPECT_EQ(expanded.numRegisters(), 5 * sample.layout.numRegisters());
      EXPECT_EQ(expanded.dropDim(dim), sample.layout);
    }
}

TEST(RegisterLayout, PermuteMovesCoordinates) {
  RegisterLayout layout = blockedFor({3, 5, 24}, 4, 4, 2), moved = layout.permuteDims({2, 0, 1});
  for (int64_t r = 0; r < layout.numRegisters(); ++r) {
    auto a = layout.coords(r, 21, 2), b = moved.coords(r, 21, 2);
    EXPECT_EQ(b, (llvm::SmallVector<int64_t>{a[2], a[0], a[1]}));
  }
  EXPECT_EQ(moved.permuteDims({1, 2, 0}), layout);
}

TEST(RegisterLayout, MaxCoordinateCountsWarpsThatThereAre) {
  // The padded four warpgroups would reach row 255.
  EXPECT_EQ(wgmmaAccumulator(192, 80, 12).maxCoordinate(0, 0, 12), 183);
  EXPECT_EQ(wgmmaAccumulator(192, 80, 12).maxCoordinate(0, 0, 16), 247);
  std::vector<samples::Sample> list = samples::all();
  list.push_back({RegisterLayout({4, 4}, {{0, 1}, {0, 2}}, {{1, 1}, {2, 2}, {0, 0}}, {}), 1});
  for (const samples::Sample &sample : list)
    for (unsigned dim = 0; dim < sample.layout.rank(); ++dim)
      for (int64_t r = 0; r < std::min<int64_t>(sample.layout.numRegisters(), 9); ++r) {
        int64_t most = 0;
        for (int64_t warp = 0; warp < sample.warps; ++warp)
          for (int64_t lane = 0; lane < 32; ++lane)
            most = std::max(most, sample.layout.coords(r, lane, warp)[dim]);
        EXPECT_EQ(sample.layout.maxCoordinate(r, dim, sample.warps), most);
      }
}

TEST(RegisterLayout, ExclusiveOrWhereBasesOverlap) {
  // Columns flipped by rows: no sum, yet every element has one holder.
  RegisterLayout layout({4, 4}, {{0, 1}, {0, 2}}, {{1, 1}, {2, 2}}, {});
  EXPECT_FALSE(layout.isAdditive());
  EXPECT_TRUE(layout.isValid(nullptr));
  EXPECT_EQ(layout.coords(3, 1, 0), (llvm::SmallVector<int64_t>{1, 2}));
  // A register is pruned only if no thread has it in the tile.
  RegisterLayout narrow({4, 3}, {{0, 1}, {0, 2}}, {{1, 1}, {2, 2}}, {});
  EXPECT_EQ(narrow.numRegisters(), 4);
  EXPECT_TRUE(narrow.isValid(nullptr));
}

TEST(RegisterLayout, SaysWhatIsWrong) {
  std::string why;
  EXPECT_FALSE(RegisterLayout({4, 4}, {{0, 1}}, {{1, 0}, {2, 0}}, {}).isValid(&why));
  EXPECT_EQ(why, "element 2 in row-major order is in no register");
  llvm::SmallVector<RegisterLayout::Basis> many(40, RegisterLayout::Basis{1});
  EXPECT_FALSE(RegisterLayout({4}, many, {}, {}).isValid(&why));
  EXPECT_EQ(why, "expected at most 16 register bits and 16 lane and warp bits");
  EXPECT_FALSE(RegisterLayout({2}, {{-1}}, {}, {}).isValid(&why));
  EXPECT_EQ(why, "expected no negative offset in a basis");
  // Twelve warps where the bases want sixteen.
  EXPECT_FALSE(wgmmaAccumulator(256, 8, 16).isValid(&why, 12));
}

TEST(RegisterLayout, EqualLayoutsHashAlike) {
  EXPECT_EQ(hash_value(wgmmaAccumulator(64, 80, 4)), hash_value(wgmmaOperandA(64, 80, 16, 4)));
  EXPECT_NE(hash_value(wgmmaAccumulator(64, 80, 4)), hash_value(wgmmaAccumulator(64, 96, 4)));
  EXPECT_EQ(RegisterLayout({2, 2}, {{0, 1}}, {{1, 0}}, {}).str(),
            "2x2 reg=[[0, 1]] lane=[[1, 0]] warp=[]");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocked layouts: shapes, widths, coalescing.

#include "Samples.h"
#include <gtest/gtest.h>

using namespace nautilus::layout;
using Coords = llvm::SmallVector<int64_t>;

TEST(Blocked, ThreadsThenWarpsThenRepetition) {
  RegisterLayout layout = blocked({32, 64}, {1, 4}, {4, 8}, {2, 1}, {1, 0});
  EXPECT_EQ(layout.numRegisters(), 4 * 2 * 4);
  EXPECT_EQ(layout.coords(3, 0, 0), (Coords{0, 3}));
  EXPECT_EQ(layout.coords(0, 1, 0), (Coords{0, 4}));
  EXPECT_EQ(layout.coords(0, 8, 0), (Coords{1, 0}));
  EXPECT_EQ(layout.coords(0, 0, 1), (Coords{4, 0}));
  EXPECT_EQ(layout.coords(4, 0, 0), (Coords{0, 32}));
  EXPECT_EQ(layout.coords(8, 0, 0), (Coords{8, 0}));
}

TEST(Blocked, SmallTileRepeatsOverThreads) {
  RegisterLayout layout = blocked({2, 4}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  EXPECT_EQ(layout.numRegisters(), 4);
  EXPECT_EQ(layout.coords(1, 7, 3), (Coords{0, 1}));
  EXPECT_EQ(layout.coords(1, 8, 3), (Coords{1, 1}));
}

TEST(Blocked, SixteenBytesPerThreadWhereTheTileAllows) {
  struct Case {
    int64_t columns, bytes, width;
  };
  for (Case c : {Case{64, 2, 8}, Case{64, 4, 4}, Case{64, 1, 16}, Case{80, 2, 8}, Case{72, 2, 8},
                 Case{40, 4, 4}, Case{6, 2, 2}, Case{3, 2, 1}, Case{1, 4, 1}, Case{4, 2, 4}})
    EXPECT_EQ(vectorWidth(blockedFor({32, c.columns}, 4, c.bytes, 1), 1), c.width)
        << c.columns << " columns of " << c.bytes << " bytes";
  EXPECT_EQ(vectorWidth(blockedFor({64, 24}, 4, 2, 0), 0), 8);
  EXPECT_EQ(vectorWidth(wgmmaAccumulator(64, 80, 4), 1), 2);
  EXPECT_EQ(vectorWidth(wgmmaAccumulator(64, 80, 4), 0), 1);
}

TEST(Blocked, NeighbouringLanesAreNeighboursInMemory) {
  RegisterLayout layout = blockedFor({64, 128}, 4, 2, 1);
  for (int64_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(samples::number({64, 128}, layout.coords(0, lane, 0)), 8 * lane);
}

TEST(Blocked, ThreeWarpgroupsShareEvenly) {
  RegisterLayout layout = blockedFor({192, 128}, 12, 2, 1);
  EXPECT_EQ(layout.numWarps(), 12);
  EXPECT_EQ(layout.numRegisters() * layout.numThreads(), 192 * 128);
  // 128 rows have no third: the data repeats in some warps, and all is there.
  EXPECT_TRUE(blockedFor({128, 64}, 12, 2, 1).isValid(nullptr, 12));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bank conflicts of accesses whose cost is known.

#include "nautilus/Layout/BankConflicts.h"
#include "nautilus/Layout/Blocked.h"
#include "nautilus/Layout/Fragments.h"
#include <gtest/gtest.h>

using namespace nautilus::layout;

TEST(BankConflicts, RowsOfWordsAreFree) {
  RegisterLayout layout({1, 32}, {}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}}, {});
  BankConflicts count = countBankConflicts(layout, SharedLayout::rowMajor(1, 32, 4), 1);
  EXPECT_EQ(count.instructions, 1);
  EXPECT_EQ(count.wavefronts, 1);
}

TEST(BankConflicts, ColumnsOfWordsTakeOneBank) {
  RegisterLayout layout({32, 32}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}},
                        {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {});
  EXPECT_EQ(countBankConflicts(layout, SharedLayout::rowMajor(32, 32, 4), 1).factor(), 32);
  EXPECT_EQ(countBankConflicts(layout, SharedLayout::rowMajor(32, 32, 4, 4), 1).factor(), 1);
  // 16 bytes per lane run by quarter warps.
  EXPECT_EQ(countBankConflicts(layout, SharedLayout::swizzled(32, 32, 4, 128), 4).factor(), 1);
  EXPECT_EQ(countBankConflicts(layout, SharedLayout::rowMajor(32, 32, 4), 4).factor(), 8);
}

TEST(BankConflicts, SwizzleFreesTheAccumulatorsStores) {
  RegisterLayout layout = wgmmaAccumulator(64, 64, 4);
  EXPECT_EQ(countBankConflicts(layout, SharedLayout::rowMajor(64, 64, 2), 2).factor(), 8);
  EXPECT_EQ(countBankConflicts(layout, SharedLayout::swizzled(64, 64, 2, 128), 2).factor(), 1);
}

TEST(BankConflicts, SharedWordsCountOnce) {
  // Neighbouring bytes: 32 lanes in 8 words.
  RegisterLayout layout({1, 32}, {}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}}, {});
  EXPECT_EQ(countBankConflicts(layout, SharedLayout::rowMajor(1, 32, 1), 1).wavefronts, 1);
  RegisterLayout repeated({1, 2}, {}, {{0, 1}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, {});
  EXPECT_EQ(countBankConflicts(repeated, SharedLayout::rowMajor(1, 2, 4), 1).wavefronts, 1);
}

TEST(BankConflicts, LanesBeyondTheTileCostNothing) {
  RegisterLayout layout = blockedFor({3, 3}, 4, 4, 1);
  BankConflicts count = countBankConflicts(layout, SharedLayout::rowMajor(3, 3, 4), 1);
  EXPECT_GT(count.instructions, 0);
  EXPECT_EQ(count.factor(), 1);
  EXPECT_EQ(countBankConflicts(blockedFor({}, 4, 4, 0), SharedLayout::rowMajor(1, 1, 4), 1).ideal,
            1);
}

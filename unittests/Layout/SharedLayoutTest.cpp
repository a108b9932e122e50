// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles in shared memory: no two elements in one place, swizzles, boxes.

#include "nautilus/Layout/SharedLayout.h"
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace nautilus::layout;

static std::vector<SharedLayout> layouts() {
  std::vector<SharedLayout> list{SharedLayout::rowMajor(5, 7, 4),
                                 SharedLayout::rowMajor(16, 40, 2, 8)};
  for (int64_t bytes : {1, 2, 4})
    for (int64_t columns : {16, 64, 80, 96, 128, 256})
      for (int64_t rows : {8, 24, 64}) {
        list.push_back(SharedLayout::interleaved(rows, columns, bytes));
        for (int64_t span : {32, 64, 128})
          list.push_back(SharedLayout::swizzled(rows, columns, bytes, span));
      }
  return list;
}

TEST(SharedLayout, ElementsDoNotOverlapAndFit) {
  for (const SharedLayout &layout : layouts()) {
    std::string why;
    ASSERT_TRUE(layout.isValid(&why)) << why;
    std::set<int64_t> seen;
    for (int64_t row = 0; row < layout.rows(); ++row)
      for (int64_t column = 0; column < layout.columns(); ++column) {
        int64_t offset = layout.byteOffset(row, column);
        EXPECT_EQ(offset % layout.elementBytes(), 0);
        EXPECT_GE(offset, 0);
        EXPECT_LE(offset + layout.elementBytes(), layout.sizeInBytes());
        EXPECT_TRUE(seen.insert(offset).second);
      }
  }
}

TEST(SharedLayout, SwizzleFlipsChunksByRow) {
  SharedLayout layout = SharedLayout::swizzled(16, 64, 2, 128);
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t chunk = 0; chunk < 8; ++chunk)
      EXPECT_EQ(layout.byteOffset(row, 8 * chunk), 128 * row + 16 * (chunk ^ (row % 8)));
  for (int64_t span : {32, 64, 128})
    for (int64_t address = 0; address < 4096; ++address)
      EXPECT_EQ(swizzleAddress(swizzleAddress(address, span), span), address);
  EXPECT_EQ(swizzleAddress(0x80, 32), 0x90);
  EXPECT_EQ(swizzleAddress(0x180, 64), 0x1B0);
}

TEST(SharedLayout, BoxesFillTheSlabs) {
  // A box is written densely, row after row; the swizzle acts on the addresses.
  for (const SharedLayout &layout : layouts()) {
    std::string why;
    auto boxes = layout.tmaBoxes(&why);
    if (!boxes) {
      EXPECT_TRUE(layout.rowStride() % 16 || why == "its rows are padded") << why;
      continue;
    }
    std::set<std::pair<int64_t, int64_t>> filled;
    for (const TmaBox &box : *boxes) {
      EXPECT_EQ(box.columns * layout.elementBytes() % 16, 0);
      EXPECT_EQ(box.byteOffset % layout.alignment(), 0);
      for (int64_t r = 0; r < box.rows; ++r)
        for (int64_t c = 0; c < box.columns; ++c) {
          int64_t dense = box.byteOffset + (r * box.columns + c) * layout.elementBytes();
          EXPECT_EQ(swizzleAddress(dense, layout.swizzle()),
                    layout.byteOffset(box.row + r, box.column + c));
          EXPECT_TRUE(filled.insert({box.row + r, box.column + c}).second);
        }
    }
    EXPECT_GE(int64_t(filled.size()), layout.rows() * layout.columns());
  }
}

TEST(SharedLayout, TallTilesTakeSeveralBoxes) {
  auto boxes = SharedLayout::swizzled(320, 80, 2, 128).tmaBoxes(nullptr);
  ASSERT_EQ(boxes->size(), 4u);
  EXPECT_EQ((*boxes)[1].row, 256);
  EXPECT_EQ((*boxes)[1].rows, 64);
  EXPECT_EQ((*boxes)[2].column, 64);
  EXPECT_EQ((*boxes)[2].columns, 64);
}

TEST(SharedLayout, SaysWhatIsWrong) {
  std::string why;
  EXPECT_FALSE(SharedLayout::swizzled(8, 64, 2, 48).isValid(&why));
  EXPECT_EQ(why, "expected a swizzle of 32, 64 or 128 bytes, got 48");
  SharedLayout two = SharedLayout::swizzled(8, 128, 2, 128);
  EXPECT_FALSE(two.withSlabStride(512).isValid(&why));
  EXPECT_EQ(why, "expected slabs at least 1024 bytes apart, got 512");
  EXPECT_FALSE(two.withSlabStride(1536).isValid(&why));
  EXPECT_EQ(why, "expected slabs at multiples of 1024 bytes, got 1536");
  EXPECT_TRUE(two.withSlabStride(3072).isValid(&why));
  EXPECT_FALSE(SharedLayout::rowMajor(8, 100, 2).tmaBoxes(&why));
  EXPECT_EQ(why, "its rows of 200 bytes are no multiple of 16 bytes");
}

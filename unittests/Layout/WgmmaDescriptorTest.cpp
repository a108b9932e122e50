// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors: known constants, and what the hardware reads through them against what the layout
// says.

#include "nautilus/Layout/WgmmaDescriptor.h"
#include <gtest/gtest.h>

using namespace nautilus::layout;

TEST(WgmmaDescriptor, KnownConstants) {
  auto kMajor = [](int64_t span) {
    return WgmmaOperand(SharedLayout::swizzled(64, 64, 2, span), Major::K).descriptor().encode();
  };
  EXPECT_EQ(kMajor(128), 0x4000004000010000u);
  EXPECT_EQ(kMajor(64), 0x8000002000010000u);
  EXPECT_EQ(kMajor(32), 0xC000001000010000u);
  // 64 rows of the contraction per slab, 128 columns.
  EXPECT_EQ(WgmmaOperand(SharedLayout::swizzled(64, 128, 2, 128), Major::MN).descriptor().encode(),
            0x4000004002000000u);
}

TEST(WgmmaDescriptor, DecodeInvertsEncode) {
  for (int64_t swizzle : {0, 32, 64, 128}) {
    WgmmaDescriptor in{0x3FFF0, 0x1230, 0x400, 0, swizzle};
    WgmmaDescriptor out = WgmmaDescriptor::decode(in.encode());
    EXPECT_EQ(out.start, in.start);
    EXPECT_EQ(out.leadingOffset, in.leadingOffset);
    EXPECT_EQ(out.strideOffset, in.strideOffset);
    EXPECT_EQ(out.swizzle, in.swizzle);
  }
  WgmmaDescriptor shifted;
  shifted.baseOffset = 3;
  EXPECT_FALSE(WgmmaDescriptor::decode(shifted.encode()).elementAddress(Major::K, 2, 0, 0));
}

TEST(WgmmaDescriptor, StepsWithinSlabsAndAcross) {
  WgmmaOperand keys(SharedLayout::swizzled(128, 128, 2, 128), Major::K);
  EXPECT_EQ(keys.numSteps(), 8);
  EXPECT_EQ(keys.stepOffset(1), 32);
  EXPECT_EQ(keys.stepOffset(4), 128 * 128);
  WgmmaOperand values(SharedLayout::swizzled(64, 128, 2, 128), Major::MN);
  EXPECT_EQ(values.numSteps(), 4);
  EXPECT_EQ(values.stepOffset(1), 2048);
  EXPECT_EQ(values.descriptor().leadingOffset, 64 * 128);
  WgmmaOperand plain(SharedLayout::interleaved(64, 64, 2), Major::K);
  EXPECT_EQ(plain.stepOffset(1), 2 * 64 * 16);
}

/// Reads all of the operand through its descriptors and compares with the layout.
static void readThrough(const SharedLayout &layout, Major major) {
  WgmmaOperand operand(layout, major);
  std::string why;
  ASSERT_TRUE(operand.isLegal(&why)) << why;
  int64_t bytes = layout.elementBytes(), perStep = 32 / bytes, base = 5 * 1024;
  int64_t mnExtent = major == Major::K ? layout.rows() : layout.columns(),
          kExtent = major == Major::K ? layout.columns() : layout.rows();
  int64_t group = major == Major::K ? 8 : layout.slabColumns();
  for (int64_t firstMn : {int64_t(0), mnExtent / 2 / group * group})
    for (int64_t step = 0; step < operand.numSteps(); ++step) {
      uint64_t bits = operand.descriptor(base).encode() +
                      ((operand.stepOffset(step) + operand.groupOffset(firstMn)) >> 4);
      WgmmaDescriptor descriptor = WgmmaDescriptor::decode(bits);
      for (int64_t mn = firstMn; mn < mnExtent; ++mn)
        for (int64_t k = step * perStep; k < std::min((step + 1) * perStep, kExtent); ++k) {
          int64_t row = major == Major::K ? mn : k, column = major == Major::K ? k : mn;
          ASSERT_EQ(descriptor.elementAddress(major, bytes, mn - firstMn, k % perStep),
                    base + layout.byteOffset(row, column))
              << "mn " << mn << " k " << k;
        }
    }
}

TEST(WgmmaDescriptor, ReadsWhatTheLayoutWrote) {
  for (int64_t d : {16, 64, 80, 96, 128, 256})
    for (int64_t other : {64, 128, 176})
      for (int64_t span : {32, 64, 128}) {
        readThrough(SharedLayout::swizzled(other, d, 2, span), Major::K);
        readThrough(SharedLayout::swizzled(other, d, 2, span), Major::MN);
        readThrough(SharedLayout::swizzled(other, d, 1, span), Major::K);
        readThrough(SharedLayout::swizzled(other, d, 4, span), Major::K);
      }
}

TEST(WgmmaDescriptor, ReadsWithoutSwizzle) {
  for (int64_t d : {16, 64, 80, 96, 128}) {
    readThrough(SharedLayout::interleaved(64, d, 2), Major::K);
    readThrough(SharedLayout::interleaved(64, d, 2), Major::MN);
    readThrough(SharedLayout::interleaved(64, 2 * d, 1), Major::K);
  }
}

TEST(WgmmaDescriptor, SlabsMayStandApart) {
  readThrough(SharedLayout::swizzled(64, 128, 2, 128).withSlabStride(64 * 128 * 3), Major::K);
  readThrough(SharedLayout::swizzled(64, 128, 2, 128).withSlabStride(64 * 128 * 3), Major::MN);
}

TEST(WgmmaDescriptor, SaysWhatIsWrong) {
  std::string why;
  EXPECT_FALSE(WgmmaOperand(SharedLayout::swizzled(64, 64, 1, 64), Major::MN).isLegal(&why));
  EXPECT_EQ(why, "only 16-bit elements may have their contraction along rows");
  EXPECT_FALSE(WgmmaOperand(SharedLayout::swizzled(40, 64, 2, 128), Major::MN).isLegal(&why));
  EXPECT_EQ(why, "its 40 rows are no multiple of 16");
  EXPECT_FALSE(WgmmaOperand(SharedLayout::rowMajor(64, 64, 2), Major::K).isLegal(&why));
  EXPECT_EQ(why, "without swizzle its rows must be 16 bytes apart, in slabs of 16 bytes");
  EXPECT_FALSE(WgmmaOperand(SharedLayout::swizzled(64, 64, 8, 128), Major::K).isLegal(&why));
}

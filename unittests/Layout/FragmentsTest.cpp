// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor core fragments against the formulas of the PTX ISA.

#include "nautilus/Layout/Fragments.h"
#include <functional>
#include <gtest/gtest.h>

using namespace nautilus::layout;
using Coords = llvm::SmallVector<int64_t>;
/// Coordinates of register r of a lane in a warp.
using Formula = std::function<Coords(int64_t r, int64_t lane, int64_t warp)>;

static void check(const RegisterLayout &layout, int64_t warps, const Formula &formula) {
  for (int64_t warp = 0; warp < warps; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t r = 0; r < layout.numRegisters(); ++r)
        ASSERT_EQ(layout.coords(r, lane, warp), formula(r, lane, warp))
            << "register " << r << " lane " << lane << " warp " << warp;
}

TEST(Fragments, WgmmaAccumulator) {
  for (int64_t n : {8, 80, 96, 112, 176, 256}) {
    RegisterLayout layout = wgmmaAccumulator(64, n, 4);
    ASSERT_EQ(layout.numRegisters(), n / 2);
    check(layout, 4, [](int64_t r, int64_t lane, int64_t warp) {
      return Coords{16 * warp + lane / 4 + 8 * (r >> 1 & 1),
                    8 * (r >> 2) + 2 * (lane % 4) + (r & 1)};
    });
  }
}

TEST(Fragments, WgmmaRowBlocksOverWarpgroups) {
  // Three row blocks on three warpgroups.
  EXPECT_EQ(wgmmaAccumulator(192, 8, 12).coords(0, 0, 8), (Coords{128, 0}));
  // Two blocks each of two warpgroups alternate; of three warpgroups they are consecutive.
  EXPECT_EQ(wgmmaAccumulator(256, 8, 8).coords(4, 0, 4), (Coords{192, 0}));
  EXPECT_EQ(wgmmaAccumulator(384, 8, 12).coords(4, 0, 4), (Coords{192, 0}));
  EXPECT_EQ(wgmmaAccumulator(384, 8, 12).coords(0, 0, 8), (Coords{256, 0}));
  EXPECT_EQ(wgmmaAccumulator(384, 8, 12).numWarps(), 12);
}

TEST(Fragments, WgmmaOperandA16) {
  // Element e of 32-bit register i of k-step s is register 8s + 2i + e.
  check(wgmmaOperandA(64, 80, 16, 4), 4, [](int64_t r, int64_t lane, int64_t warp) {
    int64_t s = r / 8, i = r / 2 % 4, e = r % 2;
    return Coords{16 * warp + lane / 4 + 8 * (i & 1), 16 * s + 2 * (lane % 4) + 8 * (i >> 1) + e};
  });
}

TEST(Fragments, WgmmaOperandA8) {
  check(wgmmaOperandA(64, 96, 8, 4), 4, [](int64_t r, int64_t lane, int64_t warp) {
    int64_t s = r / 16, i = r / 4 % 4, e = r % 4;
    return Coords{16 * warp + lane / 4 + 8 * (i & 1), 32 * s + 4 * (lane % 4) + 16 * (i >> 1) + e};
  });
}

TEST(Fragments, WgmmaOperandA32) {
  check(wgmmaOperandA(64, 24, 32, 4), 4, [](int64_t r, int64_t lane, int64_t warp) {
    int64_t s = r / 4, i = r % 4;
    return Coords{16 * warp + lane / 4 + 8 * (i & 1), 8 * s + lane % 4 + 4 * (i >> 1)};
  });
}

TEST(Fragments, MmaSync) {
  // Two warps down, two across, one instruction tile each.
  check(mmaSyncAccumulator(32, 16, 2, 2), 4, [](int64_t r, int64_t lane, int64_t warp) {
    return Coords{16 * (warp % 2) + lane / 4 + 8 * (r / 2),
                  8 * (warp / 2) + 2 * (lane % 4) + r % 2};
  });
  check(mmaSyncOperandA(32, 16, 16, 2, 2), 4, [](int64_t r, int64_t lane, int64_t warp) {
    return Coords{16 * (warp % 2) + lane / 4 + 8 * (r / 2 % 2),
                  2 * (lane % 4) + 8 * (r / 4) + r % 2};
  });
  check(mmaSyncOperandB(16, 16, 16, 2, 2), 4, [](int64_t r, int64_t lane, int64_t warp) {
    return Coords{2 * (lane % 4) + 8 * (r / 2) + r % 2, 8 * (warp / 2) + lane / 4};
  });
  check(mmaSyncOperandB(32, 8, 8, 1, 1), 1, [](int64_t r, int64_t lane, int64_t) {
    return Coords{4 * (lane % 4) + 16 * (r / 4) + r % 4, lane / 4};
  });
}

TEST(Fragments, MmaSyncWarpsShareUnevenColumns) {
  // 80 columns over two warps: blocks of 8 alternate, five each.
  EXPECT_EQ(mmaSyncAccumulator(16, 80, 1, 2).numRegisters(), 5 * 4);
  EXPECT_EQ(mmaSyncOperandB(16, 80, 16, 1, 2).numRegisters(), 5 * 4);
}

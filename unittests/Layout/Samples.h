// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that the laws are tried on, and fragments of numbered elements held in them.

#ifndef NAUTILUS_UNITTESTS_LAYOUT_SAMPLES_H
#define NAUTILUS_UNITTESTS_LAYOUT_SAMPLES_H

#include "nautilus/Layout/Layout.h"
#include <vector>

namespace nautilus::layout::samples {

struct Sample {
  RegisterLayout layout;
  int64_t warps;
};

inline std::vector<Sample> all() {
  std::vector<Sample> list{
      {wgmmaAccumulator(64, 128, 4), 4},
      {wgmmaAccumulator(128, 80, 8), 8},
      {wgmmaAccumulator(192, 96, 12), 12},
      {wgmmaAccumulator(128, 8, 4), 4},
      {wgmmaAccumulator(384, 176, 12), 12},
      {wgmmaAccumulator(192, 40, 4), 4},
      {wgmmaOperandA(64, 80, 16, 4), 4},
      {wgmmaOperandA(128, 96, 8, 8), 8},
      {mmaSyncAccumulator(64, 72, 4, 1), 4},
      {mmaSyncAccumulator(64, 80, 2, 2), 4},
      {mmaSyncOperandA(64, 48, 16, 2, 2), 4},
      {mmaSyncOperandB(48, 80, 16, 2, 2), 4},
      {mmaSyncOperandB(96, 24, 8, 1, 1), 1},
      {blocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}), 4},
      {blocked({4, 6}, {2, 8}, {4, 8}, {2, 2}, {0, 1}), 4},
  };
  for (int64_t warps : {1, 4, 12})
    for (int64_t rows : {1, 3, 40, 64, 192})
      for (int64_t columns : {1, 3, 7, 72, 80, 128})
        for (int64_t bytes : {1, 2, 4})
          list.push_back({blockedFor({rows, columns}, warps, bytes, columns % 2), warps});
  list.push_back({blockedFor({5}, 4, 2, 0), 4});
  list.push_back({blockedFor({3, 5, 24}, 4, 4, 2), 4});
  return list;
}

/// Row-major number of an element.
inline int64_t number(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> at) {
  int64_t index = 0;
  for (size_t dim = 0; dim < at.size(); ++dim)
    index = index * shape[dim] + at[dim];
  return index;
}

constexpr int64_t outside = -1;

/// What each register holds when elements are numbered: value[warp][lane][register].
using Fragment = std::vector<std::vector<std::vector<int64_t>>>;

inline Fragment fill(const RegisterLayout &layout, int64_t warps) {
  Fragment fragment(warps, std::vector<std::vector<int64_t>>(32));
  for (int64_t warp = 0; warp < warps; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t r = 0; r < layout.numRegisters(); ++r) {
        auto at = layout.coords(r, lane, warp);
        fragment[warp][lane].push_back(layout.contains(at) ? number(layout.shape(), at) : outside);
      }
  return fragment;
}

/// Whether `got` holds what `layout` says, wherever that is in the tile.
inline bool matches(const Fragment &got, const RegisterLayout &layout) {
  Fragment want = fill(layout, got.size());
  for (size_t warp = 0; warp < got.size(); ++warp)
    for (size_t lane = 0; lane < 32; ++lane)
      for (size_t r = 0; r < want[warp][lane].size(); ++r)
        if (want[warp][lane][r] != outside && want[warp][lane][r] != got[warp][lane][r])
          return false;
  return true;
}

} // namespace nautilus::layout::samples

#endif

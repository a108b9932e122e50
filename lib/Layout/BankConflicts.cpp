// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerates a warp's accesses to shared memory, bank by bank.

#include "nautilus/Layout/BankConflicts.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <set>

using namespace nautilus::layout;

static constexpr int64_t numBanks = 32, bankBytes = 4;

/// Where in `shared` the element at `at` lies.
static int64_t byteOffset(const SharedLayout &shared, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> at) {
  if (at.empty())
    return 0;
  int64_t row = 0;
  for (size_t dim = 0; dim + 1 < at.size(); ++dim)
    row = row * shape[dim] + at[dim];
  return shared.byteOffset(row, at.back());
}

BankConflicts nautilus::layout::countBankConflicts(const RegisterLayout &fragment,
                                                   const SharedLayout &shared, int64_t width,
                                                   int64_t warp) {
  BankConflicts count;
  int64_t lanes = int64_t(1) << fragment.laneBases().size(),
          accessBytes = width * shared.elementBytes();
  int64_t lanesAtOnce = lanes / std::max<int64_t>(1, accessBytes / bankBytes);
  for (int64_t r = 0; r + width <= fragment.numRegisters(); r += width) {
    bool any = false;
    for (int64_t first = 0; first < lanes; first += lanesAtOnce) {
      std::array<std::set<int64_t>, numBanks> words;
      int64_t wanted = 0;
      for (int64_t lane = first; lane < first + lanesAtOnce; ++lane) {
        llvm::SmallVector<int64_t> at = fragment.coords(r, lane, warp);
        if (!fragment.contains(at))
          continue;
        int64_t start = byteOffset(shared, fragment.shape(), at);
        for (int64_t word = start / bankBytes; word * bankBytes < start + accessBytes; ++word)
          wanted += words[word % numBanks].insert(word).second;
      }
      if (!wanted)
        continue;
      any = true;
      auto most = std::max_element(words.begin(), words.end(), [](const auto &a, const auto &b) {
        return a.size() < b.size();
      });
      count.wavefronts += most->size();
      count.ideal += llvm::divideCeil(wanted, numBanks);
    }
    count.instructions += any;
  }
  return count;
}

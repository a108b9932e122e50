// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the steps of a reduction off the bases that move along the reduced dim.

#include "nautilus/Layout/Reduction.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace nautilus::layout;
using Basis = RegisterLayout::Basis;

/// True if some bit moves along `dim` and another dim at once, or along `dim` by what other bits
/// (`seen`) move already: then threads can't be paired bit by bit.
static bool isEntangled(llvm::ArrayRef<Basis> bases, unsigned dim, int32_t &seen) {
  for (const Basis &basis : bases) {
    if (basis[dim] == 0)
      continue;
    if (seen & basis[dim] || llvm::count_if(basis, [](int32_t x) { return x != 0; }) > 1)
      return true;
    seen |= basis[dim];
  }
  return false;
}

/// Whether register `r` lies outside the tile for some thread.
static bool overhangs(const RegisterLayout &layout, int64_t r) {
  int64_t lanes = int64_t(1) << layout.laneBases().size(), warps = int64_t(1)
                                                                   << layout.warpBases().size();
  for (int64_t warp = 0; warp < warps; ++warp)
    for (int64_t lane = 0; lane < lanes; ++lane)
      if (!layout.contains(layout.coords(r, lane, warp)))
        return true;
  return false;
}

std::optional<ReductionPlan> nautilus::layout::planReduction(const RegisterLayout &input,
                                                             unsigned dim) {
  int32_t seen = 0;
  for (const Basis &basis : input.registerBases())
    seen |= basis[dim];
  if (isEntangled(input.laneBases(), dim, seen) || isEntangled(input.warpBases(), dim, seen))
    return std::nullopt;
  ReductionPlan plan{input.dropDim(dim), {}, {}, {}, 0, unsigned(input.warpBases().size())};
  std::map<llvm::SmallVector<int64_t>, int64_t> resultAt;
  for (int64_t r = 0; r < plan.result.numRegisters(); ++r)
    resultAt[plan.result.registerOffset(r)] = r;
  plan.registerGroups.resize(plan.result.numRegisters());
  std::set<llvm::SmallVector<int64_t>> taken;
  for (int64_t r = 0; r < input.numRegisters(); ++r) {
    llvm::SmallVector<int64_t> at = input.registerOffset(r);
    plan.needsMask.push_back(overhangs(input, r));
    if (!taken.insert(at).second)
      continue;
    at.erase(at.begin() + dim);
    // A register may be pruned from the result only if no thread has it in the tile.
    if (auto it = resultAt.find(at); it != resultAt.end())
      plan.registerGroups[it->second].push_back(r);
  }
  for (auto [bit, basis] : llvm::enumerate(input.laneBases()))
    if (basis[dim])
      plan.laneMasks.push_back(int32_t(1) << bit);
  for (auto [bit, basis] : llvm::enumerate(input.warpBases()))
    if (basis[dim])
      plan.warpMask |= int32_t(1) << bit;
  return plan;
}

llvm::SmallVector<int64_t> ReductionPlan::partners(int64_t warp, int64_t warpCount) const {
  llvm::SmallVector<int64_t> result;
  int64_t end = int64_t(1) << warpBits;
  for (int64_t other = 0; other < std::min(warpCount, end); ++other)
    if (((other ^ (warp & (end - 1))) & ~int64_t(warpMask)) == 0)
      result.push_back(other);
  return result;
}

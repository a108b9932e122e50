// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra of register layouts.

#include "nautilus/Layout/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <map>
#include <vector>

using namespace nautilus::layout;
using Basis = RegisterLayout::Basis;

static llvm::SmallVector<int64_t> apply(llvm::ArrayRef<Basis> bases, int64_t index, size_t rank) {
  llvm::SmallVector<int64_t> at(rank, 0);
  for (size_t bit = 0; bit < bases.size(); ++bit)
    if (index >> bit & 1)
      for (size_t dim = 0; dim < rank; ++dim)
        at[dim] ^= bases[bit][dim];
  return at;
}

RegisterLayout::RegisterLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Basis> registerBases,
                               llvm::ArrayRef<Basis> laneBases, llvm::ArrayRef<Basis> warpBases)
    : extents(shape), registers(registerBases), lanes(laneBases), warps(warpBases) {
  for (int32_t r = 0; r < int32_t(1) << registers.size(); ++r) {
    llvm::SmallVector<int64_t> at = apply(registers, r, extents.size());
    if (llvm::all_of_zip(at, extents, [](int64_t x, int64_t extent) { return x < extent; }))
      kept.push_back(r);
  }
}

llvm::SmallVector<int64_t> RegisterLayout::registerOffset(int64_t r) const {
  return apply(registers, kept[r], extents.size());
}

llvm::SmallVector<int64_t> RegisterLayout::coords(int64_t r, int64_t lane, int64_t warp) const {
  llvm::SmallVector<int64_t> at = registerOffset(r), byLane = apply(lanes, lane, extents.size()),
                             byWarp = apply(warps, warp, extents.size());
  for (size_t dim = 0; dim < at.size(); ++dim)
    at[dim] ^= byLane[dim] ^ byWarp[dim];
  return at;
}

bool RegisterLayout::isAdditive() const {
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    int32_t seen = 0;
    for (llvm::ArrayRef<Basis> bases :
         {llvm::ArrayRef(registers), llvm::ArrayRef(lanes), llvm::ArrayRef(warps)})
      for (const Basis &basis : bases) {
        if (seen & basis[dim])
          return false;
        seen |= basis[dim];
      }
  }
  return true;
}

bool RegisterLayout::isValid(std::string *why, int64_t numWarps) const {
  int64_t all = int64_t(1) << warps.size();
  numWarps = numWarps ? std::min(numWarps, all) : all;
  int64_t size = 1;
  for (int64_t extent : extents)
    size *= extent;
  std::vector<bool> held(size);
  for (int64_t warp = 0; warp < numWarps; ++warp)
    for (int64_t lane = 0; lane < int64_t(1) << lanes.size(); ++lane)
      for (int64_t r = 0; r < numRegisters(); ++r) {
        int64_t index = 0;
        bool inside = true;
        for (auto [x, extent] : llvm::zip(coords(r, lane, warp), extents)) {
          inside &= x < extent;
          index = index * extent + x;
        }
        if (inside)
          held[index] = true;
      }
  auto missing = llvm::find(held, false);
  if (missing == held.end())
    return true;
  if (why)
    *why = "element " + std::to_string(missing - held.begin()) +
           " in row-major order is in no register";
  return false;
}

static bool isZero(const Basis &basis) {
  return llvm::all_of(basis, [](int32_t x) { return x == 0; });
}

RegisterLayout RegisterLayout::dropDim(unsigned dim) const {
  auto drop = [&](llvm::ArrayRef<Basis> bases, bool removeZero) {
    llvm::SmallVector<Basis> result;
    for (Basis basis : bases) {
      bool wasZero = isZero(basis);
      basis.erase(basis.begin() + dim);
      if (!removeZero || wasZero || !isZero(basis))
        result.push_back(basis);
    }
    return result;
  };
  llvm::SmallVector<int64_t> shape(extents);
  shape.erase(shape.begin() + dim);
  return RegisterLayout(shape, drop(registers, true), drop(lanes, false), drop(warps, false));
}

RegisterLayout RegisterLayout::permuteDims(llvm::ArrayRef<int64_t> permutation) const {
  auto permute = [&](auto list) {
    auto result = list;
    for (size_t i = 0; i < permutation.size(); ++i)
      result[i] = list[permutation[i]];
    return result;
  };
  auto permuteAll = [&](llvm::ArrayRef<Basis> bases) {
    return llvm::map_to_vector(bases, permute);
  };
  return RegisterLayout(permute(extents), permuteAll(registers), permuteAll(lanes),
                        permuteAll(warps));
}

bool RegisterLayout::operator==(const RegisterLayout &other) const {
  if (extents.empty() || other.extents.empty()) // one element, which every thread holds
    return extents.empty() && other.extents.empty();
  return extents == other.extents && registers == other.registers && lanes == other.lanes &&
         warps == other.warps;
}

ConversionPlan nautilus::layout::planConversion(const RegisterLayout &from,
                                                const RegisterLayout &to) {
  if (from == to)
    return {ConversionPlan::Kind::Identity, {}};
  if (from.laneBases() != to.laneBases() || from.warpBases() != to.warpBases())
    return {ConversionPlan::Kind::Shared, {}};
  // Equal threads hold equal elements up to the register number.
  std::map<llvm::SmallVector<int64_t>, int64_t> registerAt;
  for (int64_t r = 0; r < from.numRegisters(); ++r)
    registerAt.try_emplace(from.registerOffset(r), r);
  ConversionPlan plan{ConversionPlan::Kind::RegisterPermute, {}};
  for (int64_t r = 0; r < to.numRegisters(); ++r) {
    auto it = registerAt.find(to.registerOffset(r));
    if (it == registerAt.end())
      return {ConversionPlan::Kind::Shared, {}};
    plan.sourceRegister.push_back(it->second);
  }
  return plan;
}

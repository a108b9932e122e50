// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra of register layouts: coordinates, pruning, slices.

#include "nautilus/Layout/RegisterLayout.h"
#include "LinearSpan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace nautilus::layout;
using Basis = RegisterLayout::Basis;

static constexpr size_t maxRegisterBits = 16, maxThreadBits = 16;

static llvm::SmallVector<int64_t> apply(llvm::ArrayRef<Basis> bases, int64_t index, size_t rank) {
  llvm::SmallVector<int64_t> at(rank, 0);
  for (size_t bit = 0; bit < bases.size(); ++bit)
    if (index >> bit & 1)
      for (size_t dim = 0; dim < rank; ++dim)
        at[dim] ^= bases[bit][dim];
  return at;
}

static void addTo(llvm::SmallVector<int64_t> &at, llvm::ArrayRef<int64_t> offset) {
  for (size_t dim = 0; dim < at.size(); ++dim)
    at[dim] ^= offset[dim];
}

static bool isSmall(llvm::ArrayRef<Basis> registers, llvm::ArrayRef<Basis> lanes,
                    llvm::ArrayRef<Basis> warps) {
  return registers.size() <= maxRegisterBits && lanes.size() + warps.size() <= maxThreadBits;
}

RegisterLayout::RegisterLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Basis> registerBases,
                               llvm::ArrayRef<Basis> laneBases, llvm::ArrayRef<Basis> warpBases)
    : extents(shape), registers(registerBases), lanes(laneBases), warps(warpBases) {
  if (!isSmall(registers, lanes, warps))
    return; // isValid says so
  // With sums thread 0 has the least coordinates: what it does not hold in the tile, no thread
  // does.
  int64_t threads = isAdditive() ? 1 : int64_t(1) << (lanes.size() + warps.size());
  for (int32_t r = 0; r < int32_t(1) << registers.size(); ++r) {
    llvm::SmallVector<int64_t> offset = apply(registers, r, extents.size());
    for (int64_t thread = 0; thread < threads; ++thread) {
      llvm::SmallVector<int64_t> at =
          threadOffset(thread & ((1 << lanes.size()) - 1), thread >> lanes.size());
      addTo(at, offset);
      if (contains(at)) {
        kept.push_back(r);
        break;
      }
    }
  }
}

llvm::ArrayRef<Basis> RegisterLayout::bases(HwDim dim) const {
  switch (dim) {
  case HwDim::Register:
    return registers;
  case HwDim::Lane:
    return lanes;
  case HwDim::Warp:
    return warps;
  }
  return {};
}

int64_t RegisterLayout::numWarps() const {
  auto holdsElements = [&](int64_t warp) {
    for (int64_t lane = 0; lane < int64_t(1) << lanes.size(); ++lane)
      for (int64_t r = 0; r < numRegisters(); ++r)
        if (contains(coords(r, lane, warp)))
          return true;
    return false;
  };
  int64_t count = int64_t(1) << warps.size();
  while (count > 1 && !holdsElements(count - 1))
    --count;
  return count;
}

llvm::SmallVector<int64_t> RegisterLayout::registerOffset(int64_t r) const {
  return apply(registers, kept[r], extents.size());
}

llvm::SmallVector<int64_t> RegisterLayout::threadOffset(int64_t lane, int64_t warp) const {
  llvm::SmallVector<int64_t> at = apply(lanes, lane, extents.size());
  addTo(at, apply(warps, warp, extents.size()));
  return at;
}

llvm::SmallVector<int64_t> RegisterLayout::coords(int64_t r, int64_t lane, int64_t warp) const {
  llvm::SmallVector<int64_t> at = registerOffset(r);
  addTo(at, threadOffset(lane, warp));
  return at;
}

int64_t RegisterLayout::maxCoordinate(int64_t r, unsigned dim, int64_t warpCount) const {
  int64_t most = 0;
  // With sums the last lane has the greatest offset.
  int64_t lanesEnd = int64_t(1) << lanes.size(), firstLane = isAdditive() ? lanesEnd - 1 : 0;
  int64_t offset = registerOffset(r)[dim];
  for (int64_t warp = 0; warp < warpCount; ++warp)
    for (int64_t lane = firstLane; lane < lanesEnd; ++lane)
      most = std::max(most, threadOffset(lane, warp)[dim] ^ offset);
  return most;
}

bool RegisterLayout::contains(llvm::ArrayRef<int64_t> at) const {
  return llvm::all_of_zip(at, extents,
                          [](int64_t x, int64_t extent) { return x >= 0 && x < extent; });
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

bool RegisterLayout::isValid(std::string *why, int64_t warpCount) const {
  auto no = [&](std::string reason) {
    if (why)
      *why = std::move(reason);
    return false;
  };
  if (!isSmall(registers, lanes, warps))
    return no("expected at most " + std::to_string(maxRegisterBits) + " register bits and " +
              std::to_string(maxThreadBits) + " lane and warp bits");
  for (const auto &bases : {registers, lanes, warps})
    for (const Basis &basis : bases)
      if (llvm::any_of(basis, [](int32_t x) { return x < 0; }))
        return no("expected no negative offset in a basis");
  int64_t size = 1, threadWarps = warpCount ? warpCount : int64_t(1) << warps.size();
  for (int64_t extent : extents)
    size *= extent;
  std::vector<bool> held(size);
  llvm::SmallVector<llvm::SmallVector<int64_t>> offsets;
  for (int64_t r = 0; r < numRegisters(); ++r)
    offsets.push_back(registerOffset(r));
  for (int64_t warp = 0; warp < threadWarps; ++warp)
    for (int64_t lane = 0; lane < int64_t(1) << lanes.size(); ++lane) {
      llvm::SmallVector<int64_t> thread = threadOffset(lane, warp);
      for (const llvm::SmallVector<int64_t> &offset : offsets) {
        int64_t index = 0;
        bool inside = true;
        for (size_t dim = 0; dim < extents.size(); ++dim) {
          int64_t x = thread[dim] ^ offset[dim];
          inside &= x < extents[dim];
          index = index * extents[dim] + x;
        }
        if (inside)
          held[index] = true;
      }
    }
  auto missing = llvm::find(held, false);
  return missing == held.end() || no("element " + std::to_string(missing - held.begin()) +
                                     " in row-major order is in no register");
}

RegisterLayout RegisterLayout::dropDim(unsigned dim) const {
  auto drop = [&](Basis basis) {
    basis.erase(basis.begin() + dim);
    return basis;
  };
  llvm::SmallVector<int64_t> shape(extents);
  shape.erase(shape.begin() + dim);
  // A register bit that adds nothing to what lower ones reach would repeat elements.
  llvm::SmallVector<Basis> remaining;
  LinearSpan reached;
  for (const Basis &basis : registers)
    if (reached.insert(drop(basis), 0))
      remaining.push_back(drop(basis));
  return RegisterLayout(shape, remaining, llvm::map_to_vector(lanes, drop),
                        llvm::map_to_vector(warps, drop));
}

RegisterLayout RegisterLayout::expandDim(unsigned dim, int64_t extent) const {
  auto expand = [&](Basis basis) {
    basis.insert(basis.begin() + dim, 0);
    return basis;
  };
  llvm::SmallVector<int64_t> shape(extents);
  shape.insert(shape.begin() + dim, extent);
  llvm::SmallVector<Basis> more = llvm::map_to_vector(registers, expand);
  for (int64_t step = 1; step < extent; step *= 2) {
    more.push_back(Basis(shape.size(), 0));
    more.back()[dim] = step;
  }
  return RegisterLayout(shape, more, llvm::map_to_vector(lanes, expand),
                        llvm::map_to_vector(warps, expand));
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

namespace nautilus::layout {
llvm::hash_code hash_value(const RegisterLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.extents);
  if (layout.extents.empty())
    return hash;
  for (HwDim dim : {HwDim::Register, HwDim::Lane, HwDim::Warp}) {
    hash = llvm::hash_combine(hash, layout.bases(dim).size());
    for (const Basis &basis : layout.bases(dim))
      hash = llvm::hash_combine(hash, llvm::hash_combine_range(basis));
  }
  return hash;
}
} // namespace nautilus::layout

std::string RegisterLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(extents, os, "x");
  for (auto [name, list] : {std::make_pair(" reg=[", llvm::ArrayRef(registers)),
                            std::make_pair("] lane=[", llvm::ArrayRef(lanes)),
                            std::make_pair("] warp=[", llvm::ArrayRef(warps))}) {
    os << name;
    llvm::interleaveComma(list, os, [&](const Basis &basis) {
      os << "[";
      llvm::interleaveComma(basis, os);
      os << "]";
    });
  }
  os << "]";
  return text;
}

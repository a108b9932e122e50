// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives conversions. With F and T the maps of the two layouts, register r and lane l of the
// result want the register r' and lane l' with F(r', l') = T(r, l); all four are linear, so solving
// for each basis of T gives the whole map.

#include "nautilus/Layout/Conversion.h"
#include "LinearSpan.h"
#include "nautilus/Layout/BankConflicts.h"
#include "nautilus/Layout/Blocked.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <optional>

using namespace nautilus::layout;
using Basis = RegisterLayout::Basis;

int64_t ShufflePlan::sourceLane(int64_t r, int64_t lane) const {
  int64_t source = results[r].laneOffset;
  for (size_t bit = 0; bit < laneImages.size(); ++bit)
    if (lane >> bit & 1)
      source ^= laneImages[bit];
  return source;
}

int64_t ShufflePlan::selector(int64_t lane) const {
  int64_t selected = 0;
  for (auto [bit, mask] : llvm::enumerate(selectorMasks))
    selected |= int64_t(llvm::popcount(uint64_t(lane & mask)) & 1) << bit;
  return selected;
}

bool ShufflePlan::isOwnLane(int64_t r) const {
  for (size_t bit = 0; bit < laneImages.size(); ++bit)
    if (laneImages[bit] != int32_t(1) << bit)
      return false;
  return results[r].laneOffset == 0;
}

int64_t ShufflePlan::numShuffles() const {
  int64_t count = 0;
  for (size_t r = 0; r < results.size(); ++r)
    if (!isOwnLane(r))
      count += llvm::count_if(results[r].sources, [](int64_t source) { return source >= 0; });
  return count;
}

namespace {
/// A thread of the source: which lane and which padded register.
struct Place {
  int32_t lane = 0, reg = 0;
  bool operator==(const Place &o) const { return lane == o.lane && reg == o.reg; }
};

/// Finds where a warp holds a coordinate offset.
class PlaceFinder {
public:
  /// Prefers what comes first, so that data which is there twice is taken from where it is nearer.
  PlaceFinder(const RegisterLayout &layout, bool lanesFirst) {
    for (bool lanes : {lanesFirst, !lanesFirst})
      for (auto [bit, basis] : llvm::enumerate(lanes ? layout.laneBases() : layout.registerBases()))
        span.insert(basis, uint64_t(1) << (bit + (lanes ? 0 : 32)));
  }
  std::optional<Place> find(const Basis &offset) const {
    if (std::optional<uint64_t> tag = span.solve(offset))
      return Place{int32_t(*tag & 0xFFFFFFFF), int32_t(*tag >> 32)};
    return std::nullopt;
  }

private:
  LinearSpan span;
};
} // namespace

static bool isZero(const Basis &basis) {
  return llvm::all_of(basis, [](int32_t x) { return x == 0; });
}

/// Warp bits beyond the last basis repeat the data, as zero bases do.
static bool haveSameWarps(const RegisterLayout &a, const RegisterLayout &b) {
  llvm::SmallVector<Basis> one(a.warpBases()), other(b.warpBases());
  Basis zero(a.rank(), 0);
  one.resize(std::max(one.size(), other.size()), zero);
  other.resize(one.size(), zero);
  return one == other;
}

/// Splits the linear map from lane bits to `columns` (padded registers) into independent values and
/// the parities that choose among them.
static llvm::SmallVector<int32_t> findSelectors(llvm::ArrayRef<int32_t> columns,
                                                llvm::SmallVectorImpl<int32_t> &masks) {
  llvm::SmallVector<int32_t> values;
  LinearSpan span;
  for (auto [bit, column] : llvm::enumerate(columns)) {
    if (span.insert({column}, uint64_t(1) << values.size())) {
      values.push_back(column);
      masks.push_back(0);
    }
    uint64_t parts = *span.solve({column});
    for (size_t i = 0; i < values.size(); ++i)
      if (parts >> i & 1)
        masks[i] |= int32_t(1) << bit;
  }
  return values;
}

static std::optional<ShufflePlan> planShuffle(const RegisterLayout &from, const RegisterLayout &to,
                                              int64_t maxSources) {
  PlaceFinder byLane(from, /*lanesFirst=*/true), byRegister(from, /*lanesFirst=*/false);
  ShufflePlan plan;
  llvm::SmallVector<int32_t> columns;
  for (auto [bit, basis] : llvm::enumerate(to.laneBases())) {
    std::optional<Place> place = byLane.find(basis);
    if (bit < from.laneBases().size() && from.laneBases()[bit] == basis)
      place = Place{int32_t(1) << bit, 0};
    if (!place)
      return std::nullopt;
    // Where lanes repeat the data, each reads its own copy.
    if (bit < from.laneBases().size() && isZero(from.laneBases()[bit]))
      place->lane |= int32_t(1) << bit;
    plan.laneImages.push_back(place->lane);
    columns.push_back(place->reg);
  }
  llvm::SmallVector<Place> registerPlaces;
  for (const Basis &basis : to.registerBases()) {
    std::optional<Place> place = byRegister.find(basis);
    if (!place)
      return std::nullopt;
    registerPlaces.push_back(*place);
  }
  llvm::SmallVector<int32_t> values = findSelectors(columns, plan.selectorMasks);
  if (int64_t(1) << values.size() > maxSources)
    return std::nullopt;
  llvm::DenseMap<int32_t, int64_t> keptNumber;
  for (auto [number, padded] : llvm::enumerate(from.registerIndices()))
    keptNumber[padded] = number;
  for (int32_t index : to.registerIndices()) {
    Place start;
    for (size_t bit = 0; bit < registerPlaces.size(); ++bit)
      if (index >> bit & 1) {
        start.lane ^= registerPlaces[bit].lane;
        start.reg ^= registerPlaces[bit].reg;
      }
    ShufflePlan::Result result{start.lane, {}};
    for (int64_t selector = 0; selector < int64_t(1) << values.size(); ++selector) {
      int32_t padded = start.reg;
      for (size_t i = 0; i < values.size(); ++i)
        if (selector >> i & 1)
          padded ^= values[i];
      // Of a pruned register only lanes that overhang the tile would read.
      auto it = keptNumber.find(padded);
      result.sources.push_back(it == keptNumber.end() ? -1 : it->second);
    }
    plan.results.push_back(std::move(result));
  }
  return plan;
}

ConversionPlan nautilus::layout::planConversion(const RegisterLayout &from,
                                                const RegisterLayout &to, int64_t maxShuffles) {
  using Kind = ConversionPlan::Kind;
  if (from == to)
    return {Kind::Identity, {}, {}};
  if (from.shape() != to.shape() || !haveSameWarps(from, to))
    return {Kind::Shared, {}, {}};
  std::optional<ShufflePlan> shuffle = planShuffle(from, to, std::max<int64_t>(1, maxShuffles));
  if (!shuffle)
    return {Kind::Shared, {}, {}};
  bool own = shuffle->selectorMasks.empty();
  llvm::SmallVector<int64_t> sources;
  bool inOrder = from.numRegisters() == to.numRegisters();
  for (auto [r, result] : llvm::enumerate(shuffle->results)) {
    own &= shuffle->isOwnLane(r) && result.sources[0] >= 0;
    sources.push_back(result.sources[0]);
    inOrder &= result.sources[0] == int64_t(r);
  }
  if (own)
    return inOrder ? ConversionPlan{Kind::Identity, {}, {}}
                   : ConversionPlan{Kind::RegisterPermute, std::move(sources), {}};
  if (maxShuffles == 0)
    return {Kind::Shared, {}, {}};
  return {Kind::Shuffle, {}, std::move(*shuffle)};
}

ScratchPlan nautilus::layout::planScratch(const RegisterLayout &from, const RegisterLayout &to,
                                          int64_t elementBytes) {
  int64_t rows = 1, columns = from.rank() ? from.shape().back() : 1;
  if (from.rank())
    for (int64_t extent : from.shape().drop_back())
      rows *= extent;
  auto width = [&](const RegisterLayout &layout) {
    return layout.rank() == 0 ? int64_t(1)
                              : std::min(vectorWidth(layout, layout.rank() - 1), 16 / elementBytes);
  };
  int64_t storeWidth = width(from), loadWidth = width(to);
  // Every row must start where the wider access may.
  int64_t alignment = std::max(storeWidth, loadWidth) * elementBytes;
  std::optional<ScratchPlan> best;
  int64_t bestCost = 0;
  for (int64_t padding : {0, 4, 8, 16, 32}) {
    if (padding % alignment && padding)
      continue;
    SharedLayout scratch = SharedLayout::rowMajor(rows, columns, elementBytes, padding);
    if (scratch.rowStride() % alignment)
      continue;
    int64_t cost = countBankConflicts(from, scratch, storeWidth).wavefronts +
                   countBankConflicts(to, scratch, loadWidth).wavefronts;
    if (!best || cost < bestCost) {
      best = ScratchPlan{scratch.rowStride(), scratch.sizeInBytes(), storeWidth, loadWidth};
      bestCost = cost;
    }
  }
  return *best; // padding 0 always qualifies: a width divides the extent
}

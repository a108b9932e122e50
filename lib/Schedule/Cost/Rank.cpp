// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All choices of tile sizes, warps and stages of a kernel, judged one by one. There are a few
// hundred to a few thousand, so nothing is sampled.

#include "Rank.h"

#include "nautilus/Schedule/DefaultSchedule.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

/// More combinations than this are thinned out by taking every second size.
static constexpr int64_t kMostCombinations = 20000;
static constexpr int64_t kLargestTile = 1024, kLargestProductTile = 256;
/// Points of a tile without products: fewer leave lanes idle, more don't fit in registers.
static constexpr int64_t kLeastPoints = 32, kMostPoints = 32768;
/// Points of the largest accumulator: 128 registers of each of 256 threads. Larger ones compile,
/// but leave the general variant, whose threads load the operands too, no registers.
static constexpr int64_t kMostProductPoints = 32768;
/// More rows, or more depth per step, leave fewer slots for what is read ahead than products need:
/// 256 x 128 x 128 in two slots took 1.3 times as long as 128 x 128 x 64 in four (H200, 4096
/// cubed).
static constexpr int64_t kMostProductRows = 192, kMostProductDepth = 64;

namespace {
struct Knob {
  std::string name;
  SmallVector<unsigned> loops;
  SmallVector<int64_t> sizes;
};
} // namespace

/// The most points that subscripts below `loop` let a tile of its axis have.
static int64_t getLimit(const State &state, unsigned loop) {
  int64_t limit = kLargestTile;
  for (unsigned stmt : state.getStatementsBelow({Node::Kind::Loop, loop})) {
    SmallVector<int64_t> limits = getTileLimits(state.statements[stmt]);
    for (auto [i, local] : llvm::enumerate(state.statements[stmt].axes))
      if (local.axis == state.loops[loop].axis)
        limit = std::min(limit, limits[i]);
  }
  return limit;
}

static SmallVector<int64_t> getSizes(const Profile &profile, const KernelProfile &kernel,
                                     unsigned loop) {
  unsigned axis = profile.state.loops[loop].axis;
  int64_t least = 1, most = getLimit(profile.state, loop);
  bool isDepthAlone = true; // of every product that has the axis
  for (const DotItem &dot : kernel.dots)
    for (auto [i, span] : llvm::enumerate(dot.spans)) {
      if (span.axis != axis)
        continue;
      bool isTiled = i == dot.rows || i == dot.columns || i == dot.depth;
      int64_t limit = i == dot.rows ? kMostProductRows : kLargestProductTile;
      most = std::min(most, isTiled ? limit : 1);
      least = isTiled ? 16 : least;
      isDepthAlone &= i == dot.depth;
    }
  if (least == 16 && isDepthAlone)
    most = std::min(most, kMostProductDepth);
  int64_t extent = profile.getExtent(axis);
  most = std::min<int64_t>(most, llvm::PowerOf2Ceil(std::max<int64_t>(extent, 1)));
  SmallVector<int64_t> sizes;
  for (int64_t size = std::min(least, most); size <= most; size *= 2)
    sizes.push_back(size);
  // Between powers of two products have shapes that fill registers and shared memory better.
  if (least == 16)
    for (int64_t size : {48, 80, 96, 112, 160, 192})
      if (size <= most)
        sizes.push_back(size);
  llvm::sort(sizes);
  return sizes;
}

static SmallVector<Knob> findKnobs(const Profile &profile, const KernelProfile &kernel) {
  SmallVector<Knob> knobs;
  auto visit = [&](unsigned loop) {
    const TileSize &tile = profile.state.loops[loop].tile;
    if (!tile.isOpen())
      return;
    auto *known = llvm::find_if(knobs, [&](const Knob &knob) { return knob.name == tile.knob; });
    if (known == knobs.end()) {
      knobs.push_back({tile.knob, {loop}, getSizes(profile, kernel, loop)});
      return;
    }
    known->loops.push_back(loop);
    SmallVector<int64_t> other = getSizes(profile, kernel, loop);
    llvm::erase_if(known->sizes, [&](int64_t size) { return !llvm::is_contained(other, size); });
  };
  llvm::for_each(kernel.gridLoops, visit);
  llvm::for_each(kernel.serialLoops, visit);
  return knobs;
}

static int64_t countCombinations(ArrayRef<Knob> knobs) {
  int64_t count = 1;
  for (const Knob &knob : knobs)
    count *= std::max<size_t>(knob.sizes.size(), 1);
  return count;
}

static void thinOut(MutableArrayRef<Knob> knobs) {
  while (countCombinations(knobs) > kMostCombinations) {
    Knob &longest = *std::max_element(knobs.begin(), knobs.end(), [](auto &a, auto &b) {
      return a.sizes.size() < b.sizes.size();
    });
    SmallVector<int64_t> kept;
    for (size_t i = longest.sizes.size() % 2 ? 0 : 1; i < longest.sizes.size(); i += 2)
      kept.push_back(longest.sizes[i]);
    longest.sizes = kept;
  }
}

/// Whether accumulators are small enough, and tiles of a kernel without products neither too small
/// nor too large.
static bool isSensible(const KernelProfile &kernel, const Profile &profile,
                       ArrayRef<int64_t> tiles) {
  for (const DotItem &dot : kernel.dots) {
    int64_t points = 1;
    for (unsigned i : {dot.rows, dot.columns})
      points *=
          dot.spans[i].loop >= 0 ? tiles[dot.spans[i].loop] : profile.getExtent(dot.spans[i].axis);
    if (points > kMostProductPoints)
      return false;
  }
  if (!kernel.dots.empty())
    return true;
  int64_t largest = 1;
  bool isWhole = true; // every axis is covered by one tile
  for (const MemoryItem &item : kernel.memory) {
    int64_t points = 1;
    for (const Span &span : item.spans) {
      int64_t extent = profile.getExtent(span.axis);
      points *= span.loop >= 0 ? tiles[span.loop] : extent;
      isWhole &= span.loop < 0 || tiles[span.loop] >= extent;
    }
    largest = std::max(largest, points);
  }
  return largest <= kMostPoints && (largest >= kLeastPoints || isWhole);
}

SmallVector<LaunchOptions> schedule::getLaunches(const KernelProfile &kernel, LaunchOptions given) {
  using scalar::GridOrder;
  bool hasDots = !kernel.dots.empty();
  SmallVector<int64_t> warps = {4, 8}, stages = {0};
  if (hasDots)
    warps.push_back(12);
  SmallVector<bool> persistence = {false};
  SmallVector<GridOrder> orders = {GridOrder::Natural};
  if (hasDots)
    persistence.push_back(true);
  if (!kernel.masks.empty())
    orders.push_back(GridOrder::LongestFirst);
  if (given.warps)
    warps = {given.warps};
  if (given.stages)
    stages = {given.stages};
  // A plain launch first, so that anything else has to be better.
  SmallVector<LaunchOptions> launches;
  for (GridOrder order : orders)
    for (bool isPersistent : persistence)
      for (int64_t w : warps)
        for (int64_t s : stages)
          launches.push_back({w, s, isPersistent || given.persistent,
                              given.order == GridOrder::Natural ? order : given.order});
  return launches;
}

SmallVector<Choice> schedule::rankKernel(const Profile &profile, const KernelProfile &kernel,
                                         const ::nautilus::machine::Machine &machine,
                                         SmallVector<int64_t> tiles, LaunchOptions given,
                                         unsigned limit) {
  SmallVector<Knob> knobs = findKnobs(profile, kernel);
  thinOut(knobs);
  SmallVector<LaunchOptions> launches = getLaunches(kernel, given);
  SmallVector<Choice> choices;
  int64_t count = countCombinations(knobs);
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    Choice choice;
    for (const Knob &knob : llvm::reverse(knobs)) {
      int64_t options = knob.sizes.size();
      if (options == 0)
        return {};
      int64_t size = knob.sizes[rest % options];
      rest /= options;
      choice.sizes.push_back({knob.name, size});
      for (unsigned loop : knob.loops)
        tiles[loop] = size;
    }
    std::reverse(choice.sizes.begin(), choice.sizes.end());
    if (!isSensible(kernel, profile, tiles))
      continue;
    for (LaunchOptions launch : launches) {
      std::string illegal;
      KernelEvaluator evaluator(profile, kernel, machine, {tiles, launch});
      if (!evaluator.usesWarpsWell())
        continue;
      KernelCost cost = evaluator.evaluate(illegal);
      if (!illegal.empty())
        continue;
      choice.launch = launch;
      choice.microseconds = cost.microseconds;
      choices.push_back(choice);
    }
  }
  // Order of generation is that of sizes, which settles ties.
  llvm::stable_sort(
      choices, [](const Choice &a, const Choice &b) { return a.microseconds < b.microseconds; });
  if (choices.size() > limit)
    choices.resize(limit);
  return choices;
}

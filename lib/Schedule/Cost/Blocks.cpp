// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of uneven length: how many iterations of a masked loop each block keeps, and when the last
// block ends if each starts as soon as one before it has ended, in the order of the grid.

#include "Evaluate.h"

#include "llvm/Support/MathExtras.h"

#include <queue>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

/// Block classes that are told apart, and blocks that are scheduled one by one.
static constexpr int64_t kMostClasses = 4096, kMostBlocks = 4096;

/// The least or greatest value of `form` over the tiles at `origins` (by axis).
static int64_t getExtreme(const Profile &profile, const LinearForm &form,
                          const std::map<unsigned, std::pair<int64_t, int64_t>> &tiles,
                          bool greatest) {
  int64_t value = form.constant;
  for (const auto &[dim, coefficient] : form.dims)
    value += coefficient * profile.getExtentOfDim(dim);
  for (auto [axis, coefficient] : form.axes) {
    auto tile = tiles.find(axis);
    int64_t first = tile == tiles.end() ? 0 : tile->second.first,
            points = tile == tiles.end() ? profile.getExtent(axis) : tile->second.second;
    value += coefficient * (greatest == (coefficient > 0) ? first + points - 1 : first);
  }
  return value;
}

void KernelEvaluator::findLiveIterations() {
  if (kernel.masks.empty()) {
    classes = {{blocks, 1, 0}};
    return;
  }
  // Only the first masked loop of a kernel is followed; others share its fractions.
  const MaskedLoop &mask = kernel.masks.front();
  SmallVector<unsigned> relevant;
  int64_t numClasses = 1;
  for (unsigned loop : kernel.gridLoops)
    if (llvm::any_of(mask.conditions, [&](const MaskCondition &condition) {
          return condition.form.axes.count(profile.state.loops[loop].axis) != 0;
        })) {
      relevant.push_back(loop);
      numClasses *= getTrips(loop);
    }
  int64_t tile = sizes.tiles[mask.loop], trips = getTrips(mask.loop);
  int64_t extent = profile.getExtent(profile.state.loops[mask.loop].axis);
  int64_t step = std::max<int64_t>(1, numClasses / kMostClasses);
  double total = 0, totalMasked = 0, counted = 0;
  for (int64_t number = 0; number < numClasses; number += step) {
    std::map<unsigned, std::pair<int64_t, int64_t>> tiles;
    int64_t rest = number;
    for (unsigned loop : llvm::reverse(relevant)) {
      int64_t count = getTrips(loop);
      tiles[profile.state.loops[loop].axis] = {rest % count * sizes.tiles[loop], sizes.tiles[loop]};
      rest /= count;
    }
    int64_t anyLow = 0, allLow = 0, anyHigh = extent, allHigh = extent;
    for (const MaskCondition &condition : mask.conditions) {
      int64_t least = getExtreme(profile, condition.form, tiles, false),
              greatest = getExtreme(profile, condition.form, tiles, true);
      if (condition.isUpper) {
        anyHigh = std::min(anyHigh, greatest + 1);
        allHigh = std::min(allHigh, least + 1);
      } else {
        anyLow = std::max(anyLow, -greatest);
        allLow = std::max(allLow, -least);
      }
    }
    int64_t first = std::max<int64_t>(anyLow, 0) / tile,
            end = llvm::divideCeil(std::max<int64_t>(anyHigh, 0), tile);
    int64_t live = std::clamp<int64_t>(end - first, 0, trips);
    int64_t bareFirst = llvm::divideCeil(std::max<int64_t>(allLow, 0), tile),
            bareEnd = std::max<int64_t>(allHigh, 0) / tile;
    int64_t bare = std::clamp<int64_t>(bareEnd - bareFirst, 0, live);
    classes.push_back(
        {blocks / numClasses * step, double(live) / trips, double(live - bare) / trips});
    total += classes.back().live;
    totalMasked += classes.back().masked;
    counted += 1;
  }
  live = total / counted;
  masked = totalMasked / counted;
}

/// When the last block of uneven ones ends.
double KernelEvaluator::getUnevenMakespan(double fixed, double perIteration, int64_t slots) const {
  double longest = 0;
  for (const LiveClass &entry : classes)
    longest = std::max(longest, fixed + perIteration * entry.live);
  bool isSorted = sizes.launch.order == scalar::GridOrder::LongestFirst;
  if (blocks > kMostBlocks) {
    double average = (fixed + perIteration * live) * blocks / slots;
    return std::max(longest, average + longest / (isSorted ? 8 : 2));
  }
  // The masked axis is taken to be the fastest of the grid, which is how statements declare it.
  std::vector<double> times;
  for (int64_t block = 0; block < int64_t(blocks); ++block)
    times.push_back(fixed + perIteration * classes[block % classes.size()].live);
  if (isSorted)
    std::sort(times.begin(), times.end(), std::greater<double>());
  if (sizes.launch.persistent) { // every slots-th tile is one block's
    std::vector<double> sums(slots, 0);
    for (auto [block, time] : llvm::enumerate(times))
      sums[block % slots] += time;
    return *std::max_element(sums.begin(), sums.end());
  }
  std::priority_queue<double, std::vector<double>, std::greater<double>> ends;
  double last = 0;
  for (double time : times) {
    double start = 0;
    if (int64_t(ends.size()) == slots) {
      start = ends.top();
      ends.pop();
    }
    ends.push(start + time);
    last = std::max(last, start + time);
  }
  return last;
}

double KernelEvaluator::getMakespan(double fixed, double perIteration, int64_t slots) const {
  double once = 0;
  if (sizes.launch.persistent && hasStagedOperands()) {
    once = calibration.blockClocks - calibration.nextTileClocks;
    fixed -= once;
  }
  if (classes.size() > 1)
    return once + getUnevenMakespan(fixed, perIteration, slots);
  return once + std::ceil(blocks / slots) * (fixed + perIteration * classes.front().live);
}

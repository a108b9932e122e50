// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds: every element once, every unit at its rate on all multiprocessors, each byte once
// from memory. The terms are those of KernelEvaluator without what tiles add to them, so that an
// estimate can't be below.

#include "Bound.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

static double getElements(const Profile &profile, const Spans &spans) {
  double elements = 1;
  for (const Span &span : spans)
    elements *= std::max<int64_t>(profile.getExtent(span.axis), 1);
  return elements;
}

/// A share of the iterations of the masked loop that any tiles keep. The live range of a row is the
/// least upper bound less the greatest lower one, so its length is a concave function of the row
/// and on an interval least at one of the ends.
static double getLeastLive(const Profile &profile, const KernelProfile &kernel) {
  if (kernel.masks.empty())
    return 1;
  const MaskedLoop &mask = kernel.masks.front();
  unsigned own = profile.state.loops[mask.loop].axis;
  double extent = std::max<int64_t>(profile.getExtent(own), 1);
  llvm::SmallVector<unsigned> axes;
  for (const MaskCondition &condition : mask.conditions)
    for (auto [axis, coefficient] : condition.form.axes)
      if (coefficient != 0 && !llvm::is_contained(axes, axis))
        axes.push_back(axis);
  if (axes.size() != 1) // several rows: nothing is known
    return 0;
  double rows = std::max<int64_t>(profile.getExtent(axes[0]), 1);
  auto getLength = [&](double row) {
    double low = 0, high = extent;
    for (const MaskCondition &condition : mask.conditions) {
      double value = condition.form.constant;
      for (const auto &[dim, coefficient] : condition.form.dims)
        value += coefficient * double(profile.getExtentOfDim(dim));
      for (auto [axis, coefficient] : condition.form.axes)
        value += coefficient * row;
      if (condition.isUpper)
        high = std::min(high, value + 1);
      else
        low = std::max(low, -value);
    }
    return std::max(high - low, 0.0);
  };
  constexpr int kIntervals = 128;
  double sum = 0;
  for (int i = 0; i < kIntervals; ++i)
    sum += std::min(getLength((rows - 1) * i / kIntervals),
                    getLength((rows - 1) * (i + 1) / kIntervals));
  return sum / kIntervals / extent * (rows - 1) / rows;
}

double schedule::getLowerBound(const Profile &profile, const KernelProfile &kernel,
                               const ::nautilus::machine::Machine &machine) {
  Calibration calibration;
  const auto &device = machine.device();
  double least = getLeastLive(profile, kernel);
  auto getShare = [&](const Path &path) {
    bool isMasked = llvm::any_of(
        kernel.masks, [&](const MaskedLoop &mask) { return llvm::is_contained(path, mask.loop); });
    return isMasked ? least : 1;
  };
  double mma = 0, mufu = 0, fma = 0, alu = 0;
  for (const OpItem &item : kernel.ops) {
    if (item.isMasked)
      continue;
    double elements = getElements(profile, item.spans) * getShare(item.path);
    mufu += elements * item.ops.mufu;
    fma += elements * item.ops.fma;
    alu += elements * item.ops.alu;
  }
  for (const DotItem &dot : kernel.dots) {
    double products = getElements(profile, dot.spans) * getShare(dot.path);
    double rate = dot.operandBits == 16 ? machine.tensorRate(::nautilus::machine::MmaType::F16) : 0;
    (rate > 0 ? mma : fma) += rate > 0 ? products / rate : products;
  }
  const auto &rates = machine.rates;
  double vector = std::max({mufu / rates.specialUnits, fma / rates.fma, alu / rates.alu});
  double clocks = std::max(mma, vector) / device.multiprocessors;
  std::map<std::pair<ValueRef, bool>, double> tensors;
  double cache = device.l2Bytes * calibration.l2Share;
  for (const MemoryItem &item : kernel.memory) {
    double bytes = getElements(profile, item.spans) * item.bits / 8;
    if (!item.isWorkspace || bytes > cache) {
      double &whole = tensors[{item.tensor, item.isWrite}];
      whole = std::max(whole, bytes);
    }
  }
  double bytes = 0;
  for (auto &[tensor, whole] : tensors)
    bytes += whole;
  double dram = bytes / (device.dramGBytesPerSecond * calibration.dramEfficiency * 1e3);
  double onChip = clocks / (device.clockGHz * calibration.sustainedClock * 1e3);
  return calibration.launchMicroseconds + std::max(onChip, dram);
}

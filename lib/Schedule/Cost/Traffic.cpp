// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes from and to device memory: what a wave of blocks touches, how much of it the level-2 cache
// keeps for the next wave, and tensors between kernels that never leave it.

#include "Evaluate.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

double KernelEvaluator::estimateDramBytes() const {
  const auto &device = machine.device();
  double cache = device.l2Bytes * calibration.l2Share;
  double wave = std::min<double>(blocks, device.multiprocessors), waves = blocks / wave;
  struct Tensor {
    double whole = 0, perWave = 0;
    bool isWorkspace = false;
  };
  std::map<std::pair<ValueRef, bool>, Tensor> tensors;
  for (const MemoryItem &item : kernel.memory) {
    double whole = item.bits / 8.0, perBlock = whole;
    llvm::SmallSet<unsigned, 4> walked;
    for (const Span &span : item.spans) {
      int64_t extent = profile.getExtent(span.axis);
      whole *= extent;
      bool isGrid = span.loop >= 0 && profile.state.loops[span.loop].isGrid;
      // A serial loop walks the whole axis within a block.
      perBlock *= isGrid ? std::min<int64_t>(sizes.tiles[span.loop], extent) : extent;
      walked.insert(span.axis);
    }
    // Neighbours in the grid differ in the last loops first.
    double distinct = 1, seen = 1;
    for (unsigned loop : llvm::reverse(kernel.gridLoops)) {
      double count = std::min<double>(getTrips(loop), std::ceil(wave / seen));
      if (walked.contains(profile.state.loops[loop].axis))
        distinct *= count;
      seen *= getTrips(loop);
      if (seen >= wave)
        break;
    }
    Tensor &tensor = tensors[{item.tensor, item.isWrite}];
    tensor.whole = std::max(tensor.whole, whole);
    tensor.perWave = std::max(tensor.perWave, std::min(whole, perBlock * distinct));
    tensor.isWorkspace |= item.isWorkspace;
  }
  double touched = 0;
  for (auto &[key, tensor] : tensors)
    touched += key.second ? 0 : tensor.perWave;
  double kept = touched > 0 ? std::min(1.0, cache / touched) : 1;
  double bytes = 0;
  for (auto &[key, tensor] : tensors) {
    bool isWrite = key.second;
    if (tensor.isWorkspace && tensor.whole <= cache)
      continue; // stays in the cache between two kernels
    double again = isWrite ? 0 : std::max(0.0, waves * tensor.perWave - tensor.whole);
    bytes += tensor.whole + again * (1 - kept);
  }
  return bytes;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of one block: items of the profile times the points of their tiles and the iterations of
// their loops, split into what happens once and what masked loops repeat.

#include "Evaluate.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

static constexpr int64_t kSectorBytes = 32; // of global memory, the least that is fetched
static constexpr int64_t kAccessBits = 128; // the widest access of a thread

void KernelEvaluator::countWork(Work &base, Work &looped) const {
  auto workOf = [&](const Path &path) -> Work & {
    bool isLooped = llvm::any_of(
        kernel.masks, [&](const MaskedLoop &mask) { return llvm::is_contained(path, mask.loop); });
    return isLooped ? looped : base;
  };
  for (const OpItem &item : kernel.ops) {
    double elements = double(getPoints(item.spans)) * getTrips(item.path);
    if (item.isMasked)
      elements *= live > 0 ? masked / live : 0;
    Work &work = workOf(item.path);
    work.mufu += elements * item.ops.mufu;
    work.fma += elements * item.ops.fma;
    work.alu += elements * item.ops.alu;
  }
  for (const DotItem &dot : kernel.dots)
    countDot(dot, workOf(dot.path));
  for (const MemoryItem &item : kernel.memory)
    countMemory(item, workOf(item.path));
  if (kernel.dots.empty())
    for (unsigned loop : kernel.serialLoops)
      workOf({loop}).iterations += getTrips(loop);
}

void KernelEvaluator::countDot(const DotItem &dot, Work &work) const {
  DotForm form = getForm(dot);
  double trips = getTrips(dot.path) * form.count;
  double products = double(form.m) * form.n * form.k * trips;
  work.iterations += trips;
  if (form.onTensorCores) {
    work.mma += products / machine.tensorRate(::nautilus::machine::MmaType::F16);
    // Every instruction along the rows reads all of the right operand; of mma.sync every warp does.
    double groups = machine.hasWgmma ? std::max<int64_t>(form.m / 64, 1) : warps;
    double bytes = 2.0 * form.n * form.k * groups;
    if (dot.isLeftLoaded)
      bytes += 2.0 * form.m * form.k;
    work.shared += bytes * trips / machine.rates.sharedBytes;
    return;
  }
  // A thread reads a row and four columns of its part of the tile per step of the contraction.
  double threads = warps * machine.warpSize;
  double perThread = std::max(1.0, double(form.m) * form.n / threads);
  double reads = (perThread / 4 + 4) * threads * form.k * trips;
  work.fma += products;
  work.alu += reads;
  work.shared += reads * 4 / machine.rates.sharedBytes;
}

void KernelEvaluator::countMemory(const MemoryItem &item, Work &work) const {
  double elements = double(getPoints(item.spans)) * getTrips(item.path);
  double bytes = elements * item.bits / 8;
  if (item.isOperand && hasStagedOperands()) {
    work.bytes += bytes;
    work.shared += bytes / machine.rates.sharedBytes;
    if (!item.path.empty())
      work.fills = std::max(work.fills, getTrips(item.path) / stages);
    return;
  }
  double size = item.bits / 8.0;
  double run = item.inner >= 0 ? getPoints(item.spans[item.inner]) * size : size;
  work.copied += bytes * std::max(1.0, kSectorBytes / run);
  double width = std::clamp(run / size, 1.0, double(kAccessBits) / item.bits);
  work.alu += 2 * elements / width; // the access and its address
}

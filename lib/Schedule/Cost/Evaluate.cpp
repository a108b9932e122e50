// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks of a kernel: the work of a block by unit, how the units overlap, and what the grid makes
// of it. docs/CostModel.md has the formulas.

#include "Evaluate.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;
using ::nautilus::machine::Machine;

static constexpr int64_t kWarpgroup = 4;          // warps
static constexpr int64_t kInstructionLanes = 128; // lanes that a multiprocessor issues per clock

KernelEvaluator::KernelEvaluator(const Profile &profile, const KernelProfile &kernel,
                                 const Machine &machine, KernelSizes sizes)
    : profile(profile), kernel(kernel), machine(machine), sizes(sizes) {
  warps = chooseWarps();
  chooseStages();
  for (unsigned loop : kernel.gridLoops)
    blocks *= getTrips(loop);
}

int64_t KernelEvaluator::getPoints(const Span &span) const {
  return span.loop >= 0 ? sizes.tiles[span.loop] : profile.getExtent(span.axis);
}

int64_t KernelEvaluator::getPoints(const Spans &spans) const {
  int64_t points = 1;
  for (const Span &span : spans)
    points *= getPoints(span);
  return points;
}

int64_t KernelEvaluator::getTrips(unsigned loop) const {
  int64_t extent = profile.getExtent(profile.state.loops[loop].axis);
  return llvm::divideCeil(std::max<int64_t>(extent, 1), sizes.tiles[loop]);
}

double KernelEvaluator::getTrips(const Path &path) const {
  double trips = 1;
  for (unsigned loop : path)
    trips *= getTrips(loop);
  return trips;
}

//===-- Products and warps --------------------------------------------------------===//

DotForm KernelEvaluator::getForm(const DotItem &dot) const {
  DotForm form;
  for (auto [i, span] : llvm::enumerate(dot.spans)) {
    int64_t points = getPoints(span);
    (i == dot.rows      ? form.m
     : i == dot.columns ? form.n
     : i == dot.depth   ? form.k
                        : form.count) *= points;
  }
  form.onTensorCores = isOnTensorCores(dot, warps);
  if (form.onTensorCores)
    form.k = llvm::alignTo(form.k, 16);
  return form;
}

/// The rules of the conversion to nautilus_matile (DotPlan.cpp).
bool KernelEvaluator::isOnTensorCores(const DotItem &dot, int64_t warps) const {
  int64_t m = getPoints(dot.spans[dot.rows]), n = getPoints(dot.spans[dot.columns]),
          k = getPoints(dot.spans[dot.depth]);
  if (dot.operandBits != 16 || warps < 1 || m == 1 || n == 1 || k == 1)
    return false;
  for (auto [i, span] : llvm::enumerate(dot.spans))
    if (i != dot.rows && i != dot.columns && i != dot.depth && getPoints(span) != 1)
      return false;
  if (machine.hasWgmma && warps % kWarpgroup)
    return false;
  if (m % (16 * warps) || (!llvm::isPowerOf2_64(warps) && m != 16 * warps) ||
      !llvm::isPowerOf2_64(m / (16 * warps)))
    return false;
  bool isWhole = dot.spans[dot.depth].loop < 0 && dot.isLeftLoaded && dot.isRightLoaded;
  return n % 8 == 0 && n <= 256 && (k % 16 == 0 || isWhole);
}

int64_t KernelEvaluator::chooseWarps() const {
  if (sizes.launch.warps)
    return sizes.launch.warps;
  int64_t found = 0, step = machine.hasWgmma ? kWarpgroup : 1;
  for (const DotItem &dot : kernel.dots) {
    int64_t rows = getPoints(dot.spans[dot.rows]);
    int64_t candidate = machine.hasWgmma ? kWarpgroup * std::min<int64_t>(rows / 64, 3)
                                         : std::min<int64_t>(rows / 16, 4);
    while (candidate > 0 && !isOnTensorCores(dot, candidate))
      candidate -= step;
    found = std::max(found, candidate);
  }
  return found > 0 ? found : 4;
}

bool KernelEvaluator::usesWarpsWell() const {
  KernelEvaluator standard(profile, kernel, machine, {sizes.tiles, {}});
  return llvm::all_of(kernel.dots, [&](const DotItem &dot) {
    return isOnTensorCores(dot, warps) || !isOnTensorCores(dot, standard.warps);
  });
}

/// Whether a producer warp copies tiles ahead of the computing warps.
bool KernelEvaluator::hasStagedOperands() const {
  return machine.hasWgmma && machine.hasTma && llvm::any_of(kernel.dots, [&](const DotItem &dot) {
           return isOnTensorCores(dot, warps) && (dot.isLeftLoaded || dot.isRightLoaded);
         });
}

/// As many slots as asked for, else as many as fit, at most four.
void KernelEvaluator::chooseStages() {
  if (!hasStagedOperands())
    return;
  stages = sizes.launch.stages ? sizes.launch.stages : 4;
  while (!sizes.launch.stages && stages > 2 && estimateSharedBytes(stages) > machine.sharedPerBlock)
    --stages;
}

//===-- Time ----------------------------------------------------------------------===//

namespace {
/// Clocks of all blocks that share a multiprocessor.
struct Clocks {
  double tensor, special, fma, alu, issue, shared, l2, sync, awaited;
  double getVector() const { return std::max({special, fma, alu, issue}); }
};
} // namespace

static Clocks getClocks(const Machine &machine, const Calibration &calibration, const Work &work,
                        double resident) {
  const auto &rates = machine.rates;
  double l2 = machine.device().l2BytesPerClock * calibration.l2Efficiency /
              machine.device().multiprocessors;
  Clocks clocks;
  clocks.tensor = work.mma * resident;
  clocks.special = work.mufu * resident / rates.specialUnits;
  clocks.fma = work.fma * resident / rates.fma;
  clocks.alu = work.alu * resident / rates.alu;
  clocks.issue = (work.mufu + work.fma + work.alu) * resident / kInstructionLanes;
  clocks.shared = work.shared * resident;
  clocks.l2 = work.bytes * resident / l2;
  clocks.sync = work.copied * resident / l2;
  clocks.awaited = work.fills * calibration.latencyClocks;
  return clocks;
}

/// Tensor cores and vector units overlap across groups of warps that don't wait for each other;
/// copies by a producer overlap with both, copies by the computing warps as vector work does.
static double combine(const Calibration &calibration, const Clocks &clocks, double groups,
                      double iterations) {
  double vector = clocks.getVector(), tensor = clocks.tensor;
  double compute = std::max(tensor, vector) +
                   std::min(tensor, vector) / std::pow(groups, calibration.overlapExponent);
  compute = std::max(compute, clocks.sync) + std::min(compute, clocks.sync) / groups;
  compute +=
      calibration.iterationClocks * iterations / std::pow(groups, calibration.iterationExponent);
  double longest = std::max({compute, clocks.l2, clocks.shared, clocks.awaited});
  return longest + calibration.interference * (compute + clocks.l2 + clocks.shared - longest);
}

static const char *getBound(const Clocks &c) {
  std::pair<double, const char *> terms[] = {
      {c.tensor, "tensor"}, {c.special, "special"}, {c.fma, "fma"},        {c.alu, "alu"},
      {c.issue, "issue"},   {c.shared, "shared"},   {c.l2 + c.sync, "l2"}, {c.awaited, "latency"}};
  return std::max_element(std::begin(terms), std::end(terms),
                          [](auto &a, auto &b) { return a.first < b.first; })
      ->second;
}

bool KernelEvaluator::placeBlocks(KernelCost &cost, std::string &illegal) const {
  bool isSplit = hasStagedOperands() && machine.hasSetMaxNReg;
  int64_t producers = hasStagedOperands() ? kWarpgroup : 0;
  int64_t threads = (warps + producers) * machine.warpSize;
  int64_t limit = machine.registersPerThread(threads);
  if (isSplit)
    if (auto split = machine.splitRegisters(warps / kWarpgroup))
      limit = int64_t(split->consumer * calibration.registerShare);
  auto refuse = [&](int64_t asked, const char *what, int64_t there) {
    illegal = kernel.name + ": " + std::to_string(asked) + what + std::to_string(there);
    return false;
  };
  if (int64_t asked = cost.registersPerThread + getOperandRegisters(); asked > limit)
    return refuse(asked, " registers per thread of ", limit);
  if (cost.sharedBytes > machine.sharedPerBlock)
    return refuse(cost.sharedBytes, " bytes of shared memory of ", machine.sharedPerBlock);
  // With a split a multiprocessor has one block: the launch bounds ask for that.
  cost.blocksPerMultiprocessor =
      isSplit ? 1
              : machine.blocksPerMultiprocessor(threads, cost.registersPerThread, cost.sharedBytes);
  return cost.blocksPerMultiprocessor > 0 || refuse(threads, " threads; blocks that fit: ", 0);
}

KernelCost KernelEvaluator::evaluate(std::string &illegal) {
  KernelCost cost;
  cost.name = kernel.name;
  cost.blocks = blocks;
  cost.warps = warps;
  cost.stages = stages;
  cost.registersPerThread = estimateRegisters();
  cost.sharedBytes = estimateSharedBytes(stages);
  if (!placeBlocks(cost, illegal))
    return cost;

  findLiveIterations();
  const auto &device = machine.device();
  double resident =
      std::min<double>(cost.blocksPerMultiprocessor, std::ceil(blocks / device.multiprocessors));
  double slots = device.multiprocessors * resident;
  cost.waves = blocks / slots;

  Work base, looped;
  countWork(base, looped);
  bool hasGroups = machine.hasWgmma && hasStagedOperands();
  double groups =
      resident * std::max(1.0, hasGroups ? double(warps) / kWarpgroup : double(warps) / 2);
  Clocks baseClocks = getClocks(machine, calibration, base, resident);
  Clocks loopClocks = getClocks(machine, calibration, looped, resident);
  double fixed = combine(calibration, baseClocks, groups, base.iterations * resident) +
                 calibration.blockClocks;
  double perShare = combine(calibration, loopClocks, groups, looped.iterations * resident);
  double clocks = getMakespan(fixed, perShare, int64_t(slots));

  auto perMultiprocessor = [&](double Clocks::*term) {
    return (baseClocks.*term + loopClocks.*term * live) * cost.waves;
  };
  cost.mmaClocks = perMultiprocessor(&Clocks::tensor);
  cost.specialClocks = perMultiprocessor(&Clocks::special);
  cost.fmaClocks = perMultiprocessor(&Clocks::fma);
  cost.aluClocks = perMultiprocessor(&Clocks::alu);
  cost.sharedClocks = perMultiprocessor(&Clocks::shared);
  cost.l2Bytes = (base.bytes + base.copied + (looped.bytes + looped.copied) * live) * blocks;
  cost.dramBytes = estimateDramBytes();
  double onChip = clocks / (device.clockGHz * calibration.sustainedClock * 1e3);
  double dram = cost.dramBytes / (device.dramGBytesPerSecond * calibration.dramEfficiency * 1e3);
  cost.microseconds = calibration.launchMicroseconds + std::max(onChip, dram);
  cost.bound = dram > onChip ? "dram" : getBound(perShare > fixed ? loopClocks : baseClocks);
  return cost;
}

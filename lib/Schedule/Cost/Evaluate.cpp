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

//===-- Work ----------------------------------------------------------------------===//

namespace {
/// Of one block: operations, and clocks where the unit has a shape of its own.
struct Work {
  double mma = 0, mufu = 0, fma = 0, alu = 0, shared = 0, bytes = 0, copied = 0, iterations = 0;
};

/// Clocks of all blocks that share a multiprocessor.
struct Clocks {
  double tensor, special, fma, alu, issue, shared, l2, sync;
  double getVector() const { return std::max({special, fma, alu, issue}); }
};
} // namespace

static Clocks getClocks(const Machine &machine, const Calibration &calibration, const Work &work,
                        double resident) {
  const auto &rates = machine.rates;
  double l2 = machine.device().l2BytesPerClock * calibration.l2Efficiency /
              machine.device().multiprocessors;
  Clocks clocks;
  clocks.tensor = work.mma * resident / calibration.tensorEfficiency;
  clocks.special = work.mufu * resident / rates.specialUnits;
  clocks.fma = work.fma * resident / rates.fma;
  clocks.alu = work.alu * resident / rates.alu;
  clocks.issue = (work.mufu + work.fma + work.alu) * resident / kInstructionLanes;
  clocks.shared = work.shared * resident;
  clocks.l2 = work.bytes * resident / l2;
  clocks.sync = work.copied * resident / l2;
  return clocks;
}

/// Tensor cores and vector units overlap across groups of warps that don't wait for each other;
/// copies by a producer overlap with both, copies by the computing warps as vector work does.
static double combine(const Calibration &calibration, const Clocks &clocks, double groups,
                      double iterations) {
  double vector = clocks.getVector(), tensor = clocks.tensor;
  double compute = std::max(tensor, vector) + std::min(tensor, vector) / groups;
  compute = std::max(compute, clocks.sync) + std::min(compute, clocks.sync) / groups;
  compute += calibration.iterationClocks * iterations / groups;
  double longest = std::max({compute, clocks.l2, clocks.shared});
  return longest + calibration.interference * (compute + clocks.l2 + clocks.shared - longest);
}

static const char *getBound(const Clocks &c) {
  std::pair<double, const char *> terms[] = {
      {c.tensor, "tensor"}, {c.special, "special"}, {c.fma, "fma"},       {c.alu, "alu"},
      {c.issue, "issue"},   {c.shared, "shared"},   {c.l2 + c.sync, "l2"}};
  return std::max_element(std::begin(terms), std::end(terms),
                          [](auto &a, auto &b) { return a.first < b.first; })
      ->second;
}

KernelCost KernelEvaluator::evaluate(std::string &illegal) {
  KernelCost cost;
  cost.name = kernel.name;
  cost.blocks = blocks;
  cost.warps = warps;
  cost.stages = stages;
  cost.registersPerThread = estimateRegisters();
  cost.sharedBytes = estimateSharedBytes(stages);
  bool hasProducer = hasStagedOperands();
  int64_t threads = (warps + (hasProducer ? kWarpgroup : 0)) * machine.warpSize;
  int64_t limit = machine.registersPerThread(threads);
  if (hasProducer && machine.hasSetMaxNReg)
    if (auto split = machine.splitRegisters(warps / kWarpgroup))
      limit = split->consumer;
  if (cost.registersPerThread > limit)
    illegal = kernel.name + ": " + std::to_string(cost.registersPerThread) +
              " registers per thread, " + std::to_string(limit) + " are there";
  if (cost.sharedBytes > machine.sharedPerBlock)
    illegal = kernel.name + ": " + std::to_string(cost.sharedBytes) +
              " bytes of shared memory per block, " + std::to_string(machine.sharedPerBlock) +
              " are there";
  // With a split all warps are launched alike and the sum counts.
  int64_t registers =
      hasProducer && machine.hasSetMaxNReg
          ? std::max<int64_t>(cost.registersPerThread * warps / (warps + kWarpgroup), 24)
          : cost.registersPerThread;
  cost.blocksPerMultiprocessor = machine.blocksPerMultiprocessor(
      threads, std::min(registers, machine.maxRegistersPerThread), cost.sharedBytes);
  if (hasProducer && machine.hasSetMaxNReg) // launch bounds ask for one
    cost.blocksPerMultiprocessor = std::min<int64_t>(cost.blocksPerMultiprocessor, 1);
  if (cost.blocksPerMultiprocessor < 1 && illegal.empty())
    illegal = kernel.name + ": no block fits on a multiprocessor";
  if (!illegal.empty())
    return cost;

  findLiveIterations();
  const auto &device = machine.device();
  double perProcessor = std::ceil(blocks / device.multiprocessors);
  double resident = std::min<double>(cost.blocksPerMultiprocessor, perProcessor);
  double slots = device.multiprocessors * resident;
  cost.waves = blocks / slots;

  Work base, looped; // once per block; of masked loops, if no iteration were dropped
  auto isLooped = [&](const Path &path) {
    return llvm::any_of(
        kernel.masks, [&](const MaskedLoop &mask) { return llvm::is_contained(path, mask.loop); });
  };
  auto workOf = [&](const Path &path) -> Work & { return isLooped(path) ? looped : base; };
  for (const OpItem &item : kernel.ops) {
    double elements = getPoints(item.spans) * getTrips(item.path);
    if (item.isMasked)
      elements *= live > 0 ? masked / live : 0;
    Work &work = workOf(item.path);
    work.mufu += elements * item.ops.mufu;
    work.fma += elements * item.ops.fma;
    work.alu += elements * item.ops.alu;
  }
  for (const DotItem &dot : kernel.dots) {
    DotForm form = getForm(dot);
    double trips = getTrips(dot.path) * form.count;
    double products = double(form.m) * form.n * form.k * trips;
    Work &work = workOf(dot.path);
    if (form.onTensorCores) {
      work.mma += products / machine.tensorRate(::nautilus::machine::MmaType::F16);
      double groups = machine.hasWgmma ? std::max<int64_t>(warps / kWarpgroup, 1) : warps;
      double bytes = 2.0 * form.n * form.k * groups;
      if (dot.isLeftLoaded)
        bytes += 2.0 * form.m * form.k;
      work.shared += bytes * trips / machine.rates.sharedBytes;
    } else {
      double perThread = std::max(1.0, double(form.m) * form.n / (warps * machine.warpSize));
      double reads = (perThread / 4 + 4) * warps * machine.warpSize * form.k * trips;
      work.fma += products;
      work.alu += reads;
      work.shared += reads * 4 / machine.rates.sharedBytes;
    }
    work.iterations += trips;
  }
  for (const MemoryItem &item : kernel.memory) {
    double elements = getPoints(item.spans) * getTrips(item.path);
    double bytes = elements * item.bits / 8;
    Work &work = workOf(item.path);
    bool isCopied = item.isOperand && hasProducer && !item.isWrite;
    if (isCopied) {
      work.bytes += bytes;
      work.shared += bytes / machine.rates.sharedBytes;
      continue;
    }
    double run = item.inner >= 0 ? double(getPoints(item.spans[item.inner])) * item.bits / 8 : 1;
    double sector = std::max(1.0, 32 / std::max(run, item.bits / 8.0));
    work.copied += bytes * std::min(sector, 32.0 * 8 / item.bits);
    double vector = std::clamp(run * 8 / item.bits, 1.0, 128.0 / item.bits);
    work.alu += 2 * elements / vector;
  }
  for (unsigned loop : kernel.serialLoops) {
    Work &work = workOf({loop});
    work.iterations += kernel.dots.empty() ? getTrips(loop) : 0;
  }

  double groups =
      resident * std::max(1.0, machine.hasWgmma && hasProducer ? double(warps) / kWarpgroup
                                                               : double(warps) / 2);
  Clocks baseClocks = getClocks(machine, calibration, base, resident);
  Clocks loopClocks = getClocks(machine, calibration, looped, resident);
  double fixed = combine(calibration, baseClocks, groups, base.iterations * resident) +
                 calibration.blockClocks;
  double perShare = combine(calibration, loopClocks, groups, looped.iterations * resident);
  double clocks = getMakespan(fixed, perShare, int64_t(slots));

  auto perDevice = [&](double a, double b) { // per multiprocessor, in its clocks
    return (a + b * live) * blocks / (resident * device.multiprocessors);
  };
  cost.mmaClocks = perDevice(baseClocks.tensor, loopClocks.tensor);
  cost.specialClocks = perDevice(baseClocks.special, loopClocks.special);
  cost.fmaClocks = perDevice(baseClocks.fma, loopClocks.fma);
  cost.aluClocks = perDevice(baseClocks.alu, loopClocks.alu);
  cost.sharedClocks = perDevice(baseClocks.shared, loopClocks.shared);
  cost.l2Bytes = (base.bytes + base.copied + (looped.bytes + looped.copied) * live) * blocks;
  cost.dramBytes = estimateDramBytes();
  double onChip = clocks / (device.clockGHz * calibration.sustainedClock * 1e3);
  double dram = cost.dramBytes / (device.dramGBytesPerSecond * calibration.dramEfficiency * 1e3);
  cost.microseconds = calibration.launchMicroseconds + std::max(onChip, dram);
  cost.bound = dram > onChip ? "dram" : getBound(perShare > fixed ? loopClocks : baseClocks);
  return cost;
}

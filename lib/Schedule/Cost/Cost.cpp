// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public side of the cost model.

#include "nautilus/Schedule/Cost.h"

#include "Bound.h"
#include "Rank.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;
using ::nautilus::machine::Machine;

struct CostModel::Storage {
  Profile profile;
  const Machine &machine;
};

int64_t Parameters::getSize(StringRef knob) const {
  for (const auto &[name, size] : sizes)
    if (name == knob)
      return size;
  return 0;
}

CostModel::CostModel(const State &state, const Machine &machine)
    : storage(new Storage{makeProfile(state), machine}) {}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel &&) = default;

static SmallVector<int64_t> getTiles(const Profile &profile, const Parameters &parameters) {
  return llvm::map_to_vector(profile.state.loops, [&](const Loop &loop) {
    return loop.tile.isOpen() ? parameters.getSize(loop.tile.knob) : loop.tile.value;
  });
}

Estimate CostModel::estimate() const { return estimate({}); }

Estimate CostModel::estimate(const Parameters &parameters) const {
  const Profile &profile = storage->profile;
  SmallVector<int64_t> tiles = getTiles(profile, parameters);
  Estimate estimate;
  for (auto [number, kernel] : llvm::enumerate(profile.kernels)) {
    for (ArrayRef<unsigned> loops : {ArrayRef(kernel.gridLoops), ArrayRef(kernel.serialLoops)})
      for (unsigned loop : loops)
        if (tiles[loop] < 1 && estimate.isLegal())
          estimate.illegal =
              kernel.name + ": the size of " + profile.state.loops[loop].tile.knob + " is open";
    if (!estimate.isLegal())
      return estimate;
    LaunchOptions launch = number < parameters.launches.size()
                               ? parameters.launches[number]
                               : profile.state.getLaunch(profile.state.roots[number]);
    std::string illegal;
    estimate.kernels.push_back(
        KernelEvaluator(profile, kernel, storage->machine, {tiles, launch}).evaluate(illegal));
    if (estimate.isLegal())
      estimate.illegal = illegal;
    estimate.microseconds += estimate.kernels.back().microseconds;
  }
  return estimate;
}

double CostModel::lowerBound() const {
  double sum = 0;
  for (const KernelProfile &kernel : storage->profile.kernels)
    sum += getLowerBound(storage->profile, kernel, storage->machine);
  return sum;
}

SmallVector<Parameters> CostModel::rank(const RankingOptions &options) const {
  const Profile &profile = storage->profile;
  Parameters best;
  std::vector<SmallVector<Choice>> choices;
  for (auto [number, kernel] : llvm::enumerate(profile.kernels)) {
    LaunchOptions given = profile.state.getLaunch(profile.state.roots[number]);
    // Knobs that an earlier kernel has too are settled there.
    choices.push_back(rankKernel(profile, kernel, storage->machine, getTiles(profile, best), given,
                                 options.limit));
    if (choices.back().empty())
      return {};
    const Choice &first = choices.back().front();
    best.sizes.append(first.sizes);
    best.launches.push_back(first.launch);
    best.microseconds += first.microseconds;
  }
  SmallVector<Parameters> ranked = {best};
  for (auto [number, ofKernel] : llvm::enumerate(choices))
    for (const Choice &choice : llvm::drop_begin(ofKernel)) {
      Parameters other = best;
      for (const auto &[name, size] : choice.sizes)
        for (auto &[known, value] : other.sizes)
          if (known == name)
            value = size;
      other.launches[number] = choice.launch;
      other.microseconds += choice.microseconds - ofKernel.front().microseconds;
      ranked.push_back(other);
    }
  llvm::stable_sort(ranked, [](const Parameters &a, const Parameters &b) {
    return a.microseconds < b.microseconds;
  });
  if (ranked.size() > options.limit)
    ranked.resize(options.limit);
  return ranked;
}

Estimate schedule::estimateCost(const State &state, const Machine &machine) {
  return CostModel(state, machine).estimate();
}

double schedule::lowerBound(const State &state, const Machine &machine) {
  return CostModel(state, machine).lowerBound();
}

SmallVector<Parameters> schedule::enumerateParameters(const State &state, const Machine &machine,
                                                      const RankingOptions &options) {
  return CostModel(state, machine).rank(options);
}

void schedule::print(raw_ostream &os, const Estimate &estimate) {
  os << "kernel                   us  bound     blocks  waves  warps stages  regs   shared  "
        "dram MB    l2 MB    mma kclk  special      fma      alu   shared\n";
  for (const KernelCost &k : estimate.kernels)
    os << llvm::format("%-16s %10.2f  %-8s %7.0f %6.2f %6d %6d %5d %8d %8.1f %8.1f %11.1f "
                       "%8.1f %8.1f %8.1f %8.1f\n",
                       k.name.c_str(), k.microseconds, k.bound.c_str(), k.blocks, k.waves,
                       int(k.warps), int(k.stages), int(k.registersPerThread), int(k.sharedBytes),
                       k.dramBytes / 1e6, k.l2Bytes / 1e6, k.mmaClocks / 1e3, k.specialClocks / 1e3,
                       k.fmaClocks / 1e3, k.aluClocks / 1e3, k.sharedClocks / 1e3);
  if (estimate.isLegal())
    os << llvm::format("total %21.2f\n", estimate.microseconds);
  else
    os << "illegal: " << estimate.illegal << "\n";
}

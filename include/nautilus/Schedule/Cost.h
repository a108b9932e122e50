// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the kernels of a schedule state will take on a machine, without a compiler or a device:
// counts of operations and bytes from the bodies and loops, a footprint on the chip, and a time
// from these. The search ranks by it. docs/CostModel.md has the formulas and the calibration.
//
// A state need not be complete: loops that it lacks are those of the plain schedule
// (DefaultSchedule.h), extents known only at the call are their hints.

#ifndef NAUTILUS_SCHEDULE_COST_H
#define NAUTILUS_SCHEDULE_COST_H

#include "nautilus/Machine/Machine.h"
#include "nautilus/Schedule/State.h"

#include <memory>

namespace mlir::nautilus::schedule {

/// Taken for an extent that is known only at the call and has no hint.
inline constexpr int64_t kUnknownExtent = 4096;

/// What one kernel launch does and needs. Work is that of the busiest multiprocessor, in its
/// clocks; bytes are those of the whole device.
struct KernelCost {
  std::string name;               // of its last statement
  double blocks = 0;              // of the grid
  double waves = 0;               // rounds of resident blocks, the last one in part
  double dramBytes = 0;           // from and to device memory
  double l2Bytes = 0;             // from the level-2 cache to multiprocessors
  double mmaClocks = 0;           // tensor cores
  double specialClocks = 0;       // exponentials, reciprocals, roots
  double fmaClocks = 0;           // f32 additions and products
  double aluClocks = 0;           // comparisons, conversions, integers
  double sharedClocks = 0;        // shared memory
  int64_t sharedBytes = 0;        // per block
  int64_t registersPerThread = 0; // of the computing warps
  int64_t warps = 0;              // that compute
  int64_t stages = 0;             // slots of what loops read ahead
  int64_t blocksPerMultiprocessor = 0;
  double microseconds = 0;
  std::string bound; // the term that decides: dram, l2, tensor, special, fma, alu, shared, latency
};

struct Estimate {
  std::vector<KernelCost> kernels;
  double microseconds = 0;
  std::string illegal; // why no kernel can be made of it, else empty

  bool isLegal() const { return illegal.empty(); }
};

/// Numbers for what a state leaves open.
struct Parameters {
  SmallVector<std::pair<std::string, int64_t>> sizes; // of open knobs, in tree order
  SmallVector<LaunchOptions> launches;                // of the roots; none: the state's own
  double microseconds = 0;                            // estimated

  int64_t getSize(StringRef knob) const;
};

struct RankingOptions {
  /// Combinations that are kept, best first.
  unsigned limit = 64;
};

/// The analysis of one state, from which estimates for many parameters cost microseconds.
class CostModel {
public:
  CostModel(const State &state, const ::nautilus::machine::Machine &machine);
  ~CostModel();
  CostModel(CostModel &&);

  /// With the state's own sizes; an open one is illegal.
  Estimate estimate() const;
  Estimate estimate(const Parameters &parameters) const;
  /// No choice of open sizes, warps and stages takes less time, in microseconds.
  double lowerBound() const;
  /// All combinations of open sizes and launch options that fit on the machine, fastest first;
  /// equal ones in order of their sizes. Kernels are ranked one by one: the first entry is the best
  /// of each, every other one departs from it in one kernel.
  SmallVector<Parameters> rank(const RankingOptions &options = {}) const;

private:
  struct Storage;
  std::unique_ptr<Storage> storage;
};

Estimate estimateCost(const State &state, const ::nautilus::machine::Machine &machine);
double lowerBound(const State &state, const ::nautilus::machine::Machine &machine);
SmallVector<Parameters> enumerateParameters(const State &state,
                                            const ::nautilus::machine::Machine &machine,
                                            const RankingOptions &options = {});

/// A table, one kernel a row.
void print(raw_ostream &os, const Estimate &estimate);

} // namespace mlir::nautilus::schedule

#endif

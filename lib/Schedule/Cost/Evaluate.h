// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a profile and numbers to clocks and bytes. One KernelSizes is one choice of tile sizes,
// warps and stages for one kernel; everything here is arithmetic on it, so that thousands of
// choices are judged in milliseconds.

#ifndef NAUTILUS_LIB_SCHEDULE_COST_EVALUATE_H
#define NAUTILUS_LIB_SCHEDULE_COST_EVALUATE_H

#include "Profile.h"
#include "nautilus/Machine/Machine.h"
#include "nautilus/Schedule/Cost.h"

namespace mlir::nautilus::schedule {

/// Numbers that no document gives. docs/CostModel.md says how each was fitted.
struct Calibration {
  double sustainedClock = 0.87;    // of the device's clock, with tensor cores busy
  double dramEfficiency = 0.88;    // of the nominal bandwidth: copies of 4.23 of 4.8 TB/s
  double l2Efficiency = 0.95;      // of the nominal bandwidth
  double interference = 0.03;      // what units that work side by side cost each other
  double iterationClocks = 420;    // of a product: barriers, waits, indices
  double iterationExponent = 0.67; // of the groups that share them
  double overlapExponent = 3.5;    // of the groups that hide tensor or vector work of each other
  double latencyClocks = 1000;     // from asking for a tile to having it
  double blockClocks = 2500;       // of a block: start, first tiles, last stores
  double nextTileClocks = 800;     // of what remains of that for a persistent block's next tile
  double launchMicroseconds = 2.5; // of a kernel in a full queue
  double registerShare = 0.97;     // of a role's registers that tiles can fill
  double l2Share = 0.7;            // of the level-2 cache that a kernel's data can keep
};

/// Tile sizes of loops and the shape of the launch.
struct KernelSizes {
  ArrayRef<int64_t> tiles; // by number of loop
  LaunchOptions launch;
};

/// How a product will be computed.
struct DotForm {
  bool onTensorCores = false;
  int64_t m = 1, n = 1, k = 1; // tile; k padded to whole instructions
  int64_t count = 1;           // of products in a tile: extents of its other axes
};

/// Of one block: operations, clocks of units with a shape of their own, bytes from the level-2
/// cache.
struct Work {
  double mma = 0, mufu = 0, fma = 0, alu = 0, shared = 0;
  double bytes = 0;      // that a producer copies ahead
  double copied = 0;     // that the computing warps load and store
  double iterations = 0; // of loops, per product
  double fills = 0;      // times that all slots are filled anew
};

class KernelEvaluator {
public:
  KernelEvaluator(const Profile &profile, const KernelProfile &kernel,
                  const ::nautilus::machine::Machine &machine, KernelSizes sizes);

  /// `illegal` is set to why no kernel can be made of it.
  KernelCost evaluate(std::string &illegal);
  /// Whether the warps asked for are such that all products that could run on tensor cores do.
  bool usesWarpsWell() const;

private:
  int64_t getPoints(const Span &span) const;
  int64_t getPoints(const Spans &spans) const;
  int64_t getTrips(unsigned loop) const;
  double getTrips(const Path &path) const;

  int64_t chooseWarps() const;
  bool isOnTensorCores(const DotItem &dot, int64_t warps) const;
  DotForm getForm(const DotItem &dot) const;
  bool hasStagedOperands() const;
  void chooseStages();
  /// Footprint and occupancy; false and why if no block fits.
  bool placeBlocks(KernelCost &cost, std::string &illegal) const;

  /// Work once per block, and of masked loops if no iteration were dropped (Work.cpp).
  void countWork(Work &base, Work &looped) const;
  void countDot(const DotItem &dot, Work &work) const;
  void countMemory(const MemoryItem &item, Work &work) const;

  /// Averages the share of live iterations over the grid (Blocks.cpp).
  void findLiveIterations();
  /// Time of all blocks on all slots, from the share of live iterations of each (Blocks.cpp).
  double getMakespan(double fixed, double perIteration, int64_t slots) const;
  double getUnevenMakespan(double fixed, double perIteration, int64_t slots) const;

  /// Of operands that products in flight read while the next ones are computed.
  int64_t getOperandRegisters() const;               // Footprint.cpp
  int64_t estimateRegisters() const;                 // Footprint.cpp
  int64_t estimateSharedBytes(int64_t stages) const; // Footprint.cpp
  double estimateDramBytes() const;                  // Traffic.cpp

  const Profile &profile;
  const KernelProfile &kernel;
  const ::nautilus::machine::Machine &machine;
  KernelSizes sizes;
  Calibration calibration;
  int64_t warps = 4, stages = 1;
  double blocks = 1;
  /// Share of live and of masked iterations in all of a masked loop, per block class.
  struct LiveClass {
    double blocks;
    double live, masked;
  };
  std::vector<LiveClass> classes; // in order of the grid
  double live = 1, masked = 0;    // averages
};

} // namespace mlir::nautilus::schedule

#endif

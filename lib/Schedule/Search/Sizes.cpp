// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of tiles by branch and bound: structures in order of their lower bounds, until the next
// bound is above the best time.

#include "Sizes.h"
#include "Footprint.h"
#include "nautilus/Schedule/Cost.h"
#include "nautilus/Schedule/DefaultSchedule.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;
using ::nautilus::machine::Machine;

namespace {
struct Complete {
  Seed seed;
  State open; // knobs without sizes
  double bound;
};
} // namespace

static void openKnobs(State &state, const llvm::StringMap<int64_t> &pinned) {
  for (Loop &loop : state.loops)
    if (!loop.tile.knob.empty() && !pinned.contains(loop.tile.knob))
      loop.tile.value = 0;
}

static Complete complete(const State &start, Candidate candidate, const Machine &machine,
                         const SearchOptions &options) {
  candidate = shrinkToFit(start, candidate, options.pinned);
  SmallVector<Primitive> rest = completeSchedule(candidate.state);
  Seed seed{applyAll(candidate.state, rest), candidate.steps};
  llvm::append_range(seed.steps, rest);
  State open = seed.state;
  openKnobs(open, options.pinned);
  double bound = lowerBound(open, machine);
  return {std::move(seed), std::move(open), bound};
}

/// Warps and slots of each launch, as steps.
static SmallVector<Primitive> configure(const State &state, const Parameters &parameters) {
  SmallVector<Primitive> steps;
  for (auto [root, shape] : llvm::zip(state.roots, parameters.launches)) {
    LaunchOptions options;
    options.warps = shape.warps;
    options.stages = shape.stages;
    unsigned last = state.getStatementsBelow(root).back();
    if (options.warps || options.stages)
      steps.push_back(Configure{state.statements[last].name, options});
  }
  return steps;
}

/// True if the steps of `seed` with the sizes of `parameters` are all legal.
static bool choose(const State &start, const Parameters &parameters, Seed &seed) {
  SmallVector<Primitive> steps = seed.steps;
  State state = start;
  for (Primitive &step : steps) {
    if (auto *tile = std::get_if<Tile>(&step); tile && !tile->size.knob.empty())
      if (int64_t size = parameters.getSize(tile->size.knob))
        tile->size.value = size;
    if (!checkStep(state, step))
      return false;
    state = applyStep(state, step);
  }
  for (const Primitive &step : configure(state, parameters)) {
    if (!checkStep(state, step))
      continue;
    state = applyStep(state, step);
    steps.push_back(step);
  }
  seed.state = std::move(state);
  seed.steps = std::move(steps);
  return true;
}

static void rank(const State &start, const Machine &machine, Complete &complete) {
  CostModel model(complete.open, machine);
  for (const Parameters &parameters : model.rank()) {
    if (!choose(start, parameters, complete.seed))
      continue;
    complete.seed.cost = parameters.microseconds;
    return;
  }
  complete.seed.fits = false;
  complete.seed.cost = estimateCost(complete.seed.state, machine).microseconds;
}

std::vector<Seed> mlir::nautilus::schedule::chooseSizes(const State &start,
                                                        std::vector<Candidate> candidates,
                                                        const Machine &machine,
                                                        const SearchOptions &options,
                                                        SearchTrace *trace) {
  std::vector<Complete> all;
  for (Candidate &candidate : candidates)
    all.push_back(complete(start, std::move(candidate), machine, options));
  llvm::stable_sort(all, [](const Complete &a, const Complete &b) { return a.bound < b.bound; });
  std::vector<Seed> seeds;
  std::optional<double> best;
  for (Complete &complete : all) {
    if (best && (complete.bound > *best || seeds.size() >= options.mostRanked)) {
      if (trace)
        trace->drop(complete.seed.state, "its lower bound is above the time of another one");
      continue;
    }
    rank(start, machine, complete);
    if (complete.seed.fits)
      best = std::min(best.value_or(complete.seed.cost), complete.seed.cost);
    seeds.push_back(std::move(complete.seed));
  }
  llvm::stable_sort(seeds, [](const Seed &a, const Seed &b) {
    return std::make_pair(!a.fits, a.cost) < std::make_pair(!b.fits, b.cost);
  });
  return seeds;
}

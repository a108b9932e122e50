// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search itself: which statement is visited when, which children a state has, which are kept.

#include "nautilus/Schedule/Search.h"
#include "Moves.h"
#include "Sizes.h"
#include "nautilus/Schedule/Cost.h"

#include <numeric>

using namespace mlir;
using namespace mlir::nautilus::schedule;
using ::nautilus::machine::Machine;

namespace {
class Search {
public:
  Search(const State &start, const Machine &machine, const SearchOptions &options,
         SearchTrace *trace)
      : start(start), machine(machine), options(options), trace(trace), moves(options, trace) {}
  std::vector<Seed> run();

private:
  std::vector<Candidate> expand(const Candidate &from, StringRef name);
  std::vector<Candidate> place(const Candidate &from, StringRef name);
  void keepDistinct(std::vector<Candidate> &candidates);

  const State &start;
  const Machine &machine;
  const SearchOptions &options;
  SearchTrace *trace;
  Moves moves;
};
} // namespace

/// The statement called `name` if it still waits for its place.
static std::optional<unsigned> findWaiting(const State &state, StringRef name) {
  std::optional<unsigned> stmt = state.findStatement(name);
  return stmt && isUnscheduled(state, *stmt) ? stmt : std::nullopt;
}

/// First visit, producers first.
std::vector<Candidate> Search::expand(const Candidate &from, StringRef name) {
  std::optional<unsigned> stmt = findWaiting(from.state, name);
  if (!stmt)
    return {from}; // a reduction has taken it along
  bool isReduce = from.state.statements[*stmt].isReduce();
  std::optional<Candidate> joined = moves.fuseIntoProducers(from, *stmt);
  if (!joined && isReduce)
    joined = moves.rollIntoPredecessors(from, *stmt);
  if (!joined && isReduce)
    joined = moves.fuseIntoSiblings(from, *stmt);
  std::vector<Candidate> children;
  if (joined)
    children.push_back(std::move(*joined));
  if (isReduce)
    if (auto alone = moves.startNest(from, *stmt))
      children.push_back(std::move(*alone));
  if (children.empty())
    children.push_back(from); // waits
  return children;
}

/// Last visit, consumers first: statements that still wait.
std::vector<Candidate> Search::place(const Candidate &from, StringRef name) {
  std::optional<unsigned> stmt = findWaiting(from.state, name);
  if (!stmt)
    return {from};
  for (auto move : {&Moves::fuseIntoProducers, &Moves::fuseIntoReaders, &Moves::fuseIntoSiblings,
                    &Moves::startNest})
    if (auto next = (moves.*move)(from, *stmt))
      return {std::move(*next)};
  return {from}; // completed by the plain schedule
}

/// Keeps one of each structure, and the best if there are too many.
void Search::keepDistinct(std::vector<Candidate> &candidates) {
  DenseSet<uint64_t> hashes;
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    bool isNew = hashes.insert(hashState(candidate.state)).second;
    if (!isNew && trace)
      trace->drop(candidate.state, "the same as another state");
    return !isNew;
  });
  if (candidates.size() <= options.beam)
    return;
  SmallVector<double> costs = llvm::map_to_vector(
      candidates, [&](const Candidate &candidate) { return lowerBound(candidate.state, machine); });
  SmallVector<unsigned> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return costs[a] < costs[b]; });
  std::vector<Candidate> kept;
  for (auto [rank, i] : llvm::enumerate(order)) {
    if (rank < options.beam)
      kept.push_back(std::move(candidates[i]));
    else if (trace)
      trace->drop(candidates[i].state, "the beam is full");
  }
  candidates = std::move(kept);
}

std::vector<Seed> Search::run() {
  SmallVector<std::string> names = llvm::map_to_vector(
      start.getOrder(), [&](unsigned stmt) { return start.statements[stmt].name; });
  std::vector<Candidate> candidates = {{start, {}}};
  auto visit = [&](StringRef name, auto move) {
    std::vector<Candidate> next;
    for (const Candidate &candidate : candidates)
      llvm::append_range(next, (this->*move)(candidate, name));
    keepDistinct(next);
    candidates = std::move(next);
  };
  for (StringRef name : names)
    visit(name, &Search::expand);
  for (StringRef name : llvm::reverse(names))
    visit(name, &Search::place);
  return chooseSizes(start, std::move(candidates), machine, options, trace);
}

std::vector<Seed> mlir::nautilus::schedule::searchSchedules(const State &start,
                                                            const Machine &machine,
                                                            const SearchOptions &options,
                                                            SearchTrace *trace) {
  return Search(start, machine, options, trace).run();
}

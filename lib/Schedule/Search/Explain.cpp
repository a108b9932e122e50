// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search told to people: derivation, seeds and block graphs.

#include "nautilus/Schedule/Explain.h"
#include "nautilus/Schedule/Cost.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

static std::string countLaunches(const State &state) {
  size_t count = state.roots.size();
  return std::to_string(count) + (count == 1 ? " launch" : " launches");
}

/// What was refused on `state`, each step once.
static void printRefusals(raw_ostream &os, const State &state, const SearchRecorder &recorder) {
  uint64_t name = SearchRecorder::nameOf(state);
  llvm::StringSet<> printed;
  for (const SearchEvent &event : recorder.getEvents())
    if (event.kind == SearchEvent::Kind::Refused && event.state == name &&
        printed.insert(event.step).second)
      os << "         not " << event.step << ": " << event.why << "\n";
}

/// The search tries steps with the rule's sizes; the seed has the chosen ones.
static State withSizesOfRule(const State &seen, const Primitive &step,
                             const SearchRecorder &recorder) {
  const auto *tile = std::get_if<Tile>(&step);
  if (!tile)
    return applyStep(seen, step);
  uint64_t name = SearchRecorder::nameOf(seen);
  std::string prefix = "tile \"" + tile->statement + "\"[\"" + tile->axis + "\"] by ";
  for (const SearchEvent &event : recorder.getEvents()) {
    StringRef size = event.step;
    Tile taken = *tile;
    if (event.kind == SearchEvent::Kind::Taken && event.state == name &&
        size.consume_front(prefix) && !size.getAsInteger(10, taken.size.value))
      return applyStep(seen, taken);
  }
  return applyStep(seen, step);
}

void mlir::nautilus::schedule::printSeeds(raw_ostream &os, ArrayRef<Seed> seeds) {
  for (auto [rank, seed] : llvm::enumerate(seeds)) {
    os << llvm::format("%3u. %10.2f us  ", unsigned(rank + 1), seed.cost)
       << countLaunches(seed.state) << ", " << seed.steps.size() << " steps, structure "
       << llvm::format_hex_no_prefix(hashState(seed.state), 16)
       << (seed.fits ? "" : ", does not fit on the machine") << "\n";
  }
}

void mlir::nautilus::schedule::printDerivation(raw_ostream &os, const State &start,
                                               ArrayRef<Seed> seeds, const SearchRecorder &recorder,
                                               const ::nautilus::machine::Machine &machine) {
  const Seed &best = seeds.front();
  os << "kernel " << start.name << ": " << start.getOrder().size() << " statements, "
     << countLaunches(start) << " without fusion\n";
  State state = start, seen = start; // with the chosen sizes, and as the search saw it
  for (auto [i, step] : llvm::enumerate(best.steps)) {
    printRefusals(os, seen, recorder);
    seen = withSizesOfRule(seen, step, recorder);
    size_t before = state.roots.size();
    state = applyStep(state, step);
    os << llvm::format("  %3u. ", unsigned(i + 1)) << getText(step);
    if (state.roots.size() != before)
      os << "  (" << countLaunches(state) << ")";
    os << "\n";
  }
  os << "chosen: " << countLaunches(best.state) << ", " << llvm::format("%.2f", best.cost)
     << " us estimated";
  if (seeds.size() > 1)
    os << "; the next of " << seeds.size() << " takes " << llvm::format("%.2f", seeds[1].cost)
       << " us in " << countLaunches(seeds[1].state);
  os << "\n";
  print(os, estimateCost(best.state, machine));
}

namespace {
/// Writes one state as a graph.
class GraphPrinter {
public:
  GraphPrinter(raw_ostream &os, const State &state) : os(os), state(state) {}

  void run() {
    os << "digraph \"" << state.name << "\" {\n  node [shape=oval];\n";
    for (Node root : state.roots)
      printNode(root, 2);
    for (unsigned stmt : state.getOrder()) {
      for (const Read &read : state.statements[stmt].reads)
        printEdge(read.value, stmt, "");
      for (const ValueRef &init : state.statements[stmt].inits)
        printEdge(init, stmt, " [label=start]");
    }
    os << "}\n";
  }

private:
  void printNode(Node node, unsigned depth) {
    if (!node.isLoop()) {
      const Statement &statement = state.statements[node.id];
      os.indent(depth) << "s" << node.id << " [label=\"" << statement.name << "\""
                       << (statement.isReduce() ? ", style=bold" : "") << "];\n";
      return;
    }
    const Loop &loop = state.loops[node.id];
    os.indent(depth) << "subgraph cluster_" << node.id << " {\n";
    os.indent(depth + 2) << "label=\"" << state.axes[loop.axis].name << " by " << loop.tile.value
                         << (loop.isGrid                      ? " (blocks)"
                             : state.isReductionLoop(node.id) ? " (reduction)"
                                                              : "")
                         << "\";\n";
    for (Node child : loop.children)
      printNode(child, depth + 2);
    os.indent(depth) << "}\n";
  }

  void printEdge(const ValueRef &value, unsigned reader, StringRef attributes) {
    if (value.kind != ValueRef::Kind::Argument)
      os << "  s" << value.id << " -> s" << reader
         << (value.kind == ValueRef::Kind::Previous ? " [style=dashed]" : attributes) << ";\n";
  }

  raw_ostream &os;
  const State &state;
};
} // namespace

void mlir::nautilus::schedule::printGraph(raw_ostream &os, const State &state) {
  GraphPrinter(os, state).run();
}

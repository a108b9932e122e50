// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moves of the search; see the header.

#include "Moves.h"
#include "Footprint.h"
#include "nautilus/Schedule/DefaultSchedule.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

bool mlir::nautilus::schedule::isUnscheduled(const State &state, unsigned stmt) {
  return llvm::is_contained(state.roots, Node{Node::Kind::Statement, stmt});
}

std::optional<Candidate> Moves::take(const Candidate &from, const Primitive &step) {
  Verdict verdict = checkStep(from.state, step);
  if (!verdict) {
    if (trace)
      trace->attempt(from.state, step, &verdict.getReason(), nullptr);
    return std::nullopt;
  }
  Candidate next{applyStep(from.state, step), from.steps};
  next.steps.push_back(step);
  if (trace)
    trace->attempt(from.state, step, nullptr, &next.state);
  return next;
}

/// The statements whose results `stmt` reads, newest first.
static SmallVector<unsigned> getProducers(const State &state, unsigned stmt) {
  SmallVector<unsigned> producers, order = state.getOrder();
  for (unsigned other : llvm::reverse(order))
    if (llvm::any_of(state.statements[stmt].reads,
                     [&](const Read &read) { return read.value.isResultOf(other); }))
      producers.push_back(other);
  return producers;
}

/// A statement below `loop` and its name for the loop's axis: how a step addresses the loop.
static std::optional<std::pair<StringRef, StringRef>> getAddress(const State &state,
                                                                 unsigned loop) {
  for (unsigned stmt : state.getStatementsBelow({Node::Kind::Loop, loop}))
    for (const Statement::LocalAxis &local : state.statements[stmt].axes)
      if (local.axis == state.loops[loop].axis)
        return std::make_pair(StringRef(state.statements[stmt].name), StringRef(local.name));
  return std::nullopt;
}

std::optional<Candidate> Moves::fuseIntoNestOf(const Candidate &from, unsigned stmt,
                                               unsigned other) {
  for (unsigned loop : from.state.getLoopsInsideOut(other)) {
    auto address = getAddress(from.state, loop);
    if (!address)
      continue;
    auto next = take(
        from, Fuse{from.state.statements[stmt].name, address->first.str(), address->second.str()});
    if (next && areTilesBounded(next->state, stmt))
      return next;
  }
  return std::nullopt;
}

std::optional<Candidate> Moves::fuseIntoProducers(const Candidate &from, unsigned stmt) {
  for (unsigned producer : getProducers(from.state, stmt))
    if (!isUnscheduled(from.state, producer))
      if (auto next = fuseIntoNestOf(from, stmt, producer))
        return next;
  return std::nullopt;
}

std::optional<Candidate> Moves::fuseIntoReaders(const Candidate &from, unsigned stmt) {
  for (unsigned reader : from.state.getReaders(stmt))
    if (!isUnscheduled(from.state, reader))
      if (auto next = fuseIntoNestOf(from, stmt, reader))
        return next;
  return std::nullopt;
}

/// True if one doesn't read the other, but both read one tensor or have one reader.
static bool areSiblings(const State &state, unsigned a, unsigned b) {
  SmallVector<unsigned> ofA = state.getReaders(a), ofB = state.getReaders(b);
  if (llvm::is_contained(ofA, b) || llvm::is_contained(ofB, a))
    return false;
  bool haveReader =
      llvm::any_of(ofA, [&](unsigned reader) { return llvm::is_contained(ofB, reader); });
  return haveReader || llvm::any_of(state.statements[a].reads, [&](const Read &read) {
           return llvm::any_of(state.statements[b].reads,
                               [&](const Read &other) { return other.value == read.value; });
         });
}

std::optional<Candidate> Moves::fuseIntoSiblings(const Candidate &from, unsigned stmt) {
  SmallVector<unsigned> order = from.state.getOrder();
  for (unsigned other : llvm::reverse(order))
    if (other != stmt && !isUnscheduled(from.state, other) && areSiblings(from.state, stmt, other))
      if (auto next = fuseIntoNestOf(from, stmt, other))
        return next;
  return std::nullopt;
}

/// The reductions that `stmt` reads, directly or over elementwise statements, newest first.
static SmallVector<unsigned> getPredecessorReductions(const State &state, unsigned stmt) {
  SmallVector<unsigned> found, worklist = {stmt};
  DenseSet<unsigned> seen;
  while (!worklist.empty())
    for (unsigned producer : getProducers(state, worklist.pop_back_val())) {
      if (!seen.insert(producer).second)
        continue;
      if (state.statements[producer].isReduce())
        found.push_back(producer);
      worklist.push_back(producer);
    }
  SmallVector<unsigned> ordered, order = state.getOrder();
  for (unsigned other : llvm::reverse(order))
    if (llvm::is_contained(found, other))
      ordered.push_back(other);
  return ordered;
}

std::optional<Candidate> Moves::rollIntoPredecessors(const Candidate &from, unsigned stmt) {
  DenseSet<unsigned> tried;
  const State &state = from.state;
  for (unsigned reduction : getPredecessorReductions(state, stmt))
    for (unsigned loop : state.getLoopsInsideOut(reduction)) {
      bool isOurs = state.isCarriedBy(reduction, loop) &&
                    state.statements[stmt].reducesOver(state.loops[loop].axis);
      if (!isOurs || !tried.insert(loop).second)
        continue;
      auto address = getAddress(state, loop);
      auto next = take(
          from, Roll{state.statements[stmt].name, address->first.str(), address->second.str()});
      if (next)
        next = boundTiles(*next, stmt);
      if (next)
        return next;
    }
  return std::nullopt;
}

std::optional<Candidate> Moves::boundTiles(const Candidate &from, unsigned stmt) {
  const Statement statement = from.state.statements[stmt];
  SmallVector<int64_t> sizes = chooseTiles(from.state, stmt);
  std::optional<Candidate> current = from;
  for (unsigned i = 0; i < statement.numParallel && !areTilesBounded(current->state, stmt); ++i) {
    if (isTileBounded(current->state, stmt, i))
      continue;
    const std::string &axis = statement.axes[i].name;
    current = take(*current, Tile{statement.name, axis, makeSize(statement, axis, sizes[i])});
    if (!current)
      return std::nullopt;
  }
  return areTilesBounded(current->state, stmt) ? current : std::nullopt;
}

/// True if a statement that reads `stmt`, directly or not, reduces over `axis`.
static bool isReducedLater(const State &state, unsigned stmt, unsigned axis) {
  SmallVector<unsigned> worklist = {stmt};
  DenseSet<unsigned> seen;
  while (!worklist.empty())
    for (unsigned reader : state.getReaders(worklist.pop_back_val())) {
      if (!seen.insert(reader).second)
        continue;
      if (state.statements[reader].reducesOver(axis))
        return true;
      if (state.statements[reader].hasAxis(axis))
        worklist.push_back(reader);
    }
  return false;
}

/// A knob that starts with the rule's size. An axis that the rule walks point by point has none.
TileSize Moves::makeSize(const Statement &statement, StringRef axis, int64_t size) const {
  std::string knob = (statement.name + "." + axis).str();
  if (auto it = options.pinned.find(knob); it != options.pinned.end())
    return {it->second, knob};
  return size == 1 ? TileSize::get(1) : TileSize{size, knob};
}

std::optional<Candidate> Moves::startNest(const Candidate &from, unsigned stmt) {
  const Statement &statement = from.state.statements[stmt];
  SmallVector<int64_t> sizes = chooseTiles(from.state, stmt);
  // Axes over which later statements reduce become the innermost loops, so that those statements
  // can share them.
  SmallVector<unsigned> order;
  for (bool later : {false, true})
    for (unsigned i = 0; i < statement.numParallel; ++i)
      if (isReducedLater(from.state, stmt, statement.axes[i].axis) == later)
        order.push_back(i);
  for (unsigned i = statement.numParallel; i < statement.axes.size(); ++i)
    order.push_back(i);
  std::optional<Candidate> current = from;
  for (unsigned i : order) {
    const Axis &axis = from.state.axes[statement.axes[i].axis];
    bool isWhole = axis.extent == sizes[i] || (i >= statement.numParallel && fitsOneTile(axis));
    if (isWhole)
      continue;
    current = take(*current, Tile{statement.name, statement.axes[i].name,
                                  makeSize(statement, statement.axes[i].name, sizes[i])});
    if (!current)
      return std::nullopt;
  }
  return current;
}

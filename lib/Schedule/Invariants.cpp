// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The invariants of a state, checked statement by statement in execution order.
//
// R1 (single writer) and R2 (tile loops innermost, perfect) hold by construction: a statement is
// one node and its tile is implicit. R3 and R8 are in checkRead, R7 in checkLoops, R9 in
// checkRunning.

#include "nautilus/Schedule/Invariants.h"
#include "nautilus/Schedule/ReadState.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

namespace {

class InvariantChecker {
public:
  explicit InvariantChecker(const State &state) : state(state), order(state.getOrder()) {}

  Verdict run() {
    for (unsigned stmt : order) {
      for (auto check : {&InvariantChecker::checkLoops, &InvariantChecker::checkAxes,
                         &InvariantChecker::checkReads, &InvariantChecker::checkRunning,
                         &InvariantChecker::checkEscape})
        if (Verdict verdict = (this->*check)(stmt); !verdict)
          return verdict;
    }
    return {};
  }

private:
  StringRef nameOf(unsigned stmt) const { return state.statements[stmt].name; }
  StringRef axisOf(unsigned loop) const { return state.axes[state.loops[loop].axis].name; }
  unsigned positionOf(unsigned stmt) const { return llvm::find(order, stmt) - order.begin(); }

  Verdict checkLoops(unsigned stmt);
  Verdict checkAxes(unsigned stmt);
  Verdict checkReads(unsigned stmt);
  Verdict checkRead(unsigned stmt, const ValueRef &value);
  Verdict checkSubscripts(unsigned stmt, const Read &read);
  Verdict checkRunning(unsigned stmt);
  Verdict checkEscape(unsigned stmt);
  bool variesIn(unsigned stmt, unsigned loop);
  bool isRepeated(unsigned stmt, unsigned loop);
  bool isRepaired(unsigned stmt, unsigned loop);

  const State &state;
  SmallVector<unsigned> order;
};

} // namespace

/// R7: grid loops are outermost and no statement below reduces over them.
Verdict InvariantChecker::checkLoops(unsigned stmt) {
  std::optional<unsigned> serial;
  for (unsigned loop : state.getLoopsAround(stmt)) {
    if (!state.loops[loop].isGrid) {
      serial = loop;
      continue;
    }
    if (serial)
      return Reason(ReasonCode::BelowSerialLoop, {axisOf(loop), axisOf(*serial)});
    if (state.statements[stmt].reducesOver(state.loops[loop].axis))
      return Reason(ReasonCode::BindsReduction, {axisOf(loop), nameOf(stmt)});
  }
  return {};
}

/// True if `stmt` reads a value that each iteration of `loop` makes anew.
bool InvariantChecker::variesIn(unsigned stmt, unsigned loop) {
  const Statement &statement = state.statements[stmt];
  if (statement.hasAxis(state.loops[loop].axis))
    return true;
  return llvm::any_of(statement.reads, [&](const Read &read) {
    return read.value.kind != ValueRef::Kind::Argument &&
           llvm::is_contained(state.getLoopsAround(read.value.id), loop);
  });
}

/// True if each iteration of a parallel loop computes the same in `stmt` for readers of its own.
bool InvariantChecker::isRepeated(unsigned stmt, unsigned loop) {
  if (state.isReductionLoop(loop) || state.isOutput(stmt))
    return false;
  SmallVector<unsigned> readers = state.getReaders(stmt);
  return !readers.empty() && llvm::all_of(readers, [&](unsigned reader) {
    return llvm::is_contained(state.getLoopsAround(reader), loop);
  });
}

/// A statement stands only in loops that it has to do with or whose iterations repeat it, and a
/// reduction accumulates in one place (R4).
Verdict InvariantChecker::checkAxes(unsigned stmt) {
  const Statement &statement = state.statements[stmt];
  std::optional<unsigned> accumulating;
  for (unsigned loop : state.getLoopsAround(stmt)) {
    bool accumulates = statement.reducesOver(state.loops[loop].axis);
    if (accumulating && !accumulates)
      return Reason(ReasonCode::AccumulatesTwice,
                    {nameOf(stmt), axisOf(*accumulating), axisOf(loop)});
    if (accumulates)
      accumulating = loop;
    bool belongs =
        state.loops[loop].isGrid ? statement.hasAxis(state.loops[loop].axis) : variesIn(stmt, loop);
    if (!belongs && !isRepeated(stmt, loop))
      return Reason(ReasonCode::LacksAxis, {nameOf(stmt), axisOf(loop)});
  }
  return {};
}

/// R8: the value exists where it is read.
Verdict InvariantChecker::checkRead(unsigned stmt, const ValueRef &value) {
  if (value.kind == ValueRef::Kind::Argument)
    return {};
  SmallVector<unsigned> around = state.getLoopsAround(stmt);
  SmallVector<unsigned> producer = state.getLoopsAround(value.id);
  bool isOlder = positionOf(value.id) < positionOf(stmt);
  if (value.kind == ValueRef::Kind::Previous) {
    bool carried =
        llvm::any_of(around, [&](unsigned loop) { return state.isCarriedBy(value.id, loop); });
    if (!carried)
      return Reason(ReasonCode::NotVisible, {nameOf(stmt), nameOf(value.id)});
    return {};
  }
  if (!isOlder)
    return state.getRoot(stmt) == state.getRoot(value.id)
               ? Reason(ReasonCode::NotVisible, {nameOf(stmt), nameOf(value.id)})
               : Reason(ReasonCode::CyclicNests, {nameOf(stmt), nameOf(value.id)});
  if (state.getRoot(stmt) != state.getRoot(value.id))
    return {};
  // Loops around the producer alone have ended: only what they carry is left of it.
  for (unsigned loop : producer)
    if (!llvm::is_contained(around, loop) && !state.isCarriedBy(value.id, loop))
      return Reason(ReasonCode::NotVisible, {nameOf(stmt), nameOf(value.id)});
  return {};
}

/// R3: inside a nest a statement reads the tile at the points that it walks itself.
Verdict InvariantChecker::checkSubscripts(unsigned stmt, const Read &read) {
  const Statement &reader = state.statements[stmt];
  const Statement &producer = state.statements[read.value.id];
  for (auto [dim, expr] : llvm::enumerate(read.map.getResults())) {
    unsigned axis = producer.axes[dim].axis;
    std::optional<unsigned> tiled = state.findLoop(read.value.id, axis);
    std::optional<unsigned> bare = getBareAxis(expr);
    if (bare && reader.axes[*bare].axis == axis && state.findLoop(stmt, axis) == tiled)
      continue;
    bool whole = !tiled;
    for (auto [i, local] : llvm::enumerate(reader.axes))
      whole &= !expr.isFunctionOfDim(i) || !state.findLoop(stmt, local.axis);
    if (!whole)
      return Reason(ReasonCode::DifferentTile, {nameOf(stmt), producer.name, std::to_string(dim)});
  }
  return {};
}

Verdict InvariantChecker::checkReads(unsigned stmt) {
  const Statement &statement = state.statements[stmt];
  for (const Read &read : statement.reads) {
    if (Verdict verdict = checkRead(stmt, read.value); !verdict)
      return verdict;
    bool isTile = read.value.kind != ValueRef::Kind::Argument &&
                  state.getRoot(read.value.id) == state.getRoot(stmt);
    if (isTile)
      if (Verdict verdict = checkSubscripts(stmt, read); !verdict)
        return verdict;
  }
  for (const ValueRef &init : statement.inits)
    if (Verdict verdict = checkRead(stmt, init); !verdict)
      return verdict;
  return {};
}

/// True if what `stmt` makes of an unfinished reduction of `loop` ends in repaired reductions.
bool InvariantChecker::isRepaired(unsigned stmt, unsigned loop) {
  if (state.isCarriedBy(stmt, loop))
    return !state.statements[stmt].inits.empty();
  if (state.isOutput(stmt))
    return false;
  return llvm::all_of(state.getReaders(stmt), [&](unsigned reader) {
    if (!llvm::is_contained(state.getLoopsAround(reader), loop))
      return false;
    bool isStart = llvm::any_of(state.statements[reader].inits,
                                [&](const ValueRef &init) { return init.isResultOf(stmt); });
    return isStart || isRepaired(reader, loop);
  });
}

/// R9: a reduction is read outside the loop that completes it, or inside by repaired statements.
Verdict InvariantChecker::checkRunning(unsigned stmt) {
  for (const Read &read : state.statements[stmt].reads) {
    if (read.value.kind == ValueRef::Kind::Argument)
      continue;
    for (unsigned loop : state.getLoopsAround(stmt)) {
      if (!state.isCarriedBy(read.value.id, loop) || isRepaired(stmt, loop))
        continue;
      StringRef reduction = nameOf(read.value.id);
      bool leaves = llvm::any_of(state.getReaders(stmt), [&](unsigned reader) {
        return !llvm::is_contained(state.getLoopsAround(reader), loop);
      });
      return leaves || state.isCarriedBy(stmt, loop)
                 ? Reason(ReasonCode::MustRoll, {nameOf(stmt), reduction, axisOf(loop)})
                 : Reason(ReasonCode::RunningEscapes, {nameOf(stmt), reduction, axisOf(loop)});
    }
  }
  return {};
}

/// A value that leaves its nest has all grid axes, so that no two blocks write one element, and a
/// result of the kernel isn't made anew by each iteration of a serial loop. (Other readers of such
/// a value get a copy of their own when the schedule is completed.)
Verdict InvariantChecker::checkEscape(unsigned stmt) {
  bool escapes = state.isOutput(stmt) || llvm::any_of(state.getReaders(stmt), [&](unsigned reader) {
                   return state.getRoot(reader) != state.getRoot(stmt);
                 });
  if (!escapes)
    return {};
  for (unsigned loop : state.getLoopsAround(stmt)) {
    auto parallel = state.statements[stmt].getParallelAxes();
    bool has = llvm::any_of(
        parallel, [&](const auto &local) { return local.axis == state.loops[loop].axis; });
    if (state.isOutput(stmt) && state.isReductionLoop(loop) && !state.isCarriedBy(stmt, loop))
      return Reason(ReasonCode::LeavesSerialLoop, {nameOf(stmt), axisOf(loop)});
    if (state.loops[loop].isGrid && !has)
      return Reason(ReasonCode::ResultLacksGridAxis, {nameOf(stmt), axisOf(loop)});
  }
  return {};
}

Verdict mlir::nautilus::schedule::checkInvariants(const State &state) {
  return InvariantChecker(state).run();
}

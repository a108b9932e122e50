// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers that the tiles of products take; see the header. A product's accumulator lives in
// registers whole, as f32, shared out over the threads of the computing warps; what products read
// passes through shared memory.

#include "Footprint.h"
#include "nautilus/Schedule/Contraction.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

/// The longest axis that a tile covers whole: the widest product instruction's columns when it is
/// read in one piece, twice that when it is only written.
static constexpr int64_t kWholeAxis = 256, kWholeResult = 512;
/// Threads that compute, and what of their 240 registers tiles may take: the rest holds addresses,
/// counters, row values and the operands of vector code.
static constexpr int64_t kThreads = 256, kTileRegisters = 180;

bool mlir::nautilus::schedule::fitsOneTile(const Axis &axis) {
  return !ShapedType::isDynamic(axis.extent) && axis.extent <= kWholeAxis;
}

bool mlir::nautilus::schedule::isTileBounded(const State &state, unsigned stmt, unsigned position) {
  const Statement &statement = state.statements[stmt];
  const Axis &axis = state.axes[statement.axes[position].axis];
  bool isShort = position < statement.numParallel && !ShapedType::isDynamic(axis.extent) &&
                 axis.extent <= kWholeResult;
  return state.findLoop(stmt, statement.axes[position].axis) || fitsOneTile(axis) || isShort;
}

bool mlir::nautilus::schedule::areTilesBounded(const State &state, unsigned stmt) {
  return llvm::all_of(llvm::seq<unsigned>(0, state.statements[stmt].axes.size()),
                      [&](unsigned position) { return isTileBounded(state, stmt, position); });
}

static int64_t getTile(const State &state, unsigned stmt, unsigned axis) {
  if (std::optional<unsigned> loop = state.findLoop(stmt, axis))
    return state.loops[*loop].tile.value;
  return std::max<int64_t>(state.axes[axis].extent, 1);
}

/// f32 registers per thread of the accumulators of all products below `root`; those whose result
/// only lives within an iteration count half again for their operand form.
static int64_t getTileRegisters(const State &state, Node root) {
  int64_t registers = 0;
  for (unsigned stmt : state.getStatementsBelow(root)) {
    const Statement &statement = state.statements[stmt];
    if (!findContraction(statement))
      continue;
    int64_t points = 1;
    for (const Statement::LocalAxis &local : statement.getParallelAxes())
      points *= getTile(state, stmt, local.axis);
    bool isCarried = llvm::any_of(state.getLoopsAround(stmt),
                                  [&](unsigned loop) { return state.isCarriedBy(stmt, loop); });
    registers += points / kThreads + (isCarried ? 0 : points / (2 * kThreads));
  }
  return registers;
}

/// The loop below `root` to make smaller: the innermost one over an axis of a product's result that
/// is still wide.
static std::optional<unsigned> findLoopToShrink(const State &state, Node root,
                                                const llvm::StringMap<int64_t> &pinned) {
  for (int64_t least : {64, 32, 16})
    for (unsigned stmt : state.getStatementsBelow(root)) {
      if (!findContraction(state.statements[stmt]))
        continue;
      for (unsigned loop : state.getLoopsInsideOut(stmt))
        if (state.statements[stmt].hasAxis(state.loops[loop].axis) &&
            !state.statements[stmt].reducesOver(state.loops[loop].axis) &&
            state.loops[loop].tile.value > least && !pinned.contains(state.loops[loop].tile.knob))
          return loop;
    }
  return std::nullopt;
}

/// Index among `steps` of the step that made `loop`: loops are numbered as they are made.
static std::optional<unsigned> findTileStep(ArrayRef<Primitive> steps, unsigned loop) {
  unsigned count = 0;
  for (auto [i, step] : llvm::enumerate(steps))
    if (std::holds_alternative<Tile>(step) && count++ == loop)
      return i;
  return std::nullopt;
}

static State replay(State state, ArrayRef<Primitive> steps) {
  for (const Primitive &step : steps)
    state = applyStep(state, step);
  return state;
}

Candidate mlir::nautilus::schedule::shrinkToFit(const State &start, const Candidate &candidate,
                                                const llvm::StringMap<int64_t> &pinned) {
  Candidate current = candidate;
  for (unsigned root = 0; root < current.state.roots.size();) {
    std::optional<unsigned> loop;
    if (getTileRegisters(current.state, current.state.roots[root]) > kTileRegisters)
      loop = findLoopToShrink(current.state, current.state.roots[root], pinned);
    std::optional<unsigned> step = loop ? findTileStep(current.steps, *loop) : std::nullopt;
    if (!step) {
      ++root;
      continue;
    }
    std::get<Tile>(current.steps[*step]).size.value /= 2;
    current.state = replay(start, current.steps);
  }
  return current;
}

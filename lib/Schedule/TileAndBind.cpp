// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The primitives that shape single loops: tile, bind and split_mask.

#include "Edits.h"
#include "nautilus/Schedule/Contraction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

/// Tiles become static tensor shapes below. Layouts pad to powers of two and prune what lies
/// outside in groups of 8 rows or columns, the granule of tensor-core instructions.
static bool isTileSize(int64_t size) {
  return size > 0 && (llvm::isPowerOf2_64(size) || size % 8 == 0);
}

static Verdict checkTileSize(const State &state, const AxisOfStatement &place, TileSize size) {
  if (size.isOpen() && !size.knob.empty())
    return {};
  const Axis &axis = state.axes[place.axis];
  const Statement &statement = state.statements[place.stmt];
  StringRef name = statement.axes[place.position].name;
  std::string text = std::to_string(size.value);
  if (!isTileSize(size.value) && (size.value < 1 || size.value != axis.extent))
    return Reason(ReasonCode::BadTileSize, {name, text});
  std::optional<Contraction> contraction = findContraction(statement);
  bool isDepth = contraction && contraction->depth == place.position;
  if (isDepth && size.value % 16 != 0 && size.value != axis.extent)
    return Reason(ReasonCode::BadContractionTile, {statement.name, name, text});
  return {};
}

/// Where the new loop goes: outside the loops over reduction axes when it is parallel, innermost
/// otherwise. Returns the node that the loop will wrap; every loop from there on must hold only
/// `stmt`.
static Node findWrapped(const State &state, unsigned stmt, bool isParallel) {
  Node wrapped{Node::Kind::Statement, stmt};
  if (!isParallel)
    return wrapped;
  for (unsigned loop : state.getLoopsInsideOut(stmt)) {
    if (!state.statements[stmt].reducesOver(state.loops[loop].axis))
      break;
    wrapped = {Node::Kind::Loop, loop};
  }
  return wrapped;
}

/// A loop over a parallel axis in a nest with other statements goes around all that the innermost
/// parallel loop holds: what walks the axis there shares the loop, the rest is repeated by it.
static Proposal tileShared(const State &state, const AxisOfStatement &place, const Tile &step) {
  std::optional<unsigned> outer;
  for (unsigned loop : state.getLoopsInsideOut(place.stmt))
    if (!state.isReductionLoop(loop)) {
      outer = loop;
      break;
    }
  Reason notAlone(ReasonCode::NotAlone, {step.statement, step.axis});
  if (!outer)
    return notAlone;
  for (unsigned stmt : state.getStatementsBelow(state.roots[state.getRoot(place.stmt)])) {
    bool isInside = llvm::is_contained(state.getLoopsAround(stmt), *outer);
    const Statement &statement = state.statements[stmt];
    if (statement.reducesOver(place.axis) || state.findLoop(stmt, place.axis) ||
        (statement.hasAxis(place.axis) && !isInside))
      return notAlone;
  }
  State next = state;
  unsigned loop = next.loops.size();
  next.loops.push_back(
      {place.axis, step.size, /*isGrid=*/false, next.loops[*outer].children, {}, {}});
  next.loops[*outer].children = {{Node::Kind::Loop, loop}};
  return next;
}

Proposal mlir::nautilus::schedule::propose(const State &state, const Tile &step) {
  auto found = findAxis(state, step.statement, step.axis);
  if (auto *reason = std::get_if<Reason>(&found))
    return *reason;
  auto place = std::get<AxisOfStatement>(found);
  if (state.findLoop(place.stmt, place.axis))
    return Reason(ReasonCode::AlreadyTiled, {step.statement, step.axis});
  if (Verdict verdict = checkTileSize(state, place, step.size); !verdict)
    return verdict.getReason();
  bool isParallel = place.position < state.statements[place.stmt].numParallel;
  bool isAlone = state.getStatementsBelow(state.roots[state.getRoot(place.stmt)]).size() == 1;
  if (isParallel && !isAlone)
    return tileShared(state, place, step);
  Node wrapped = findWrapped(state, place.stmt, isParallel);
  if (state.getStatementsBelow(wrapped).size() != 1)
    return Reason(ReasonCode::NotAlone, {step.statement, step.axis});
  State next = state;
  unsigned loop = next.loops.size();
  SmallVectorImpl<Node> &siblings = next.getSiblings(wrapped);
  *llvm::find(siblings, wrapped) = {Node::Kind::Loop, loop};
  next.loops.push_back({place.axis, step.size, /*isGrid=*/false, {wrapped}, {}, {}});
  return next;
}

Proposal mlir::nautilus::schedule::propose(const State &state, const Bind &step) {
  auto found = findLoop(state, step.statement, step.axis);
  if (auto *reason = std::get_if<Reason>(&found))
    return *reason;
  State next = state;
  next.loops[std::get<unsigned>(found)].isGrid = true;
  return next;
}

/// The other axes of the masks have a tile where the loop starts, or a static extent.
static bool areBoundsKnown(const State &state, unsigned loop, const MaskSplit &split) {
  unsigned stmt = state.getStatementsBelow({Node::Kind::Loop, loop}).front();
  SmallVector<unsigned> around = state.getLoopsAround(stmt);
  auto outer = ArrayRef(around).take_while([&](unsigned other) { return other != loop; });
  for (const MaskCondition &condition : split.conditions)
    for (auto [axis, coefficient] : condition.form.axes) {
      bool isTiled = llvm::any_of(
          outer, [&, axis = axis](unsigned other) { return state.loops[other].axis == axis; });
      if (!isTiled && ShapedType::isDynamic(state.axes[axis].extent))
        return false;
    }
  return true;
}

Proposal mlir::nautilus::schedule::propose(const State &state, const SplitMask &step) {
  auto found = findLoop(state, step.statement, step.axis);
  if (auto *reason = std::get_if<Reason>(&found))
    return *reason;
  unsigned loop = std::get<unsigned>(found);
  if (!state.isReductionLoop(loop))
    return Reason(ReasonCode::NotSerial, {step.axis});
  if (state.loops[loop].part)
    return Reason(ReasonCode::NotSplittable, {step.axis, "its range is split already"});
  std::optional<MaskSplit> split = findMasks(state, loop);
  if (!split || !areBoundsKnown(state, loop, *split))
    return Reason(ReasonCode::NotAffineMask, {step.axis});
  if (!isIdleWhenMasked(state, loop))
    return Reason(ReasonCode::NotIdleWhenMasked, {step.axis});
  State next = state;
  next.loops[loop].split = std::move(split);
  return next;
}

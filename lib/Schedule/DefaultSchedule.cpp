// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile sizes by rule for statements that have no schedule; the header says the rules.

#include "nautilus/Schedule/DefaultSchedule.h"
#include "nautilus/Schedule/Contraction.h"
#include "nautilus/Schedule/ReadState.h"

#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::nautilus::schedule;

static constexpr int64_t kContractionTile = 128, kContractionDepth = 64;
static constexpr int64_t kRowTile = 1024, kRowPoints = 8192;
static constexpr int64_t kInnerTile = 128, kPoints = 4096;

/// Caps `limits` of the axes of one subscript to what a tile can walk: one axis, with factor 1;
/// below a quotient or remainder a power of two that divides all else.
static void limitBySubscript(AffineExpr expr, MutableArrayRef<int64_t> limits,
                             int64_t divisor = 0) {
  SmallVector<AffineExpr> terms = {expr}, leaves;
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    if (term.getKind() == AffineExprKind::Add) {
      terms.push_back(cast<AffineBinaryOpExpr>(term).getRHS());
      terms.push_back(cast<AffineBinaryOpExpr>(term).getLHS());
      continue;
    }
    leaves.push_back(term);
    if (divisor && !isa<AffineDimExpr>(term))
      divisor = std::gcd(divisor, term.getLargestKnownDivisor());
  }
  bool isWalked = false;
  for (AffineExpr leaf : leaves) {
    auto axis = dyn_cast<AffineDimExpr>(leaf);
    auto binary = dyn_cast<AffineBinaryOpExpr>(leaf);
    bool isDivision = binary && isa<AffineConstantExpr>(binary.getRHS()) &&
                      binary.getKind() != AffineExprKind::Mul;
    if (axis) {
      int64_t most = divisor ? divisor & -divisor : std::numeric_limits<int64_t>::max();
      int64_t &limit = limits[axis.getPosition()];
      limit = std::min(limit, isWalked ? 1 : most);
      isWalked = true;
    } else if (isDivision && !isWalked) {
      limitBySubscript(binary.getLHS(), limits,
                       std::gcd(divisor, cast<AffineConstantExpr>(binary.getRHS()).getValue()));
      isWalked = true;
    } else {
      for (auto [i, limit] : llvm::enumerate(limits))
        if (leaf.isFunctionOfDim(i))
          limit = 1;
    }
  }
}

SmallVector<int64_t> mlir::nautilus::schedule::getTileLimits(const Statement &statement) {
  SmallVector<int64_t> limits(statement.axes.size(), std::numeric_limits<int64_t>::max());
  for (const Read &read : statement.reads) {
    SmallVector<bool> seen(limits.size(), false);
    for (AffineExpr expr : read.map.getResults()) {
      limitBySubscript(expr, limits);
      for (auto [i, limit] : llvm::enumerate(limits)) {
        if (expr.isFunctionOfDim(i) && seen[i]) // A diagonal.
          limit = 1;
        seen[i] = seen[i] || expr.isFunctionOfDim(i);
      }
    }
  }
  return limits;
}

/// The power of two that covers the axis, at least 1 and at most `limit`.
static int64_t getCoveringTile(const Axis &axis, int64_t limit) {
  int64_t extent = ShapedType::isDynamic(axis.extent) ? axis.hint : axis.extent;
  if (ShapedType::isDynamic(axis.extent) && axis.hint == 0)
    return limit;
  return std::min<int64_t>(limit, llvm::PowerOf2Ceil(std::max<int64_t>(extent, 1)));
}

/// True if the last dim of a tensor that `statement` reads is walked by `axis` alone.
static bool isInnermost(const Statement &statement, unsigned axis) {
  return llvm::any_of(statement.reads, [&](const Read &read) {
    return read.map.getNumResults() != 0 && getBareAxis(read.map.getResults().back()) == axis;
  });
}

/// Gives the axes [begin, end) tiles from the last to the first within a budget of points.
static void shareOut(const State &state, const Statement &statement, unsigned begin, unsigned end,
                     int64_t inner, int64_t points, MutableArrayRef<int64_t> tiles) {
  for (unsigned i = end; i-- > begin;) {
    tiles[i] = getCoveringTile(state.axes[statement.axes[i].axis], std::min(inner, points));
    points = std::max<int64_t>(points / tiles[i], 1);
  }
}

/// A tile for each axis of `statement`, whatever its subscripts.
static SmallVector<int64_t> chooseFreeTiles(const State &state, const Statement &statement) {
  SmallVector<int64_t> tiles(statement.axes.size(), 1);
  unsigned numParallel = statement.numParallel, numAxes = statement.axes.size();
  auto cover = [&](unsigned i, int64_t limit) {
    return getCoveringTile(state.axes[statement.axes[i].axis], limit);
  };
  if (std::optional<Contraction> contraction = findContraction(statement)) {
    tiles[contraction->rows] = cover(contraction->rows, kContractionTile);
    tiles[contraction->columns] = cover(contraction->columns, kContractionTile);
    // Tensor cores take depth in steps of 16.
    tiles[contraction->depth] = std::max<int64_t>(16, cover(contraction->depth, kContractionDepth));
    return tiles;
  }
  if (!statement.isReduce()) {
    shareOut(state, statement, 0, numParallel, kInnerTile, kPoints, tiles);
    return tiles;
  }
  bool alongRows = isInnermost(statement, numAxes - 1);
  int64_t depth = alongRows ? kRowTile : kContractionDepth;
  tiles[numAxes - 1] = cover(numAxes - 1, depth);
  int64_t points = std::max<int64_t>((alongRows ? kRowPoints : kPoints) / tiles[numAxes - 1], 1);
  shareOut(state, statement, 0, numParallel, kInnerTile, points, tiles);
  return tiles;
}

SmallVector<int64_t> mlir::nautilus::schedule::chooseTiles(const State &state, unsigned stmt) {
  const Statement &statement = state.statements[stmt];
  SmallVector<int64_t> tiles = chooseFreeTiles(state, statement);
  for (auto [tile, limit] : llvm::zip(tiles, getTileLimits(statement)))
    tile = std::min(tile, limit);
  return tiles;
}

/// The steps for a statement that stands alone without any loop.
static void scheduleAlone(const State &state, unsigned stmt, SmallVectorImpl<Primitive> &steps) {
  const Statement &statement = state.statements[stmt];
  SmallVector<int64_t> tiles = chooseTiles(state, stmt);
  for (auto [i, local] : llvm::enumerate(statement.axes)) {
    if (state.axes[local.axis].extent == tiles[i])
      continue;
    steps.push_back(Tile{statement.name, local.name, TileSize::get(tiles[i])});
    if (i < statement.numParallel)
      steps.push_back(Bind{statement.name, local.name});
  }
}

/// The steps for a statement whose loops a schedule has made: what it left open.
static void scheduleRest(const State &state, unsigned stmt, DenseSet<unsigned> &bound,
                         SmallVectorImpl<Primitive> &steps) {
  const Statement &statement = state.statements[stmt];
  SmallVector<int64_t> tiles = chooseTiles(state, stmt);
  SmallVector<Primitive> innerBinds;
  for (auto [i, local] : llvm::enumerate(statement.axes)) {
    if (state.findLoop(stmt, local.axis) || !ShapedType::isDynamic(state.axes[local.axis].extent))
      continue;
    Primitive tile = Tile{statement.name, local.name, TileSize::get(tiles[i])};
    if (!checkStep(state, tile))
      continue; // materialisation says what is missing
    steps.push_back(tile);
    if (i < statement.numParallel)
      innerBinds.push_back(Bind{statement.name, local.name});
  }
  // Outermost first: what stands below a serial loop can't be bound.
  for (unsigned loop : state.getLoopsAround(stmt)) {
    if (state.isReductionLoop(loop))
      break;
    const auto *local = llvm::find_if(statement.axes, [&](const Statement::LocalAxis &axis) {
      return axis.axis == state.loops[loop].axis;
    });
    if (state.loops[loop].isGrid || local == statement.axes.end() || !bound.insert(loop).second)
      continue;
    steps.push_back(Bind{statement.name, local->name});
  }
  llvm::append_range(steps, innerBinds);
}

/// Gives readers outside a serial loop copies of what the loop makes anew in each iteration, until
/// there is none: what a copy reads may be such a value too.
static State copyForReaders(State state, SmallVectorImpl<Primitive> &steps) {
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned stmt : state.getOrder()) {
      std::optional<unsigned> reader = state.findReaderBeyondLoop(stmt);
      if (!reader)
        continue;
      const std::string &name = state.statements[stmt].name;
      Primitive step = Clone{name, state.statements[*reader].name, state.getFreshName(name)};
      if (!checkStep(state, step))
        continue; // materialisation says what is missing
      steps.push_back(step);
      state = applyStep(state, step);
      changed = true;
      break;
    }
  }
  return state;
}

/// The steps that are legal in turn; materialisation says what the others leave missing.
static SmallVector<Primitive> keepLegal(State state, ArrayRef<Primitive> steps) {
  SmallVector<Primitive> legal;
  for (const Primitive &step : steps) {
    if (!checkStep(state, step))
      continue;
    state = applyStep(state, step);
    legal.push_back(step);
  }
  return legal;
}

SmallVector<Primitive> mlir::nautilus::schedule::completeSchedule(const State &partial) {
  SmallVector<Primitive> steps;
  DenseSet<unsigned> bound;
  State state = copyForReaders(partial, steps);
  for (unsigned stmt : state.getOrder()) {
    if (state.getLoopsAround(stmt).empty())
      scheduleAlone(state, stmt, steps);
    else
      scheduleRest(state, stmt, bound, steps);
  }
  return keepLegal(partial, steps);
}

State mlir::nautilus::schedule::applyAll(State state, ArrayRef<Primitive> steps) {
  for (const Primitive &step : steps)
    state = applyStep(state, step);
  return state;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rough time per launch: the longest of the time to move bytes and the time to compute.

#include "nautilus/Schedule/Contraction.h"
#include "nautilus/Schedule/Search.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus::schedule;

static constexpr double kLaunchMicroseconds = 3;
static constexpr double kBytesPerMicrosecond = 4e6;     // device memory
static constexpr double kL2BytesPerMicrosecond = 5.5e6; // level-2 cache to the multiprocessors
static constexpr double kProductsPerMicrosecond = 3e8;  // multiply-adds on tensor cores
static constexpr double kVectorPerMicrosecond = 1e7;    // elements through vector code
static constexpr int64_t kUnknownExtent = 4096;

static double getExtent(const Axis &axis) {
  if (!ShapedType::isDynamic(axis.extent))
    return std::max<int64_t>(axis.extent, 1);
  return axis.hint ? axis.hint : kUnknownExtent;
}

static double getTrips(const State &state, unsigned loop) {
  return std::ceil(getExtent(state.axes[state.loops[loop].axis]) /
                   double(std::max<int64_t>(state.loops[loop].tile.value, 1)));
}

/// How often `stmt` is carried out over the whole launch, by all its points.
static double countPoints(const State &state, unsigned stmt) {
  double points = 1;
  SmallVector<unsigned> around = state.getLoopsAround(stmt);
  for (const Statement::LocalAxis &local : state.statements[stmt].axes)
    points *= getExtent(state.axes[local.axis]);
  for (unsigned loop : around)
    if (!state.statements[stmt].hasAxis(state.loops[loop].axis))
      points *= getTrips(state, loop);
  return points;
}

/// Bytes that a read moves to the multiprocessors: its tensor, once per iteration of the loops that
/// don't walk it but bring other tiles of it: grid loops, and serial loops outside one that walks
/// it.
static double countReadBytes(const State &state, unsigned stmt, const Read &read) {
  const Statement &statement = state.statements[stmt];
  double bytes = 2;
  auto isWalked = [&](unsigned axis) {
    for (auto [i, local] : llvm::enumerate(statement.axes))
      if (local.axis == axis)
        return llvm::any_of(read.map.getResults(),
                            [&, i = i](AffineExpr e) { return e.isFunctionOfDim(i); });
    return false;
  };
  for (const Statement::LocalAxis &local : statement.axes)
    if (isWalked(local.axis))
      bytes *= getExtent(state.axes[local.axis]);
  bool isInsideWalk = false;
  for (unsigned loop : state.getLoopsInsideOut(stmt)) {
    isInsideWalk = isInsideWalk || isWalked(state.loops[loop].axis);
    if (!isWalked(state.loops[loop].axis) && (state.loops[loop].isGrid || isInsideWalk))
      bytes *= getTrips(state, loop);
  }
  return bytes;
}

static double estimateRoot(const State &state, unsigned root) {
  double memory = 0, cache = 0, products = 0, vector = 0;
  SmallVector<std::pair<ValueRef, double>> seen; // tensors that the launch reads
  for (unsigned stmt : state.getStatementsBelow(state.roots[root])) {
    const Statement &statement = state.statements[stmt];
    for (const Read &read : statement.reads) {
      bool isOutside =
          read.value.kind == ValueRef::Kind::Argument || state.getRoot(read.value.id) != root;
      if (!isOutside)
        continue;
      double bytes = countReadBytes(state, stmt, read);
      auto *known = llvm::find_if(seen, [&](auto &entry) { return entry.first == read.value; });
      if (known != seen.end()) {
        cache += std::max(bytes - known->second, 0.0);
        known->second = std::max(bytes, known->second);
        continue;
      }
      seen.push_back({read.value, bytes});
      cache += bytes;
      double once = 2;
      for (auto [i, local] : llvm::enumerate(statement.axes))
        if (llvm::any_of(read.map.getResults(),
                         [&, i = i](AffineExpr e) { return e.isFunctionOfDim(i); }))
          once *= getExtent(state.axes[local.axis]);
      memory += once;
    }
    bool escapes = state.isOutput(stmt) ||
                   llvm::any_of(state.getReaders(stmt),
                                [&](unsigned reader) { return state.getRoot(reader) != root; });
    if (escapes) {
      double bytes = 4;
      for (const Statement::LocalAxis &local : statement.getParallelAxes())
        bytes *= getExtent(state.axes[local.axis]);
      memory += bytes;
    }
    (findContraction(statement) ? products : vector) += countPoints(state, stmt);
  }
  return kLaunchMicroseconds +
         std::max({memory / kBytesPerMicrosecond, cache / kL2BytesPerMicrosecond,
                   products / kProductsPerMicrosecond + vector / kVectorPerMicrosecond});
}

double mlir::nautilus::schedule::estimateMicroseconds(const State &state) {
  double total = 0;
  for (unsigned root = 0; root < state.roots.size(); ++root)
    total += estimateRoot(state, root);
  return total;
}

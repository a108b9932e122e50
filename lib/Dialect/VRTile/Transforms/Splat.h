// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles with one value everywhere, and how to build scaled and negated tiles at the least cost.

#ifndef NAUTILUS_LIB_DIALECT_VRTILE_TRANSFORMS_SPLAT_H
#define NAUTILUS_LIB_DIALECT_VRTILE_TRANSFORMS_SPLAT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include <optional>

namespace mlir::nautilus::vrtile {

inline RankedTensorType getTileType(Value tile) {
  return dyn_cast<RankedTensorType>(tile.getType());
}

/// The value of a float tile (or scalar) that is constant and everywhere the same.
std::optional<APFloat> getSplat(Value tile);

bool isInfinity(Value tile, bool negative);

/// True if the tile is never that infinity: select(m == inf, finite, m), or that scaled, negated or
/// broadcast.
bool excludesInfinity(Value tile, bool negative);

/// A constant of the type of `like` with that value everywhere, rounded to its element type.
Value buildSplat(OpBuilder &b, Location loc, Type type, APFloat value);

/// `tile * factor`, pushed through broadcasts so that it costs least.
Value buildScaled(OpBuilder &b, Location loc, Value tile, const APFloat &factor);

/// `-tile`, pushed into constants and broadcasts.
Value buildNegated(OpBuilder &b, Location loc, Value tile);

/// A tile times or over a positive finite constant.
struct ScaledTile {
  Value base;
  APFloat factor;
  bool divides;

  /// The same scale on another tile.
  Value apply(OpBuilder &b, Location loc, Value tile) const;
};
std::optional<ScaledTile> getScaledTile(Value tile);

/// `ran` if the loop has an iteration, else `otherwise`; tiles of one type, after the loop.
Value buildIfLoopRan(OpBuilder &b, scf::ForOp loop, Value ran, Value otherwise);

/// `x * y`, rounded once to the type of `x`.
APFloat multiply(const APFloat &x, double y);

} // namespace mlir::nautilus::vrtile

#endif

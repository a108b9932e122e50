// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise code on tiles that need not have the same dims.
//
// A value of a statement body depends on some of the statement's axes only. It is kept as a tile
// over exactly these (a mask row, a row's maximum), as a scalar if it depends on none, or as a
// constant; it is broadcast where it meets a value of more axes, and not before.

#ifndef NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_TILEBUILDER_H
#define NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_TILEBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::nautilus {

struct TileValue {
  Value value;                ///< A tile or a scalar; null for a constant.
  TypedAttr constant;         ///< The element, if it is one.
  SmallVector<unsigned> axes; ///< The axis of each dim of a tile.

  static TileValue ofConstant(TypedAttr element) { return {{}, element, {}}; }
  static TileValue ofScalar(Value value) { return {value, {}, {}}; }
  static TileValue ofTile(Value value, ArrayRef<unsigned> axes) {
    return {value, {}, SmallVector<unsigned>(axes)};
  }

  bool isTile() const { return value && isa<RankedTensorType>(value.getType()); }
  Type getElementType() const;
};

class TileBuilder {
public:
  /// `sizes` holds the number of points of each axis; only axes of more than one point are dims.
  TileBuilder(OpBuilder &builder, ArrayRef<int64_t> sizes) : b(builder), sizes(sizes) {}

  RankedTensorType getType(ArrayRef<unsigned> axes, Type element) const;
  /// The axes among [0, count) that are dims of tiles, in order.
  SmallVector<unsigned> getTileAxes(unsigned count) const;

  /// `tile` as a tensor over `axes`, which hold all axes of `tile`.
  Value expand(const TileValue &tile, ArrayRef<unsigned> axes, Location loc);

  /// `build` on the operands brought to their common axes.
  TileValue apply(ArrayRef<TileValue> operands, Location loc,
                  llvm::function_ref<Value(ValueRange)> build);

  /// An op of a statement body on tiles; failure, after a diagnostic, unless it is elementwise.
  FailureOr<TileValue> applyOp(Operation *op, ArrayRef<TileValue> operands);

  OpBuilder &b;

private:
  SmallVector<unsigned> getCommonAxes(ArrayRef<TileValue> operands) const;

  SmallVector<int64_t> sizes;
};

/// Evaluates the values of a block on tiles, each on demand and once.
class BlockEvaluator {
public:
  /// `leaf` gives the values of block arguments and of ops that are not elementwise; failure is
  /// after a diagnostic, and null (no value, no constant) means that the op is not a leaf.
  using Leaf = std::function<FailureOr<TileValue>(Value)>;
  BlockEvaluator(TileBuilder &tiles, Leaf leaf) : tiles(tiles), leaf(std::move(leaf)) {}

  FailureOr<TileValue> get(Value value);

private:
  TileBuilder &tiles;
  Leaf leaf;
  DenseMap<Value, TileValue> memo;
};

} // namespace mlir::nautilus

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a statement reads one input: which subscript walks which tile axis, and from where.

#ifndef NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_ACCESS_H
#define NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_ACCESS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::nautilus {

/// The subscript is `base` at the origins of all axes, plus the position along `axis` if there is
/// one.
struct Subscript {
  std::optional<unsigned> axis;
  AffineExpr base;

  /// True if the subscript is the axis and nothing else.
  bool isBare() const {
    auto dim = dyn_cast<AffineDimExpr>(base);
    return axis && dim && dim.getPosition() == *axis;
  }
};

struct Access {
  SmallVector<Subscript> subscripts;
  bool isTile = false; ///< Reads a tile value, in coordinates of the tile.

  bool walks(unsigned axis) const {
    return llvm::any_of(subscripts, [&](const Subscript &s) { return s.axis == axis; });
  }
};

/// The axes of a statement, as far as subscripts depend on them.
struct AccessAxes {
  ArrayRef<int64_t> sizes;                      ///< Number of points of each axis.
  llvm::function_ref<bool(unsigned)> isAligned; ///< Whether an origin is a multiple of that number.
};

/// Splits the subscripts of input number `input` of `op`. Failure after a diagnostic when a tile
/// cannot express one. A quotient or remainder by a multiple of an aligned tile's size is constant,
/// or walks, along the tile.
FailureOr<Access> analyzeAccess(Operation *op, unsigned input, AffineMap map, bool isTile,
                                const AccessAxes &axes, ArrayRef<int64_t> shape);

} // namespace mlir::nautilus

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a statement reads one input: which subscript walks which tile axis, and from where.

#ifndef NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_ACCESS_H
#define NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_ACCESS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace mlir::nautilus {

/// `axis + rest`, or `rest` alone; `rest` is over axes of one point.
struct Subscript {
  std::optional<unsigned> axis;
  AffineExpr rest;
};

struct Access {
  SmallVector<Subscript> subscripts;
  bool isTile = false; ///< Reads a tile value, in coordinates of the tile.

  bool walks(unsigned axis) const {
    return llvm::any_of(subscripts, [&](const Subscript &s) { return s.axis == axis; });
  }
};

/// Splits the subscripts of input number `input` of `op`; `sizes` holds the number of points of
/// each axis. Failure after a diagnostic when a tile cannot express one.
FailureOr<Access> analyzeAccess(Operation *op, unsigned input, AffineMap map, bool isTile,
                                ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape);

} // namespace mlir::nautilus

#endif

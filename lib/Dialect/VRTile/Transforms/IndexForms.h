// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coordinates and masks as linear forms, and proofs about them.
//
// A coordinate of a tile element is a sum of index values, of the element's position along each
// dim, and of a constant. A mask compares two of them. What an index value can be (a block's
// origin, a loop's induction variable, a quotient) becomes linear constraints over integers; a
// claim is proven when its negation has no integer solution.

#ifndef NAUTILUS_LIB_DIALECT_VRTILE_TRANSFORMS_INDEXFORMS_H
#define NAUTILUS_LIB_DIALECT_VRTILE_TRANSFORMS_INDEXFORMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include "llvm/ADT/MapVector.h"
#include <optional>

namespace mlir::nautilus::vrtile {

/// sum of coefficient * index value + sum of coefficient * position + constant.
struct LinearForm {
  llvm::MapVector<Value, int64_t> terms;
  SmallVector<int64_t> positions; ///< By dim of the tile; empty for a scalar.
  int64_t constant = 0;

  void add(const LinearForm &other, int64_t factor);
  int64_t getCoefficient(Value value) const { return terms.lookup(value); }
};

/// The form of an index value: sums and constant multiples are followed, all else is a term.
LinearForm getIndexForm(Value index);

/// The form of the elements of a tile of index values, if they are linear in positions.
std::optional<LinearForm> getTileForm(Value tile);

/// A mask is true at an element exactly if all forms are at least zero there.
struct MaskForm {
  SmallVector<LinearForm, 2> conditions;
  SmallVector<int64_t> shape;
};
std::optional<MaskForm> getMaskForm(arith::CmpIOp mask);

/// The least or greatest value of a form over the positions of a tile, as a form of a scalar.
LinearForm getExtreme(const LinearForm &form, ArrayRef<int64_t> shape, bool greatest);

/// True if the form is at least zero for all values that its terms can have, at all positions of
/// `shape`.
bool isProvenNonNegative(const LinearForm &form, ArrayRef<int64_t> shape = {});

/// Computes a scalar form.
Value buildIndexForm(OpBuilder &b, Location loc, const LinearForm &form);

} // namespace mlir::nautilus::vrtile

#endif

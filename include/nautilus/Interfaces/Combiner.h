// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the combiner region of a reduction means. A combiner is a region of `arith` ops, so that any
// monoid can be written; code that needs one of the usual monoids asks here which one it is,
// instead of each conversion looking at the region in its own way.

#ifndef NAUTILUS_INTERFACES_COMBINER_H
#define NAUTILUS_INTERFACES_COMBINER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"

namespace mlir::nautilus {

/// `Max`/`Min` propagate NaN, `MaxNum`/`MinNum` do not. `Custom` is every other combiner.
enum class CombinerKind {
  Add,
  Mul,
  Max,
  Min,
  MaxNum,
  MinNum,
  And,
  Or,
  Xor,
  MaxSI,
  MinSI,
  MaxUI,
  MinUI,
  Custom
};

/// The kind of a combiner with one block `(l, r) -> yield op(l, r)`; Custom for any other shape.
CombinerKind classifyCombiner(Region &combiner);

/// The neutral element of `kind` in `type` (float or integer), or null for Custom.
TypedAttr getCombinerIdentity(CombinerKind kind, Type type);

/// `l op r` for a kind other than Custom, on scalars or on tensors alike.
Value buildCombine(OpBuilder &builder, Location loc, CombinerKind kind, Value l, Value r);

/// Stable lower-case name, for diagnostics and printing.
llvm::StringRef stringifyCombinerKind(CombinerKind kind);

} // namespace mlir::nautilus

#endif

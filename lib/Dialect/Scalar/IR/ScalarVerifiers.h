// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that several ops of nautilus_scalar share. Every message says what was expected and what
// was found; the ops name the numbered constraint beside the call.

#ifndef NAUTILUS_LIB_DIALECT_SCALAR_IR_SCALARVERIFIERS_H
#define NAUTILUS_LIB_DIALECT_SCALAR_IR_SCALARVERIFIERS_H

#include "nautilus/Dialect/Scalar/IR/Scalar.h"

namespace mlir::nautilus::scalar::checks {

/// Attributes are axes, names are distinct, dims are declared by the kernel around `op`.
LogicalResult verifyAxes(Operation *op, ArrayRef<Attribute> axes);

/// One origin per set bit of `originAxes`; such an axis has a tile.
LogicalResult verifyOrigins(Operation *op, ArrayRef<Attribute> axes, ArrayRef<bool> originAxes,
                            size_t numOrigins);

/// One pure affine map per input, from all axes to the dims of the input.
LogicalResult verifyMaps(Operation *op, size_t numAxes, ArrayAttr maps, ValueRange inputs);

/// One dim per axis, of the axis' extent.
LogicalResult verifyExtents(Operation *op, ArrayRef<Attribute> axes, RankedTensorType type,
                            const Twine &what);

/// The block ends in `yield` of exactly `types`.
LogicalResult verifyYield(Operation *op, Block &block, ArrayRef<Type> types, const Twine &what);

/// The block has arguments of exactly `types`.
LogicalResult verifyArguments(Operation *op, Block &block, ArrayRef<Type> types, const Twine &what);

} // namespace mlir::nautilus::scalar::checks

#endif

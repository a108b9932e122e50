// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of text that several ops of nautilus_scalar share: lists of axes, and inputs bound to body
// arguments and read at affine subscripts that name the axes.

#ifndef NAUTILUS_LIB_DIALECT_SCALAR_IR_SCALARASSEMBLY_H
#define NAUTILUS_LIB_DIALECT_SCALAR_IR_SCALARASSEMBLY_H

#include "nautilus/Dialect/Scalar/IR/Scalar.h"

namespace mlir::nautilus::scalar::text {

/// Axes as read: `[i: M, j: N tile 128 at %j0]`.
struct ParsedAxes {
  SmallVector<Attribute> axes;
  SmallVector<bool> hasOrigin;
  SmallVector<OpAsmParser::UnresolvedOperand> origins;
};

/// Inputs as read: `(%a = %A[i, k + 1] : type, ...)`; `arguments` have the element types.
struct ParsedInputs {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SmallVector<Attribute> maps;
};

/// Appends to `out`, so that two lists may be read into one. Without `allowOrigins`, `at` is an
/// error.
ParseResult parseAxes(OpAsmParser &parser, ParsedAxes &out, bool allowOrigins);
/// `origins[i]` is null where the axis has none; pass an empty list where axes have no origins.
void printAxes(OpAsmPrinter &printer, ArrayAttr axes, ArrayRef<Value> origins);

ParseResult parseInputs(OpAsmParser &parser, ArrayRef<Attribute> axes, ParsedInputs &out);
void printInputs(OpAsmPrinter &printer, Block &body, ValueRange inputs, ArrayAttr maps,
                 ArrayRef<StringRef> axisNames);

/// `-> type` or `-> (type, type)`; nothing for no results.
ParseResult parseResultTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types);
void printResultTypes(OpAsmPrinter &printer, TypeRange types);

} // namespace mlir::nautilus::scalar::text

#endif

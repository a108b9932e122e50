// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_matile dialect: tiles with their memory (shared buffers, channels) and their threads
// (layouts).

#ifndef NAUTILUS_DIALECT_MATILE_IR_MATILE_H
#define NAUTILUS_DIALECT_MATILE_IR_MATILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Layout/Layout.h"

#include "nautilus/Dialect/MATile/IR/MATileDialect.h.inc"
#include "nautilus/Dialect/MATile/IR/MATileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nautilus/Dialect/MATile/IR/MATileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "nautilus/Dialect/MATile/IR/MATileTypes.h.inc"

namespace mlir::nautilus::matile {
class WarpSpecializeOp;

/// The layout of a fragment as the algebra of nautilus/Layout has it.
::nautilus::layout::RegisterLayout getLayout(RankedTensorType fragment);

/// Bytes that an element takes in memory and, at least, in a register: 1 for i1, 4 for an index.
int64_t getElementBytes(Type elementType);

/// A fragment type over `shape` with that layout.
RankedTensorType getFragmentType(MLIRContext *context, Type elementType,
                                 const ::nautilus::layout::RegisterLayout &layout);
} // namespace mlir::nautilus::matile

#define GET_OP_CLASSES
#include "nautilus/Dialect/MATile/IR/MATileOps.h.inc"

#endif

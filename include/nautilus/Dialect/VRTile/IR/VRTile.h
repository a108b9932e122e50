// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_vrtile dialect: one thread block's program over tiles in virtual registers.

#ifndef NAUTILUS_DIALECT_VRTILE_IR_VRTILE_H
#define NAUTILUS_DIALECT_VRTILE_IR_VRTILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nautilus/Dialect/VRTile/IR/VRTileDialect.h.inc"

namespace mlir::nautilus::vrtile {
class OriginOp;
} // namespace mlir::nautilus::vrtile

#define GET_OP_CLASSES
#include "nautilus/Dialect/VRTile/IR/VRTileOps.h.inc"

#endif

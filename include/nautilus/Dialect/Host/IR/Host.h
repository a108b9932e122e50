// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_host dialect: what the host does at each call of a kernel.

#ifndef NAUTILUS_DIALECT_HOST_IR_HOST_H
#define NAUTILUS_DIALECT_HOST_IR_HOST_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nautilus/Dialect/Host/IR/HostDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "nautilus/Dialect/Host/IR/HostTypes.h.inc"

#define GET_OP_CLASSES
#include "nautilus/Dialect/Host/IR/HostOps.h.inc"

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_scalar dialect: tensor programs as formulas over named axes (math form) and the same
// formulas under tile loops (loop form). The .td files beside this one say what each op means.

#ifndef NAUTILUS_DIALECT_SCALAR_IR_SCALAR_H
#define NAUTILUS_DIALECT_SCALAR_IR_SCALAR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nautilus/Dialect/Scalar/IR/ScalarDialect.h.inc"

#include "nautilus/Dialect/Scalar/IR/ScalarEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nautilus/Dialect/Scalar/IR/ScalarAttrs.h.inc"

namespace mlir::nautilus::scalar {
class AssembleOp;
class ReturnOp;

/// Holds the `#nautilus_scalar.launch` of a grid, and of the kernel made of it at lower levels.
inline constexpr llvm::StringLiteral kLaunchAttrName = "nautilus_scalar.launch";

/// True when `value` is a tile made inside a loop nest (a statement, `for`, `fill` or a
/// loop-carried argument below a `grid`), so that subscripts into it are tile-local; false for a
/// whole tensor.
bool isTileValue(Value value);

/// The kernel that encloses `op`, or null.
class KernelOp;
KernelOp getKernel(Operation *op);

/// The extent that a value has along `axis`: its tile, or the size of its dim (kDynamic when that
/// is known only at the call, or when `kernel` does not declare it).
int64_t getAxisExtent(KernelOp kernel, AxisAttr axis);
} // namespace mlir::nautilus::scalar

#define GET_OP_CLASSES
#include "nautilus/Dialect/Scalar/IR/ScalarOps.h.inc"

#endif

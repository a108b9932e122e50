// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a `nautilus_matile.kernel`, one block after the other, its roles as interleaved tasks:
// physically (WarpInterpreter.h), or on whole tiles, which is faster.

#ifndef NAUTILUS_LIB_INTERPRETER_MATILEINTERPRETER_H
#define NAUTILUS_LIB_INTERPRETER_MATILEINTERPRETER_H

#include "StructuredInterpreter.h"

#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "nautilus/Interpreter/Interpreter.h"

namespace mlir::nautilus::interpreter {

/// `arguments` are memories, index values and tensor maps.
LogicalResult runMATileKernel(matile::KernelOp kernel, Mode mode, ArrayRef<RuntimeValue> arguments,
                              int64_t numBlocks, const DeviceModel &device);

} // namespace mlir::nautilus::interpreter

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a `nautilus_vrtile.kernel`, one block after the other.

#ifndef NAUTILUS_LIB_INTERPRETER_VRTILEINTERPRETER_H
#define NAUTILUS_LIB_INTERPRETER_VRTILEINTERPRETER_H

#include "StructuredInterpreter.h"

#include "nautilus/Dialect/VRTile/IR/VRTile.h"

namespace mlir::nautilus::interpreter {

/// `arguments` are memories and index values, as the kernel's own.
LogicalResult runVRTileKernel(vrtile::KernelOp kernel, Mode mode, ArrayRef<RuntimeValue> arguments,
                              int64_t numBlocks);

} // namespace mlir::nautilus::interpreter

#endif

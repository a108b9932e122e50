// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a `nautilus_scalar.kernel` in math form or loop form.

#ifndef NAUTILUS_LIB_INTERPRETER_SCALARINTERPRETER_H
#define NAUTILUS_LIB_INTERPRETER_SCALARINTERPRETER_H

#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "nautilus/Interpreter/Interpreter.h"

namespace mlir::nautilus::interpreter {

/// `dims` has the extent of every dim of the kernel.
FailureOr<std::vector<Tensor>> runScalarKernel(scalar::KernelOp kernel, Mode mode,
                                               ArrayRef<Tensor> inputs, const DimBindings &dims);

} // namespace mlir::nautilus::interpreter

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a `nautilus_host.entry`: its integer work, checks and launches.

#ifndef NAUTILUS_LIB_INTERPRETER_HOSTINTERPRETER_H
#define NAUTILUS_LIB_INTERPRETER_HOSTINTERPRETER_H

#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Interpreter/Interpreter.h"

namespace mlir::nautilus::interpreter {

/// `dims` has the extent of every dim of the entry. Results start as poison.
FailureOr<std::vector<Tensor>> runHostEntry(host::EntryOp entry, Mode mode, ArrayRef<Tensor> inputs,
                                            const DimBindings &dims, const DeviceModel &device);

} // namespace mlir::nautilus::interpreter

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on nautilus_scalar. What each one requires, guarantees and refuses stands in
// Passes.td.

#ifndef NAUTILUS_DIALECT_SCALAR_TRANSFORMS_PASSES_H
#define NAUTILUS_DIALECT_SCALAR_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::nautilus::scalar {
#define GEN_PASS_DECL
#include "nautilus/Dialect/Scalar/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nautilus/Dialect/Scalar/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::scalar

#endif

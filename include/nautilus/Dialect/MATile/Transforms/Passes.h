// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on nautilus_matile. What each one requires, guarantees and refuses stands in Passes.td.

#ifndef NAUTILUS_DIALECT_MATILE_TRANSFORMS_PASSES_H
#define NAUTILUS_DIALECT_MATILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DECL
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

#endif

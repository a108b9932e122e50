// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on nautilus_vrtile. What each one requires, guarantees and refuses stands in Passes.td.

#ifndef NAUTILUS_DIALECT_VRTILE_TRANSFORMS_PASSES_H
#define NAUTILUS_DIALECT_VRTILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include "nautilus/Dialect/VRTile/Transforms/Numerics.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DECL
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

#endif

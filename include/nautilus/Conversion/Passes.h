// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversions between levels. What each one requires, guarantees and refuses stands in
// Passes.td.

#ifndef NAUTILUS_CONVERSION_PASSES_H
#define NAUTILUS_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::nautilus {
#define GEN_PASS_DECL
#include "nautilus/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nautilus/Conversion/Passes.h.inc"
} // namespace mlir::nautilus

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a run may be from the reference when the caller gives no tolerance.

#ifndef NAUTILUS_TOOLS_NAUTILUS_RUN_TOLERANCE_H
#define NAUTILUS_TOOLS_NAUTILUS_RUN_TOLERANCE_H

#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "nautilus/Interpreter/Interpreter.h"

namespace mlir::nautilus::run_tool {

/// A bound on the relative L2 error: 1e-10 in real mode and 1e-5 in typed mode, where nothing
/// rounds to a narrow float. Each explicit cast in `kernel` may land one unit apart after a legal
/// reordering, so that the unit roundoff of the narrowest type cast to is a lower limit. Tile
/// algebra
/// (`hasTileAlgebra`) folds constants, which it rounds to f32: 1e-6.
double defaultTolerance(scalar::KernelOp kernel, interpreter::Mode mode, bool hasTileAlgebra);

} // namespace mlir::nautilus::run_tool

#endif

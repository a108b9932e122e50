// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR to schedule state: the inverse of Materialize.h.

#ifndef NAUTILUS_SCHEDULE_READSTATE_H
#define NAUTILUS_SCHEDULE_READSTATE_H

#include "nautilus/Schedule/State.h"

namespace mlir::nautilus::schedule {

/// The state of a kernel in math form (each statement a root without loops) or in loop form (one
/// root per grid). Loop form that materialisation never writes is a located error.
FailureOr<State> readState(scalar::KernelOp kernel);

/// Subscript `expr` when it is one bare axis: the position of that axis.
std::optional<unsigned> getBareAxis(AffineExpr expr);

} // namespace mlir::nautilus::schedule

#endif

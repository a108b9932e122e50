// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is true of every state. Primitives propose a state and ask here whether it is legal, so the
// rules stand in one place; the comments of the rules name the invariants R1-R10 of the block
// graph.

#ifndef NAUTILUS_SCHEDULE_INVARIANTS_H
#define NAUTILUS_SCHEDULE_INVARIANTS_H

#include "nautilus/Schedule/Reason.h"
#include "nautilus/Schedule/State.h"

namespace mlir::nautilus::schedule {

/// The first broken invariant in execution order, or yes.
Verdict checkInvariants(const State &state);

} // namespace mlir::nautilus::schedule

#endif

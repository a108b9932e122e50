// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedule state to loop form: the inverse of ReadState.h.

#ifndef NAUTILUS_SCHEDULE_MATERIALIZE_H
#define NAUTILUS_SCHEDULE_MATERIALIZE_H

#include "nautilus/Schedule/State.h"

namespace mlir::nautilus::schedule {

/// Marks a `nautilus_scalar.for` that runs over the part of a split range where all masks hold.
inline constexpr llvm::StringLiteral kBareAttrName = "nautilus_scalar.bare";

/// On a `nautilus_scalar.for` over one part of a range: the name of the grid axis over parts.
inline constexpr llvm::StringLiteral kPartAttrName = "nautilus_scalar.part";

/// Replaces the body of `kernel`, from which `state` was read, by the state's loop form: one
/// `nautilus_scalar.grid` per root. The state must be legal (Invariants.h) and complete: loops over
/// parallel axes bound, sizes selected, axes without a loop static. What is missing is an error at
/// the statement, and the kernel stays as it was.
LogicalResult materialize(const State &state, scalar::KernelOp kernel);

} // namespace mlir::nautilus::schedule

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which selects are masks of an axis: shared by the search for masks and by the proof that masked
// iterations are idle.

#ifndef NAUTILUS_LIB_SCHEDULE_MASKCONDITIONS_H
#define NAUTILUS_LIB_SCHEDULE_MASKCONDITIONS_H

#include "nautilus/Schedule/State.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::nautilus::schedule {

/// The comparisons that all hold when `condition` does.
void collectConjuncts(Value condition, SmallVectorImpl<arith::CmpIOp> &out);

/// True if the condition of `select` has an affine comparison on `axis`.
bool isMaskedBy(const Statement &statement, arith::SelectOp select, unsigned axis);

} // namespace mlir::nautilus::schedule

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which reductions are products of two tensors, told from their axes alone: tensor cores work on
// these, so their tiles follow other rules than those of a plain reduction.

#ifndef NAUTILUS_SCHEDULE_CONTRACTION_H
#define NAUTILUS_SCHEDULE_CONTRACTION_H

#include "nautilus/Schedule/State.h"

namespace mlir::nautilus::schedule {

/// The axes of a contraction by position in the statement: `rows` is walked by one operand alone,
/// `columns` by the other alone, `depth` by both and summed.
struct Contraction {
  unsigned rows, columns, depth;
};

/// A reduction of which two reads share a reduction axis and each has a parallel axis of its own.
/// Of several candidates the innermost axes are taken.
std::optional<Contraction> findContraction(const Statement &statement);

} // namespace mlir::nautilus::schedule

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The monoids of floats on numbers: identities, combination, order. Private to the solver.

#ifndef NAUTILUS_LIB_SCHEDULE_SOLVER_REDUCERS_H
#define NAUTILUS_LIB_SCHEDULE_SOLVER_REDUCERS_H

#include "nautilus/Interfaces/Combiner.h"

#include <cmath>
#include <limits>

namespace mlir::nautilus::schedule {

inline bool isMax(CombinerKind kind) {
  return kind == CombinerKind::Max || kind == CombinerKind::MaxNum;
}
inline bool isMin(CombinerKind kind) {
  return kind == CombinerKind::Min || kind == CombinerKind::MinNum;
}
inline bool isExtreme(CombinerKind kind) { return isMax(kind) || isMin(kind); }

inline double getIdentityOf(CombinerKind kind) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isExtreme(kind))
    return isMax(kind) ? -infinity : infinity;
  return kind == CombinerKind::Mul ? 1 : 0;
}

/// `kind` is Add, Mul or an extreme.
inline double combineNumbers(CombinerKind kind, double a, double b) {
  if (kind == CombinerKind::Add)
    return a + b;
  if (kind == CombinerKind::Mul)
    return a * b;
  bool propagatesNaN = kind == CombinerKind::Max || kind == CombinerKind::Min;
  if (propagatesNaN && (std::isnan(a) || std::isnan(b)))
    return std::nan("");
  return isMax(kind) ? std::fmax(a, b) : std::fmin(a, b);
}

} // namespace mlir::nautilus::schedule

#endif

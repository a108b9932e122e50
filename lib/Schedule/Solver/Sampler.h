// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random values of leaves that respect what is known of them. Seeded, so that every run of the
// solver gives the same answer. Private to the solver.

#ifndef NAUTILUS_LIB_SCHEDULE_SOLVER_SAMPLER_H
#define NAUTILUS_LIB_SCHEDULE_SOLVER_SAMPLER_H

#include "nautilus/Schedule/Expr.h"

#include <cmath>
#include <random>

namespace mlir::nautilus::schedule {

class Sampler {
public:
  Sampler(ExprContext &context, unsigned seed) : context(context), random(seed) {}
  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(random);
  }
  unsigned below(unsigned n) { return random() % n; }
  /// A value allowed by what is known of `leaf`, of magnitude `scale` around `offset`.
  ScalarValue sample(Expr leaf, double offset = 0, double scale = 2) {
    if (!isFloat(leaf->getType()))
      return {0, leaf->getType() == ScalarType::I1 ? int64_t(below(2)) : int64_t(below(8))};
    Interval range = context.getRange(leaf);
    double value = offset + uniform(-scale, scale);
    if (range.lo >= 0)
      value = std::fabs(value) + 0.25;
    else if (range.hi <= 0)
      value = -std::fabs(value) - 0.25;
    double limit = getLargest(leaf->getType());
    return {std::fmin(std::fmax(value, std::fmax(range.lo, -limit)), std::fmin(range.hi, limit)),
            0};
  }

private:
  ExprContext &context;
  std::mt19937_64 random;
};

} // namespace mlir::nautilus::schedule

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labelled families of tile algebra as patterns. Passes.td says what each family does, its
// numeric class and what it refuses. Each pattern adds one to `count` when it applies.

#ifndef NAUTILUS_DIALECT_VRTILE_TRANSFORMS_PATTERNS_H
#define NAUTILUS_DIALECT_VRTILE_TRANSFORMS_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "nautilus/Dialect/VRTile/Transforms/Numerics.h"

namespace mlir::nautilus::vrtile {

/// Exact. Elementwise work before broadcasts and transposes; transposes into products.
void populateNarrowTilesPatterns(RewritePatternSet &patterns, unsigned &count);

/// Exact. Constant positive scales out of masks, maxima and minima.
void populateFactorScalesPatterns(RewritePatternSet &patterns, unsigned &count);

/// Algebraic. exp(x) as exp2(x * log2(e)), with the constant folded into what is there.
void populateExpToExp2Patterns(RewritePatternSet &patterns, unsigned &count);

/// Algebraic. One mask before an exponential instead of several after it.
void populateReuseMasksPatterns(RewritePatternSet &patterns, unsigned &count);

/// Algebraic, and approved where a rounding to a type of smaller range lies between. Divisors that
/// a sum does not see leave the sum, and the loop.
void populateDelayDivisionPatterns(RewritePatternSet &patterns, NumericPolicy policy,
                                   unsigned &count);

/// Algebraic. Factors that cancel from one iteration to the next leave the loop.
void populateTelescopePatterns(RewritePatternSet &patterns, unsigned &count);

/// Algebraic. x / broadcast(y) as x * broadcast(1 / y).
void populateReciprocalPatterns(RewritePatternSet &patterns, unsigned &count);

/// Algebraic. A product and a sum as one fused multiply-add.
void populateFormFMAPatterns(RewritePatternSet &patterns, unsigned &count);

} // namespace mlir::nautilus::vrtile

#endif

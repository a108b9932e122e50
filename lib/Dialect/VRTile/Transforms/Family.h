// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes of one family of patterns share: the policy, the driver, the remark when the
// policy forbids the family.

#ifndef NAUTILUS_LIB_DIALECT_VRTILE_TRANSFORMS_FAMILY_H
#define NAUTILUS_LIB_DIALECT_VRTILE_TRANSFORMS_FAMILY_H

#include "mlir/IR/PatternMatch.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include "nautilus/Dialect/VRTile/Transforms/Numerics.h"

namespace mlir::nautilus::vrtile {

/// A missed remark of category Algebra at `loc`.
void remarkMissed(Location loc, StringRef name, const Twine &reason);

/// True if the policy allows the class. Otherwise one missed remark, at the first op of the kernel
/// that `isCandidate` accepts.
bool isFamilyAllowed(KernelOp kernel, StringRef name, NumericClass numericClass,
                     NumericPolicy policy, llvm::function_ref<bool(Operation *)> isCandidate);

/// Applies the patterns that `populate` adds until none applies.
LogicalResult applyFamily(KernelOp kernel, llvm::function_ref<void(RewritePatternSet &)> populate);

/// A pattern that counts.
template <typename Op> struct CountedPattern : OpRewritePattern<Op> {
  CountedPattern(MLIRContext *context, unsigned &count)
      : OpRewritePattern<Op>(context), count(count) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (failed(rewrite(op, rewriter)))
      return failure();
    ++count;
    return success();
  }
  virtual LogicalResult rewrite(Op op, PatternRewriter &rewriter) const = 0;

private:
  unsigned &count;
};

} // namespace mlir::nautilus::vrtile

#endif

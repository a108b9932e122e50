// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Policy, driver and remarks of the pattern families; see the header.

#include "Family.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::nautilus;

void vrtile::remarkMissed(Location loc, StringRef name, const Twine &reason) {
  remark::missed(loc, remark::RemarkOpts::name(name).category("Algebra")) << reason.str();
}

bool vrtile::isFamilyAllowed(KernelOp kernel, StringRef name, NumericClass numericClass,
                             NumericPolicy policy,
                             llvm::function_ref<bool(Operation *)> isCandidate) {
  if (isAllowed(numericClass, policy))
    return true;
  kernel.walk([&](Operation *op) {
    if (!isCandidate(op))
      return WalkResult::advance();
    bool isApproved = numericClass == NumericClass::Approved;
    remarkMissed(op->getLoc(), name,
                 "not tried: the rewrite is " + Twine(isApproved ? "approved" : "algebraic") +
                     ", which the numeric policy does not allow");
    return WalkResult::interrupt();
  });
  return false;
}

LogicalResult vrtile::applyFamily(KernelOp kernel,
                                  llvm::function_ref<void(RewritePatternSet &)> populate) {
  RewritePatternSet patterns(kernel.getContext());
  populate(patterns);
  return applyPatternsGreedily(kernel, std::move(patterns));
}

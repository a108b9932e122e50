// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops run over the iterations only in which some mask is true somewhere: where a mask that is
// linear in the induction variable is false everywhere, and the iteration then changes nothing, the
// loop's range ends.

#include "DeadIteration.h"
#include "Family.h"
#include "IndexForms.h"
#include "Splat.h"

#include "nautilus/Dialect/VRTile/Transforms/Passes.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_DROPDEADITERATIONSPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

/// True if all terms but the induction variable are known before the loop.
static bool isInvariantBesides(const LinearForm &form, scf::ForOp loop) {
  return llvm::all_of(form.terms, [&](const auto &term) {
    return term.first == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(term.first);
  });
}

static LinearForm withoutVariable(LinearForm form, scf::ForOp loop) {
  form.terms.erase(loop.getInductionVar());
  return form;
}

/// lower + step * floor(max(x, 0) / step), for a form x of distances from lower.
static Value buildStepped(OpBuilder &b, scf::ForOp loop, const LinearForm &distance) {
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value clamped = arith::MaxSIOp::create(b, loc, buildIndexForm(b, loc, distance), zero);
  Value count = arith::DivSIOp::create(b, loc, clamped, loop.getStep());
  Value offset = arith::MulIOp::create(b, loc, count, loop.getStep());
  return arith::AddIOp::create(b, loc, loop.getLowerBound(), offset);
}

/// Cuts the loop's range to where `condition` may hold somewhere; false if it is not linear enough,
/// or if the range is proven to lie there.
static bool cutRange(scf::ForOp loop, const LinearForm &condition, ArrayRef<int64_t> shape) {
  int64_t coefficient = condition.getCoefficient(loop.getInductionVar());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (std::abs(coefficient) != 1 || !step || !isInvariantBesides(condition, loop))
    return false;
  LinearForm greatest = getExtreme(condition, shape, /*greatest=*/true);
  if (isProvenNonNegative(greatest))
    return false;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  LinearForm rest = withoutVariable(greatest, loop);
  if (coefficient < 0) { // iv <= rest
    rest.constant += 1;
    Value end = buildIndexForm(b, loc, rest);
    loop.setUpperBound(arith::MinSIOp::create(b, loc, loop.getUpperBound(), end));
    return true;
  }
  // iv >= -rest
  LinearForm distance;
  distance.add(rest, -1);
  distance.add(getIndexForm(loop.getLowerBound()), -1);
  distance.constant += *step - 1;
  loop.setLowerBound(buildStepped(b, loop, distance));
  return true;
}

namespace {
struct DropDeadIterations : vrtile::impl::DropDeadIterationsPassBase<DropDeadIterations> {
  using DropDeadIterationsPassBase::DropDeadIterationsPassBase;
  void runOnOperation() override {
    auto hasMask = [](Operation *op) {
      auto mask = dyn_cast<arith::CmpIOp>(op);
      return mask && isa<scf::ForOp>(op->getParentOp()) && getMaskForm(mask).has_value();
    };
    if (!isFamilyAllowed(getOperation(), "DropDeadIterations", NumericClass::Algebraic, numerics,
                         hasMask))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      cutLoop(loop);
  }

  void cutLoop(scf::ForOp loop) {
    if (loop.getNumRegionIterArgs() == 0)
      return;
    for (auto mask : loop.getBody()->getOps<arith::CmpIOp>()) {
      std::optional<MaskForm> form = getMaskForm(mask);
      if (!form || llvm::none_of(form->conditions, [&](const LinearForm &condition) {
            return condition.getCoefficient(loop.getInductionVar()) != 0;
          }))
        continue;
      if (!isIdentityWithoutMask(loop, mask)) {
        remarkMissed(
            mask.getLoc(), "DropDeadIterations",
            "iterations stay where the mask is false everywhere: expected that they change "
            "no carried value");
        continue;
      }
      for (const LinearForm &condition : form->conditions)
        numRewrites += cutRange(loop, condition, form->shape);
    }
  }
};
} // namespace

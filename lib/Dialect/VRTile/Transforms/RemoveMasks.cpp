// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks and bounds that hold for every element of every iteration go: ranges of origins and loops
// prove them.

#include "Family.h"
#include "IndexForms.h"
#include "Splat.h"

#include "nautilus/Dialect/VRTile/Transforms/Passes.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_REMOVEMASKSPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

/// The one value of a mask, if it has one everywhere.
static std::optional<bool> proveMask(arith::CmpIOp op) {
  std::optional<MaskForm> mask = getMaskForm(op);
  if (!mask)
    return std::nullopt;
  bool always = true;
  for (const LinearForm &condition : mask->conditions) {
    always = always && isProvenNonNegative(condition, mask->shape);
    // Below zero at its greatest: nowhere true.
    LinearForm negated;
    negated.add(getExtreme(condition, mask->shape, /*greatest=*/true), -1);
    negated.constant -= 1;
    if (isProvenNonNegative(negated))
      return false;
  }
  return always ? std::optional<bool>(true) : std::nullopt;
}

/// Marks the bounds of a load or store that are proven inside; the number of these.
template <typename Access> static unsigned removeBounds(Access op, RankedTensorType tile) {
  SmallVector<int64_t> statics(op.getStaticBounds());
  SmallVector<Value> kept;
  unsigned next = 0, removed = 0;
  for (auto [dim, bound] : llvm::enumerate(statics)) {
    if (bound == -1)
      continue;
    LinearForm extent;
    Value operand;
    if (ShapedType::isDynamic(bound)) {
      operand = op.getBounds()[next++];
      extent = getIndexForm(operand);
    } else {
      extent.constant = bound;
    }
    LinearForm start = getIndexForm(op.getIndices()[op.getWalk()[dim]]), rest = extent;
    rest.add(start, -1);
    rest.constant -= tile.getDimSize(dim);
    if (isProvenNonNegative(start) && isProvenNonNegative(rest)) {
      bound = -1;
      ++removed;
    } else if (operand) {
      kept.push_back(operand);
    }
  }
  if (removed) {
    op.setStaticBounds(statics);
    op.getBoundsMutable().assign(kept);
  }
  return removed;
}

namespace {
struct RemoveMasks : vrtile::impl::RemoveMasksPassBase<RemoveMasks> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op))
        numBounds += removeBounds(load, getTileType(load.getResult()));
      else if (auto store = dyn_cast<StoreOp>(op))
        numBounds += removeBounds(store, getTileType(store.getValue()));
      else if (auto mask = dyn_cast<arith::CmpIOp>(op); mask && getTileType(mask.getResult()))
        removeMask(mask);
    });
  }

  void removeMask(arith::CmpIOp mask) {
    std::optional<bool> value = proveMask(mask);
    if (!value) {
      if (getMaskForm(mask))
        remarkMissed(mask.getLoc(), "RemoveMask",
                     "the mask stays: expected one value for all elements of all iterations");
      return;
    }
    OpBuilder b(mask);
    auto constant = DenseElementsAttr::get(getTileType(mask.getResult()), *value);
    mask.replaceAllUsesWith(arith::ConstantOp::create(b, mask.getLoc(), constant).getResult());
    mask.erase();
    ++numRewrites;
  }
};
} // namespace

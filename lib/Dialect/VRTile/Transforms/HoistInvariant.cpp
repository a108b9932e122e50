// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop-invariant code motion that knows that a kernel's loads see no store of its own unless the
// loop has one.

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "nautilus/Dialect/VRTile/Transforms/Passes.h"

namespace mlir::nautilus::vrtile {
#define GEN_PASS_DEF_HOISTINVARIANTPASS
#include "nautilus/Dialect/VRTile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::vrtile

using namespace mlir;
using namespace mlir::nautilus;

namespace {
struct HoistInvariant : vrtile::impl::HoistInvariantPassBase<HoistInvariant> {
  void runOnOperation() override {
    // Innermost loops first, so that what leaves one may leave the next.
    getOperation()->walk<WalkOrder::PostOrder>([&](scf::ForOp loop) {
      bool stores =
          loop.walk([](vrtile::StoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
      numHoisted += moveLoopInvariantCode(
          {&loop.getRegion()},
          [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [&](Operation *op, Region *) {
            return (isa<vrtile::LoadOp>(op) && !stores) ||
                   (isMemoryEffectFree(op) && isSpeculatable(op));
          },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};
} // namespace

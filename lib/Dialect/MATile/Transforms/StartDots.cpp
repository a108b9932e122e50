// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes tensor core products apart into a start and a wait, so that other work may stand between.
//
// Stands after channels are made, since what a product in flight reads must be known to stay: slots
// of channels do, until they are released.

#include "PendingGroups.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_STARTDOTSPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

/// Whether every operand in shared memory is a slot of a channel.
static bool readsSlotsOnly(DotOp dot) {
  return llvm::all_of(ValueRange{dot.getLhs(), dot.getRhs()}, [](Value operand) {
    return !isa<BufferType>(operand.getType()) || operand.getDefiningOp<GetOp>();
  });
}

/// Whether `release` gives back a slot that `start` reads.
static bool releasesOperand(ReleaseOp release, StartDotOp start) {
  return llvm::any_of(ValueRange{start.getLhs(), start.getRhs()}, [&](Value operand) {
    auto get = operand.getDefiningOp<GetOp>();
    return get && get.getChannel() == release.getChannel() && get.getCount() == release.getCount();
  });
}

/// The first op behind `start` in its block that may not run while the product is in flight.
static Operation *getFirstObstacle(StartDotOp start) {
  Operation *op = start->getNextNode();
  for (; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
    if (auto release = dyn_cast<ReleaseOp>(op); release && releasesOperand(release, start))
      break;
    bool uses =
        llvm::any_of(start->getUsers(), [&](Operation *user) { return op->isAncestor(user); });
    if (uses)
      break;
  }
  return op;
}

static void startDot(DotOp dot) {
  OpBuilder b(dot);
  auto start = StartDotOp::create(b, dot.getLoc(), dot.getType(), dot.getLhs(), dot.getRhs(),
                                  dot.getAcc(), dot.getTransposeLhs(), dot.getTransposeRhs());
  dot.replaceAllUsesWith(start.getResult());
  dot.erase();
  b.setInsertionPoint(getFirstObstacle(start));
  auto wait = WaitDotOp::create(b, start.getLoc(), start.getType(), start.getResult(),
                                /*pending=*/int64_t(0));
  start.getResult().replaceAllUsesExcept(wait.getResult(), wait);
}

namespace {
struct StartDots : matile::impl::StartDotsPassBase<StartDots> {
  using StartDotsPassBase::StartDotsPassBase;

  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      if (dot.getKind() == DotKind::Wgmma)
        dots.push_back(dot);
    });
    for (DotOp dot : dots) {
      if (!readsSlotsOnly(dot)) {
        remark::missed(dot.getLoc(), remark::RemarkOpts::name("StartDots").category("Pipelining"))
            << "the product is waited for in place: its operands are not slots of channels";
        continue;
      }
      startDot(dot);
      ++numStarted;
    }
    setPendingGroups(getOperation());
  }
};
} // namespace

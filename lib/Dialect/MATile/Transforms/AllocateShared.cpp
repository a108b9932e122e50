// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out the dynamic shared memory of a kernel: swizzled slots first (they want 1024-byte
// starts), then plain buffers, one scratch region for everything that is fenced by barriers, and
// the mbarriers.

#include "mlir/IR/Builders.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_ALLOCATESHAREDPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;
using ::nautilus::layout::ConversionPlan;

/// Bytes of scratch that a layout conversion needs.
static int64_t getScratch(ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType()),
       to = cast<RankedTensorType>(op.getType());
  if (::nautilus::layout::planConversion(getLayout(from), getLayout(to)).kind !=
      ConversionPlan::Kind::Shared)
    return 0;
  return from.getNumElements() * getElementBytes(from.getElementType());
}

/// Bytes of scratch that a reduction needs: none unless several warps hold parts of one result.
static int64_t getScratch(ReduceOp op, int64_t warps) {
  auto layout = getLayout(cast<RankedTensorType>(op.getInputs()[0].getType()));
  bool across =
      llvm::any_of(layout.warpBases(), [&](const auto &basis) { return basis[op.getDim()] != 0; });
  return across ? 8 * 32 * warps * int64_t(op.getInputs().size()) *
                      layout.dropDim(op.getDim()).numRegisters()
                : 0;
}

namespace {
struct AllocateShared : matile::impl::AllocateSharedPassBase<AllocateShared> {
  using AllocateSharedPassBase::AllocateSharedPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Builder b(kernel.getContext());
    int64_t used = 0, scratch = 0;
    auto take = [&](int64_t bytes, int64_t alignment) {
      int64_t offset = llvm::alignTo(used, alignment);
      used = offset + bytes;
      return b.getI64IntegerAttr(offset);
    };
    kernel.walk([&](CreateChannelOp op) {
      auto channel = cast<ChannelType>(op.getChannel().getType());
      op.setOffsetAttr(take(channel.getSlots() * channel.getBuffer().getSizeInBytes(), 1024));
    });
    kernel.walk([&](AllocOp op) {
      op.setOffsetAttr(take(op.getBuffer().getType().getSizeInBytes(),
                            op.getBuffer().getType().getSwizzle() ? 1024 : 16));
    });
    kernel.walk([&](ConvertLayoutOp op) { scratch = std::max(scratch, getScratch(op)); });
    kernel.walk(
        [&](ReduceOp op) { scratch = std::max(scratch, getScratch(op, kernel.getWarps())); });
    IntegerAttr scratchOffset = take(scratch, 16);
    kernel.walk([&](ConvertLayoutOp op) {
      if (getScratch(op))
        op.setOffsetAttr(scratchOffset);
    });
    kernel.walk([&](ReduceOp op) {
      if (getScratch(op, kernel.getWarps()))
        op.setOffsetAttr(scratchOffset);
    });
    kernel.walk([&](CreateChannelOp op) {
      op.setBarriersAttr(take(16 * cast<ChannelType>(op.getChannel().getType()).getSlots(), 8));
    });
    if (used > limit) {
      kernel.emitError("expected at most ")
          << int64_t(limit) << " bytes of shared memory, the tiles of this kernel take " << used;
      return signalPassFailure();
    }
    kernel.setSharedBytesAttr(b.getI64IntegerAttr(used));
    numBytes += used;
  }
};
} // namespace

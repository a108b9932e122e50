// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out the dynamic shared memory of a kernel: swizzled slots first (they want 1024-byte
// starts), then plain buffers, one scratch region for everything that is fenced by barriers, and
// the mbarriers.

#include "SharedMemory.h"
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

namespace {
struct AllocateShared : matile::impl::AllocateSharedPassBase<AllocateShared> {
  using AllocateSharedPassBase::AllocateSharedPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Builder b(kernel.getContext());
    int64_t used = 0;
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
    IntegerAttr scratchOffset = take(getScratch(kernel), 16);
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

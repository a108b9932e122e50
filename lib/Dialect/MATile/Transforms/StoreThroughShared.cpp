// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets result tiles leave through shared memory, where TMA takes them.
//
// Stands after loops are pipelined, when it is known which slots are free at the end, and before
// shared memory is laid out.

#include "SharedMemory.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_STORETHROUGHSHAREDPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

namespace {
/// A slot whose tile nobody reads any more where the store stands, with its release.
struct FreeSlot {
  GetOp get;
  ReleaseOp release;
};
} // namespace

static BufferType getBufferType(StoreOp store) {
  auto tile = cast<RankedTensorType>(store.getValue().getType());
  return BufferType::get(store.getContext(), tile.getShape(), tile.getElementType(),
                         *store.getSwizzle());
}

/// A slot of that type that the block of `store` gets and has released before it: the release can
/// wait until the tile has left.
static std::optional<FreeSlot> findFreeSlot(StoreOp store) {
  Block &block = *store->getBlock();
  for (auto release : block.getOps<ReleaseOp>()) {
    if (!release->isBeforeInBlock(store))
      continue;
    for (auto get : block.getOps<GetOp>())
      if (get.getChannel() == release.getChannel() && get.getCount() == release.getCount() &&
          get.getType() == getBufferType(store))
        return FreeSlot{get, release};
  }
  return std::nullopt;
}

/// Bytes of shared memory that channels, buffers and scratch take.
static int64_t getShared(KernelOp kernel) {
  int64_t bytes = getSharedBesidesChannels(kernel);
  kernel.walk([&](CreateChannelOp create) {
    auto channel = cast<ChannelType>(create.getChannel().getType());
    bytes += channel.getSlots() * (llvm::alignTo(channel.getBuffer().getSizeInBytes(), 1024) + 16);
  });
  return bytes;
}

/// Puts the tile into `buffer` and lets TMA take it from there.
static CopyOutOp copyOut(OpBuilder &b, StoreOp store, Value buffer) {
  Location loc = store.getLoc();
  WriteOp::create(b, loc, store.getValue(), buffer);
  return CopyOutOp::create(b, loc, buffer, store.getDest(), store.getIndices(), store.getWalk(),
                           store.getStaticBounds(), store.getBounds(), store.getMap());
}

namespace {
struct StoreThroughShared : matile::impl::StoreThroughSharedPassBase<StoreThroughShared> {
  using StoreThroughSharedPassBase::StoreThroughSharedPassBase;

  void runOnOperation() override {
    SmallVector<StoreOp> stores;
    getOperation().walk([&](StoreOp store) {
      if (store.getMap())
        stores.push_back(store);
    });
    for (StoreOp store : stores) {
      OpBuilder b(store);
      auto options = remark::RemarkOpts::name("StoreThroughShared").category("TMA");
      if (std::optional<FreeSlot> slot = findFreeSlot(store)) {
        CopyOutOp copy = copyOut(b, store, slot->get.getBuffer());
        slot->release->moveAfter(copy);
        remark::passed(store.getLoc(), options) << "the tile leaves through an operand's slot";
      } else if (getShared(getOperation()) + getBufferType(store).getSizeInBytes() <= limit) {
        Value buffer =
            AllocOp::create(b, store.getLoc(), getBufferType(store), IntegerAttr()).getBuffer();
        copyOut(b, store, buffer);
        remark::passed(store.getLoc(), options) << "the tile leaves through a buffer of its own";
      } else {
        remark::missed(store.getLoc(), options)
            << "threads store the tile: shared memory has no room for it";
        continue;
      }
      store.erase();
      ++numCopied;
    }
  }
};
} // namespace

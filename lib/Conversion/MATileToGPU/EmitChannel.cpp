// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels: mbarriers, TMA copies, and the waits and arrivals around them.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::nautilus;

void KernelEmitter::initChannels() {
  SmallVector<matile::CreateChannelOp> creates(kernel.getBody().getOps<matile::CreateChannelOp>());
  if (creates.empty())
    return;
  for (matile::CreateChannelOp create : creates) {
    auto type = cast<matile::ChannelType>(create.getChannel().getType());
    channels[create.getChannel()] = {type.getSlots(), int64_t(*create.getOffset()),
                                     int64_t(*create.getBarriers()), type.getBuffer()};
  }
  Value thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, i32(0));
  auto init = scf::IfOp::create(b, loc, TypeRange(), isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(init.thenBlock());
    for (matile::CreateChannelOp create : creates) {
      const Channel &channel = channels[create.getChannel()];
      for (int64_t slot = 0; slot < channel.slots; ++slot)
        for (bool full :
             {true, false}) // one arrival fills a slot, one of each computing warp empties it
          ptx("mbarrier.init.shared::cta.b64 [$0], " +
                  std::to_string(full ? 1 : kernel.getWarps()) + ";",
              "r", {barrier(channel, i32(slot), full)});
    }
    ptx("fence.mbarrier_init.release.cluster;", "", {});
  }
  NVVM::Barrier0Op::create(b, loc);
}

KernelEmitter::Slot KernelEmitter::slotOf(const Channel &channel, Value count) {
  if (channel.slots == 1)
    return {i32(0), arith::AndIOp::create(b, loc, count, i32(1))};
  Value slots = i32(channel.slots);
  Value round = arith::DivUIOp::create(b, loc, count, slots);
  return {arith::RemUIOp::create(b, loc, count, slots),
          arith::AndIOp::create(b, loc, round, i32(1))};
}

Value KernelEmitter::barrier(const Channel &channel, Value slot, bool full) {
  int64_t first = channel.barriers + (full ? 0 : 8 * channel.slots);
  return add(add(sharedBase(), i32(first)), mul(slot, i32(8)));
}

void KernelEmitter::waitBarrier(Value address, Value parity) {
  // The loop stands inside one statement: ptxas then sees a real block boundary, and nothing is
  // moved across it.
  ptx("{ .reg .pred done; wait_${:uid}: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; "
      "@!done bra wait_${:uid}; }",
      "r,r,~{memory}", {address, parity});
}

LogicalResult KernelEmitter::emitPut(matile::PutOp op) {
  if (!op.getMap())
    return op.emitError(
        "expected a tensor map: copies by threads are made before kernels are emitted");
  const Channel channel = channels[op.getChannel()];
  Slot slot = slotOf(channel, reg(op.getCount()));
  // A fresh slot counts as emptied in the phase before the first.
  waitBarrier(barrier(channel, slot.index, /*full=*/false),
              arith::XOrIOp::create(b, loc, slot.phase, i32(1)));
  Value full = barrier(channel, slot.index, /*full=*/true);
  matile::BufferType buffer = channel.buffer;
  int64_t size = buffer.getSizeInBytes();
  ptx("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " + std::to_string(size) + ";",
      "r,~{memory}", {full});
  Value destination = add(add(sharedBase(), i32(channel.offset)), mul(slot.index, i32(size)));
  unsigned rank = op.getIndices().size();
  int64_t slabs = buffer.getNumSlabs();
  for (int64_t slab = 0; slab < slabs; ++slab) {
    SmallVector<Value> operands{add(destination, i32(slab * buffer.getSlabStride())),
                                reg(op.getMap()), full};
    std::string coordinates, constraints = "r,l,r";
    for (unsigned dim = 0; dim < rank; ++dim) { // innermost first
      Value index = reg(op.getIndices()[rank - 1 - dim]);
      operands.push_back(dim == 0 ? add(index, i32(slab * buffer.getSlabColumns())) : index);
      coordinates += (dim ? ", $" : "$") + std::to_string(3 + dim);
      constraints += ",r";
    }
    ptx("cp.async.bulk.tensor." + std::to_string(rank) +
            "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {" +
            coordinates + "}], [$2];",
        constraints + ",~{memory}", operands);
  }
  return success();
}

LogicalResult KernelEmitter::emitGet(matile::GetOp op) {
  const Channel channel = channels[op.getChannel()];
  Slot slot = slotOf(channel, reg(op.getCount()));
  waitBarrier(barrier(channel, slot.index, /*full=*/true), slot.phase);
  set(op.getBuffer(), add(add(sharedBase(), i32(channel.offset)),
                          mul(slot.index, i32(channel.buffer.getSizeInBytes()))));
  return success();
}

LogicalResult KernelEmitter::emitRelease(matile::ReleaseOp op) {
  const Channel channel = channels[op.getChannel()];
  Slot slot = slotOf(channel, reg(op.getCount()));
  // Every lane has read before lane 0 speaks for the warp.
  ptx("bar.warp.sync -1;", "~{memory}", {});
  ptx("{ .reg .pred first; setp.eq.u32 first, $1, 0; @first "
      "mbarrier.arrive.release.cta.shared::cta.b64 _, [$0]; }",
      "r,r,~{memory}", {barrier(channel, slot.index, /*full=*/false), laneId()});
  return success();
}

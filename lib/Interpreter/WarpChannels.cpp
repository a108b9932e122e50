// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels of a simulated block: rings of slots with mbarriers that are waited for by parity, as on
// the device. What parity cannot tell (a barrier that is two phases away) is reported.

#include "WarpInterpreter.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

LogicalResult WarpInterpreter::meet(Operation *op) {
  if (warp == producer)
    return op->emitError("the computing warps meet here, outside of their part of the kernel");
  int64_t meeting = block->meetings;
  if (++block->arrived == block->numWarps) {
    block->arrived = 0;
    ++block->meetings;
  }
  switch (block->tasks.wait([&] { return block->meetings != meeting; })) {
  case Tasks::Wait::Ready:
    return success();
  case Tasks::Wait::Deadlock:
    return op->emitError("deadlock: warp ")
           << warp << " waits for the other warps, which never come";
  case Tasks::Wait::Stopped:
    return failure();
  }
  return failure();
}

/// Waits for the end of the barrier's phase number `round` (from 0; -1 is over from the start).
LogicalResult WarpInterpreter::waitBarrier(Operation *op, int64_t address, int64_t round,
                                           const Twine &what) {
  Barrier &barrier = block->barriers[address];
  switch (block->tasks.wait([&] { return barrier.hasEnded(round & 1); })) {
  case Tasks::Wait::Ready:
    break;
  case Tasks::Wait::Deadlock:
    return op->emitError("deadlock: ") << what;
  case Tasks::Wait::Stopped:
    return failure();
  }
  if (barrier.phases != round + 1)
    return op->emitError("phase error: the barrier has ended ")
           << barrier.phases << " phases where " << round + 1 << " are waited for";
  return success();
}

LogicalResult WarpInterpreter::runPut(matile::PutOp op) {
  if (!op.getMap())
    return op.emitError("expected a tensor map: threads do not copy into channels");
  Channel &channel = block->channels.find(op.getChannel())->second;
  std::shared_ptr<const TensorMap> map = value(op.getMap()).map;
  matile::BufferType buffer = channel.buffer;
  int64_t rows = 1;
  for (int64_t extent : ArrayRef(map->box).drop_front())
    rows *= extent;
  if (map->swizzle != buffer.getSwizzle() || map->box[0] != buffer.getSlabColumns() ||
      rows != buffer.getSharedLayout().rows() || map->dims.size() != op.getIndices().size() ||
      map->storage->kind != *getElementKind(buffer.getElementType()))
    return op.emitError("expected a tensor map whose box is a slab of ") << buffer;
  int64_t count = integer(op.getCount()), slot = count % channel.slots,
          round = count / channel.slots;
  if (failed(waitBarrier(op, channel.empty(slot), round - 1,
                         "put " + Twine(count) + " waits for a release that never comes")))
    return failure();
  int64_t destination = channel.addressOf(slot);
  if (destination % std::max<int64_t>(128, 8 * map->swizzle))
    return op.emitError("expected a slot at a multiple of the swizzle pattern, got ")
           << destination;
  Barrier &full = block->barriers[channel.full(slot)];
  if (full.pending != full.count)
    return op.emitError("slot ") << slot << " is being filled already";
  full.bytes += buffer.getSizeInBytes();
  full.arrive();
  auto meaning = std::make_shared<Tensor>(map->storage->kind, buffer.getShape());
  if (failed(loadTile(op, *value(op.getSource()).memory, accessOf(op), Element{}, *meaning)))
    return failure();
  for (int64_t slab = 0; slab < buffer.getNumSlabs(); ++slab) {
    Transfer transfer{op,
                      map,
                      {},
                      destination + slab * buffer.getSlabStride(),
                      channel.full(slot),
                      meaning,
                      slab * buffer.getSlabColumns()};
    for (Value index : llvm::reverse(op.getIndices()))
      transfer.coordinates.push_back(integer(index));
    transfer.coordinates.front() += transfer.firstColumn;
    block->transfers.push_back(std::move(transfer));
  }
  ++channel.puts;
  return success();
}

LogicalResult WarpInterpreter::runGet(matile::GetOp op) {
  const Channel &channel = block->channels.find(op.getChannel())->second;
  int64_t count = integer(op.getCount()), slot = count % channel.slots;
  if (failed(waitBarrier(op, channel.full(slot), count / channel.slots,
                         "get " + Twine(count) + " waits for a put that never comes")))
    return failure();
  if (!held.try_emplace({op.getChannel(), slot}, count).second)
    return op.emitError("slot ") << slot << " is got again before it has been released";
  ++numGets[op.getChannel()];
  RuntimeValue &buffer = value(op.getBuffer());
  buffer.scalar.i = channel.addressOf(slot);
  buffer.stamp = count;
  return success();
}

LogicalResult WarpInterpreter::runRelease(matile::ReleaseOp op) {
  const Channel &channel = block->channels.find(op.getChannel())->second;
  int64_t count = integer(op.getCount()), slot = count % channel.slots;
  auto it = held.find({op.getChannel(), slot});
  if (it == held.end() || it->second != count)
    return op.emitError("release ") << count << " without the get of that count";
  int64_t begin = channel.addressOf(slot);
  if (block->memory.isInFlight(begin, begin + channel.buffer.getSizeInBytes(), warp))
    return op.emitError("slot ") << slot << " is released while a product in flight reads it";
  held.erase(it);
  block->barriers[channel.empty(slot)].arrive();
  return success();
}

LogicalResult WarpInterpreter::checkHeld(Operation *op, Value buffer) {
  const RuntimeValue &given = value(buffer);
  auto slot = block->findSlot(given.scalar.i);
  if (!slot)
    return success();
  auto it = held.find(*slot);
  if (it == held.end() || it->second != given.stamp)
    return op->emitError("slot ") << slot->second
                                  << " is read after the release of the get that gave the buffer";
  return success();
}

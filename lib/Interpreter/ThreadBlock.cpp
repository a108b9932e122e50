// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory and TMA of a simulated thread block.

#include "ThreadBlock.h"

#include "nautilus/Layout/SharedLayout.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

//===-- Shared memory --------------------------------------------------------===//

LogicalResult SharedMemory::checkAddress(Operation *op, int64_t address, ElementKind kind) {
  int64_t width = bytesOf(kind);
  if (address < 0 || address + width > static_cast<int64_t>(cells.size()))
    return op->emitError("expected an address inside ")
           << cells.size() << " bytes of shared memory, got " << address;
  if (address % width != 0)
    return op->emitError("expected an address in shared memory that is a multiple of ")
           << width << ", got " << address;
  return success();
}

LogicalResult SharedMemory::write(Operation *op, int64_t address, ElementKind kind, Element value,
                                  Accessor who) {
  if (failed(checkAddress(op, address, kind)))
    return failure();
  if (isInFlight(address, address + bytesOf(kind)))
    return op->emitError("byte ") << address
                                  << " of shared memory is written while a product in flight "
                                     "reads it";
  Cell &cell = cells[address];
  bool racesWrite = cell.written && who.meeting == cell.writeMeeting && who.warp != cell.writer &&
                    (cell.kind != kind || cell.value.i != value.i);
  bool racesRead = who.meeting == cell.readMeeting && who.warp != cell.reader;
  if (who.warp != Accessor::tma && (racesWrite || racesRead))
    return op->emitError("byte ") << address << " of shared memory is written by warp " << who.warp
                                  << " and " << (racesWrite ? "written" : "read")
                                  << " by another one without a barrier between them";
  for (int64_t i = 1; i < bytesOf(kind); ++i)
    cells[address + i].written = false;
  cell.value = value;
  cell.kind = kind;
  cell.written = true;
  cell.writer = who.warp;
  cell.writeMeeting = who.warp == Accessor::tma ? -1 : who.meeting;
  return success();
}

LogicalResult SharedMemory::read(Operation *op, int64_t address, ElementKind kind, Element &value,
                                 Accessor who) {
  if (failed(checkAddress(op, address, kind)))
    return failure();
  Cell &cell = cells[address];
  if (!cell.written || cell.kind != kind)
    return op->emitError("byte ") << address << " of shared memory is read as " << stringify(kind)
                                  << ", but "
                                  << (cell.written ? "was written as " : "nobody wrote it")
                                  << (cell.written ? stringify(cell.kind) : "");
  if (cell.writer != who.warp && cell.writeMeeting == who.meeting)
    return op->emitError("byte ") << address << " of shared memory is read by warp " << who.warp
                                  << " and written by another one without a barrier between them";
  // One reader is enough to find a writer of another warp; two are nobody's own.
  cell.reader =
      cell.readMeeting == who.meeting && cell.reader != who.warp ? Accessor::tma : who.warp;
  cell.readMeeting = who.meeting;
  value = cell.value;
  return success();
}

void SharedMemory::complete(int64_t warp, int64_t group) {
  llvm::erase_if(inFlight, [&](const InFlight &r) { return r.warp == warp && r.group <= group; });
}

bool SharedMemory::isInFlight(int64_t begin, int64_t end, std::optional<int64_t> warp) const {
  return llvm::any_of(inFlight, [&](const InFlight &r) {
    return r.begin < end && begin < r.end && (!warp || r.warp == *warp);
  });
}

//===-- The block ------------------------------------------------------------===//

ThreadBlock::ThreadBlock(matile::KernelOp kernel, int64_t numBlocks, int64_t block, uint64_t seed)
    : kernel(kernel), numWarps(kernel.getWarps()), numBlocks(numBlocks), block(block),
      tasks(seed * 1000003 + block), memory(kernel.getSharedBytes().value_or(0)),
      random(seed * 1000033 + block) {}

LogicalResult ThreadBlock::init() {
  for (auto create : kernel.getBody().getOps<matile::CreateChannelOp>()) {
    if (!create.getOffset() || !create.getBarriers())
      return create.emitError("expected shared memory to have been laid out");
    auto type = cast<matile::ChannelType>(create.getChannel().getType());
    Channel channel{type.getSlots(), int64_t(*create.getOffset()), int64_t(*create.getBarriers()),
                    type.getBuffer()};
    for (int64_t slot = 0; slot < channel.slots; ++slot) {
      barriers[channel.full(slot)] = Barrier();
      barriers[channel.empty(slot)] = {numWarps, numWarps};
    }
    channels.insert({create.getChannel(), channel});
  }
  return success();
}

std::optional<std::pair<Value, int64_t>> ThreadBlock::findSlot(int64_t address) {
  for (auto &[value, channel] : channels)
    if (address >= channel.offset && address < channel.addressOf(channel.slots))
      return std::make_pair(value, (address - channel.offset) / channel.buffer.getSizeInBytes());
  return std::nullopt;
}

LogicalResult ThreadBlock::moveTransfer() {
  size_t chosen = random() % transfers.size();
  Transfer transfer = std::move(transfers[chosen]);
  transfers.erase(transfers.begin() + chosen);
  const TensorMap &map = *transfer.map;
  const Tensor &storage = *map.storage, &meaning = *transfer.meaning;
  int64_t width = byteWidth(storage.kind), rowBytes = map.box[0] * width, numElements = 1;
  for (int64_t extent : map.box)
    numElements *= extent;
  for (int64_t i = 0; i < numElements; ++i) {
    int64_t column = i % map.box[0], row = i / map.box[0], rest = i, at = map.offset;
    bool inside = true;
    for (auto [d, extent] : llvm::enumerate(map.box)) {
      int64_t coordinate = transfer.coordinates[d] + rest % extent;
      rest /= extent;
      inside &= coordinate >= 0 && coordinate < map.dims[d];
      at += coordinate * (d == 0 ? 1 : map.strides[d - 1] / width);
    }
    if (inside && (at < 0 || at >= static_cast<int64_t>(storage.data.size())))
      return transfer.op.emitError("the tensor map reaches outside of the tensor");
    Element value = inside ? storage.data[at] : Element{};
    int64_t meant = transfer.firstColumn + column;
    if (meant < meaning.shape[1] && value.i != meaning.data[row * meaning.shape[1] + meant].i)
      return transfer.op.emitError("the tensor map copies something else to [")
             << row << ", " << meant << "] than the bounds of the op mean";
    int64_t address = ::nautilus::layout::swizzleAddress(
        transfer.destination + row * rowBytes + column * width, map.swizzle);
    if (failed(memory.write(transfer.op, address, storage.kind, value, Accessor())))
      return failure();
  }
  barriers[transfer.barrier].completeBytes(numElements * width);
  return success();
}

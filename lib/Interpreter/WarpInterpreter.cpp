// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch as blocks of warps, and the dispatch of a warp's ops.

#include "WarpInterpreter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

Tensor WarpInterpreter::Fragment::make() const {
  Tensor registers(kind, {numRegisters, numLanes});
  registers.fill(poisonOf(kind));
  return registers;
}

const WarpInterpreter::Fragment &WarpInterpreter::fragment(Type type) {
  std::unique_ptr<Fragment> &entry = fragments[type];
  if (entry)
    return *entry;
  auto tile = cast<RankedTensorType>(type);
  ::nautilus::layout::RegisterLayout layout = matile::getLayout(tile);
  int64_t numRegisters = layout.numRegisters();
  entry.reset(new Fragment{layout,
                           *getElementKind(tile.getElementType()),
                           SmallVector<int64_t>(tile.getShape()),
                           numRegisters,
                           {},
                           {}});
  // Bits of the warp's number that the layout has no basis for repeat the data.
  int64_t number = std::max<int64_t>(warp, 0) & ((int64_t(1) << layout.warpBases().size()) - 1);
  for (int64_t reg = 0; reg < numRegisters; ++reg)
    for (int64_t lane = 0; lane < numLanes; ++lane) {
      SmallVector<int64_t> at = layout.coords(reg, lane, number);
      llvm::append_range(entry->coordinates, at);
      entry->inside.push_back(llvm::all_of_zip(
          at, entry->shape, [](int64_t index, int64_t extent) { return index < extent; }));
    }
  return *entry;
}

LogicalResult WarpInterpreter::runOrigin(matile::OriginOp op) {
  SmallVector<int64_t> counts(op.getStaticExtents());
  auto extents = op.getExtents().begin();
  int64_t numTiles = 1;
  for (auto [count, tile] : llvm::zip(counts, op.getTiles())) {
    int64_t extent = ShapedType::isDynamic(count) ? integer(*extents++) : count;
    count = (extent + tile - 1) / tile;
    numTiles *= count;
  }
  if (!op.getBlock() && block->numBlocks != numTiles)
    return op.emitError("expected a launch of ") << numTiles << " blocks, got " << block->numBlocks;
  int64_t number = op.getBlock() ? integer(op.getBlock()) : block->block;
  if (number < 0 || number >= numTiles)
    return op.emitError("expected a block inside [0, ") << numTiles << "), got " << number;
  for (size_t a = counts.size(); a-- > 0;) {
    integer(op.getOrigins()[a]) = number % counts[a] * op.getTiles()[a];
    number /= counts[a];
  }
  return success();
}

std::optional<LogicalResult> WarpInterpreter::runFragmentOp(Operation &op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](matile::ConvertLayoutOp o) { return runConvertLayout(o); })
      .Case([&](matile::ReduceOp o) { return runReduce(o); })
      .Case([&](matile::BroadcastOp o) { return runBroadcast(o); })
      .Case([&](matile::TransposeOp o) {
        RuntimeValue same = value(o.getSource());
        value(o.getResult()) = std::move(same);
        return success();
      })
      .Case([&](matile::IotaOp o) {
        runIota(o);
        return success();
      })
      .Case([&](matile::SplatOp o) {
        Tensor registers = fragment(o.getType()).make();
        registers.fill(value(o.getValue()).scalar);
        setTile(o.getResult(), std::move(registers));
        return success();
      })
      .Case([&](matile::DotOp o) { return runDot(o); })
      .Case([&](matile::StartDotOp o) { return runStartDot(o); })
      .Case([&](matile::WaitDotOp o) { return runWaitDot(o); })
      .Case([&](matile::WaitGroupsOp o) {
        runWaitGroups(o);
        return success();
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<LogicalResult> WarpInterpreter::runLevelOp(Operation &op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](matile::OriginOp o) { return runOrigin(o); })
      .Case([&](matile::BlockOp o) {
        integer(o.getNumber()) = block->block;
        integer(o.getCount()) = block->numBlocks;
        return success();
      })
      .Case([&](matile::LoadOp o) { return runLoad(o); })
      .Case([&](matile::StoreOp o) { return runStore(o); })
      .Case([&](matile::ReadOp o) { return runRead(o); })
      .Case([&](matile::WriteOp o) { return runWrite(o); })
      .Case([&](matile::CopyOutOp o) { return runCopyOut(o); })
      .Case([&](matile::CreateChannelOp) { return success(); })
      .Case([&](matile::PutOp o) { return runPut(o); })
      .Case([&](matile::GetOp o) { return runGet(o); })
      .Case([&](matile::ReleaseOp o) { return runRelease(o); })
      .Case([&](matile::WarpSpecializeOp o) -> LogicalResult {
        Region &role = warp == producer ? o.getProducer() : o.getConsumer();
        for (Operation &inner : role.front())
          if (failed(runOp(inner)))
            return failure();
        return success();
      })
      .Case([&](matile::AllocOp o) -> LogicalResult {
        if (!o.getOffset())
          return o.emitError("expected shared memory to have been laid out");
        integer(o.getBuffer()) = *o.getOffset();
        return success();
      })
      .Default([&](Operation *o) { return runFragmentOp(*o); });
}

LogicalResult WarpInterpreter::run(ThreadBlock &inBlock, ArrayRef<RuntimeValue> arguments) {
  block = &inBlock;
  held.clear();
  numGets.clear();
  groupsStarted = groupsDone = 0;
  Block &body = block->kernel.getBody().front();
  for (auto [argument, given] : llvm::zip(body.getArguments(), arguments))
    value(argument) = given;
  return runBlock(body);
}

LogicalResult WarpInterpreter::checkGets() {
  if (warp == producer)
    return success();
  for (auto &[value, channel] : block->channels)
    if (numGets.lookup(value) != channel.puts)
      return block->kernel.emitError("a channel was put to ")
             << channel.puts << " times, but got from " << numGets.lookup(value) << " times";
  return success();
}

static LogicalResult runBlock(ThreadBlock &block, ArrayRef<std::unique_ptr<WarpInterpreter>> warps,
                              ArrayRef<RuntimeValue> arguments) {
  if (failed(block.init()))
    return failure();
  std::vector<std::function<bool()>> tasks;
  block.numRunning = warps.size();
  for (const std::unique_ptr<WarpInterpreter> &warp : warps)
    tasks.push_back([&block, &warp, arguments] {
      bool good = succeeded(warp->run(block, arguments));
      --block.numRunning;
      return good;
    });
  if (!block.channels.empty())
    tasks.push_back([&block] { // TMA
      while (true) {
        if (block.tasks.wait([&] { return !block.transfers.empty() || block.numRunning == 0; }) !=
            Tasks::Wait::Ready)
          return false;
        if (block.transfers.empty())
          return true;
        if (failed(block.moveTransfer()))
          return false;
      }
    });
  if (!block.tasks.run(tasks))
    return failure();
  for (const std::unique_ptr<WarpInterpreter> &warp : warps)
    if (failed(warp->checkGets()))
      return failure();
  return success();
}

LogicalResult mlir::nautilus::interpreter::runThreadBlocks(matile::KernelOp kernel, Mode mode,
                                                           ArrayRef<RuntimeValue> arguments,
                                                           int64_t numBlocks, uint64_t seed) {
  std::vector<std::unique_ptr<WarpInterpreter>> warps;
  if (kernel.getWarpSpecialize())
    warps.push_back(std::make_unique<WarpInterpreter>(mode, WarpInterpreter::producer));
  for (int64_t warp = 0, count = kernel.getWarps(); warp < count; ++warp)
    warps.push_back(std::make_unique<WarpInterpreter>(mode, warp));
  for (int64_t number = 0; number < numBlocks; ++number) {
    ThreadBlock block(kernel, numBlocks, number, seed);
    if (failed(runBlock(block, warps, arguments)))
      return failure();
  }
  return success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of nautilus_matile on whole tiles, the fast way. A fragment is its tile (how it is spread
// over threads does not change its values); a buffer is the tile last put or written there. What
// this level adds to vrtile is checked: channels as rings of slots with their protocol, under
// interleavings of the roles, and products that may only be read once they have been waited for.

#include "MATileInterpreter.h"

#include "Tasks.h"
#include "TileOps.h"
#include "WarpInterpreter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

namespace {

/// One slot of a ring. `puts`, `gets` and `releases` count over the kernel's life.
struct Slot {
  std::shared_ptr<const Tensor> tile;
  int64_t puts = 0, gets = 0, releases = 0;
};

/// What all roles of a block share.
struct BlockState {
  explicit BlockState(uint64_t seed) : tasks(seed) {}
  Tasks tasks;
  llvm::DenseMap<Value, std::vector<Slot>> channels;
};

class MATileInterpreter : public StructuredInterpreter {
public:
  MATileInterpreter(Mode mode, int64_t numBlocks, int64_t block, uint64_t seed)
      : StructuredInterpreter(mode), numBlocks(numBlocks), block(block), seed(seed) {}
  LogicalResult run(matile::KernelOp kernel, ArrayRef<RuntimeValue> arguments);

private:
  std::optional<LogicalResult> runLevelOp(Operation &op) override;
  std::optional<LogicalResult> runFragmentOp(Operation &op);
  LogicalResult runRoles(matile::WarpSpecializeOp op);
  LogicalResult runOrigin(matile::OriginOp op);
  LogicalResult runPut(matile::PutOp op);
  LogicalResult runGet(matile::GetOp op);
  LogicalResult runRelease(matile::ReleaseOp op);
  LogicalResult runReduce(matile::ReduceOp op);
  template <typename AccessOp> TileAccess accessOf(AccessOp op);
  /// The tile that an access reads, with `padding` outside its bounds.
  template <typename AccessOp>
  LogicalResult load(AccessOp op, Type type, Attribute padding, Tensor &tile);
  ElementKind kindOf(Type type) { return *getElementKind(getElementTypeOrSelf(type)); }

  int64_t numBlocks, block;
  uint64_t seed;
  std::shared_ptr<BlockState> shared;
};

} // namespace

static SmallVector<int64_t> mixSizes(ArrayRef<int64_t> statics, ArrayRef<int64_t> dynamics) {
  SmallVector<int64_t> sizes(statics);
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size)) {
      size = std::max<int64_t>(dynamics.front(), 0);
      dynamics = dynamics.drop_front();
    }
  return sizes;
}

template <typename AccessOp> TileAccess MATileInterpreter::accessOf(AccessOp op) {
  TileAccess access;
  for (Value index : op.getIndices())
    access.indices.push_back(integer(index));
  access.walk.assign(op.getWalk().begin(), op.getWalk().end());
  SmallVector<int64_t> dynamics;
  for (Value bound : op.getBounds())
    dynamics.push_back(integer(bound));
  access.bounds = mixSizes(op.getStaticBounds(), dynamics);
  return access;
}

template <typename AccessOp>
LogicalResult MATileInterpreter::load(AccessOp op, Type type, Attribute padding, Tensor &tile) {
  Element outside = {};
  if (padding)
    outside = *getElement(padding);
  tile = Tensor(kindOf(type), cast<ShapedType>(type).getShape());
  return loadTile(op, *value(op.getSource()).memory, accessOf(op), outside, tile);
}

LogicalResult MATileInterpreter::runOrigin(matile::OriginOp op) {
  SmallVector<int64_t> dynamics;
  for (Value extent : op.getExtents())
    dynamics.push_back(integer(extent));
  SmallVector<int64_t> counts = mixSizes(op.getStaticExtents(), dynamics);
  int64_t numTiles = 1;
  for (auto [count, tile] : llvm::zip(counts, op.getTiles())) {
    count = (count + tile - 1) / tile;
    numTiles *= count;
  }
  if (!op.getBlock() && numBlocks != numTiles)
    return op.emitError("expected a launch of ") << numTiles << " blocks, got " << numBlocks;
  int64_t number = op.getBlock() ? integer(op.getBlock()) : block;
  for (size_t a = counts.size(); a-- > 0;) {
    integer(op.getOrigins()[a]) = number % counts[a] * op.getTiles()[a];
    number /= counts[a];
  }
  return success();
}

//===-- Channels ------------------------------------------------------------===//

LogicalResult MATileInterpreter::runPut(matile::PutOp op) {
  std::vector<Slot> &ring = shared->channels[op.getChannel()];
  int64_t count = integer(op.getCount()), round = count / int64_t(ring.size());
  Slot &slot = ring[count % ring.size()];
  if (slot.puts != round)
    return op.emitError("expected put number ")
           << slot.puts * int64_t(ring.size()) << " and later of this slot, got count " << count;
  Tasks::Wait wait = shared->tasks.wait([&] { return slot.releases >= round; });
  if (wait == Tasks::Wait::Deadlock)
    return op.emitError("deadlock: put ") << count << " waits for a release that never comes";
  if (wait == Tasks::Wait::Stopped)
    return failure();
  Tensor tile;
  auto buffer = cast<matile::ChannelType>(op.getChannel().getType()).getBuffer();
  if (failed(load(op, buffer, Attribute(), tile)))
    return failure();
  slot.tile = std::make_shared<Tensor>(std::move(tile));
  ++slot.puts;
  return success();
}

LogicalResult MATileInterpreter::runGet(matile::GetOp op) {
  std::vector<Slot> &ring = shared->channels[op.getChannel()];
  int64_t count = integer(op.getCount()), round = count / int64_t(ring.size());
  Slot &slot = ring[count % ring.size()];
  Tasks::Wait wait = shared->tasks.wait([&] { return slot.puts > round; });
  if (wait == Tasks::Wait::Deadlock)
    return op.emitError("deadlock: get ") << count << " waits for a put that never comes";
  if (wait == Tasks::Wait::Stopped)
    return failure();
  if (slot.puts != round + 1)
    return op.emitError("slot was refilled before get ") << count << " could read it";
  ++slot.gets;
  value(op.getBuffer()).tile = slot.tile;
  return success();
}

LogicalResult MATileInterpreter::runRelease(matile::ReleaseOp op) {
  std::vector<Slot> &ring = shared->channels[op.getChannel()];
  int64_t count = integer(op.getCount()), round = count / int64_t(ring.size());
  Slot &slot = ring[count % ring.size()];
  if (slot.gets <= round || slot.releases != round)
    return op.emitError("expected a release after the get with the same count, got count ")
           << count;
  ++slot.releases;
  return success();
}

LogicalResult MATileInterpreter::runRoles(matile::WarpSpecializeOp op) {
  // Each role has its own values; memory and channels are shared.
  MATileInterpreter producer(*this);
  auto role = [](MATileInterpreter &interpreter, Region &region) {
    return [&] {
      for (Operation &op : region.front())
        if (failed(interpreter.runOp(op)))
          return false;
      return true;
    };
  };
  return success(
      shared->tasks.run({role(producer, op.getProducer()), role(*this, op.getConsumer())}));
}

//===-- Tiles ----------------------------------------------------------------===//

LogicalResult MATileInterpreter::runReduce(matile::ReduceOp op) {
  FailureOr<BodyProgram> combiner = BodyProgram::translate(op.getCombiner().front(), {}, mode);
  if (failed(combiner))
    return failure();
  SmallVector<const Tensor *> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(&tile(input));
  SmallVector<Element> identities;
  for (Attribute attr : op.getIdentities())
    identities.push_back(*getElement(attr));
  for (auto [output, result] :
       llvm::zip(op.getOutputs(), reduceTiles(inputs, op.getDim(), identities, *combiner)))
    setTile(output, std::move(result));
  return success();
}

std::optional<LogicalResult> MATileInterpreter::runFragmentOp(Operation &op) {
  using Result = std::optional<LogicalResult>;
  auto product = [&](auto dotOp) {
    setTile(dotOp.getResult(),
            dot(tile(dotOp.getLhs()), dotOp.getTransposeLhs(), tile(dotOp.getRhs()),
                dotOp.getTransposeRhs(), tile(dotOp.getAcc()), mode));
    return success();
  };
  auto pass = [&](Value from, Value to) {
    value(to).tile = value(from).tile;
    return success();
  };
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](matile::DotOp o) { return product(o); })
      .Case([&](matile::StartDotOp o) { return product(o); })
      .Case([&](matile::WaitDotOp o) { return pass(o.getAcc(), o.getResult()); })
      .Case([&](matile::WaitGroupsOp) { return success(); })
      .Case([&](matile::ConvertLayoutOp o) { return pass(o.getSource(), o.getResult()); })
      .Case([&](matile::ReadOp o) { return pass(o.getBuffer(), o.getResult()); })
      .Case([&](matile::WriteOp o) { return pass(o.getValue(), o.getBuffer()); })
      .Case([&](matile::ReduceOp o) { return runReduce(o); })
      .Case([&](matile::BroadcastOp o) {
        setTile(o.getResult(), broadcastTile(tile(o.getSource()), o.getDims(),
                                             cast<ShapedType>(o.getType()).getShape()));
        return success();
      })
      .Case([&](matile::TransposeOp o) {
        setTile(o.getResult(), transposeTile(tile(o.getSource()), o.getPermutation()));
        return success();
      })
      .Case([&](matile::IotaOp o) {
        setTile(o.getResult(), iota(kindOf(o.getType()), cast<ShapedType>(o.getType()).getShape(),
                                    o.getDim(), integer(o.getStart())));
        return success();
      })
      .Case([&](matile::SplatOp o) {
        Tensor tile(kindOf(o.getType()), cast<ShapedType>(o.getType()).getShape());
        tile.fill(value(o.getValue()).scalar);
        setTile(o.getResult(), std::move(tile));
        return success();
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<LogicalResult> MATileInterpreter::runLevelOp(Operation &op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](matile::OriginOp o) { return runOrigin(o); })
      .Case([&](matile::BlockOp o) {
        integer(o.getNumber()) = block;
        integer(o.getCount()) = numBlocks;
        return success();
      })
      .Case([&](matile::LoadOp o) -> LogicalResult {
        Tensor loaded;
        if (failed(load(o, o.getType(), o.getPaddingAttr(), loaded)))
          return failure();
        setTile(o.getResult(), std::move(loaded));
        return success();
      })
      .Case([&](matile::StoreOp o) {
        return storeTile(o, tile(o.getValue()), accessOf(o), *value(o.getDest()).memory);
      })
      .Case([&](matile::CopyOutOp o) {
        return storeTile(o, tile(o.getBuffer()), accessOf(o), *value(o.getDest()).memory);
      })
      .Case([&](matile::CreateChannelOp o) {
        shared->channels[o.getChannel()].assign(
            cast<matile::ChannelType>(o.getChannel().getType()).getSlots(), Slot());
        return success();
      })
      .Case([&](matile::PutOp o) { return runPut(o); })
      .Case([&](matile::GetOp o) { return runGet(o); })
      .Case([&](matile::ReleaseOp o) { return runRelease(o); })
      .Case([&](matile::WarpSpecializeOp o) { return runRoles(o); })
      .Case([&](matile::AllocOp o) {
        auto type = cast<matile::BufferType>(o.getBuffer().getType());
        Tensor empty(kindOf(type.getElementType()), type.getShape());
        empty.fill(poisonOf(empty.kind));
        setTile(o.getBuffer(), std::move(empty));
        return success();
      })
      .Default([&](Operation *o) { return runFragmentOp(*o); });
}

LogicalResult MATileInterpreter::run(matile::KernelOp kernel, ArrayRef<RuntimeValue> arguments) {
  shared = std::make_shared<BlockState>(seed + block);
  Block &body = kernel.getBody().front();
  for (auto [argument, given] : llvm::zip(body.getArguments(), arguments))
    value(argument) = given;
  return runBlock(body);
}

LogicalResult mlir::nautilus::interpreter::runMATileKernel(matile::KernelOp kernel, Mode mode,
                                                           ArrayRef<RuntimeValue> arguments,
                                                           int64_t numBlocks,
                                                           const DeviceModel &device) {
  if (device.physical)
    return runThreadBlocks(kernel, mode, arguments, numBlocks, device.interleaving);
  for (int64_t block = 0; block < numBlocks; ++block)
    if (failed(
            MATileInterpreter(mode, numBlocks, block, device.interleaving).run(kernel, arguments)))
      return failure();
  return success();
}

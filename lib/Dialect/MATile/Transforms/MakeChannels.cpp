// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes channels of staged tiles and splits the kernel into a producer and the computing warps.
//
// Stands after the conversion from vrtile, which leaves copies and uses in one stream, and before
// shared memory is laid out.

#include "SharedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_MAKECHANNELSPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

/// More slots than this gain nothing where none are asked for.
static constexpr int64_t maxDefaultSlots = 4;

namespace {
/// The stages that fill one channel, in program order.
struct Group {
  SmallVector<StageOp> stages;
  Value channel;
  unsigned depth; // of the loops around its stages
  int64_t slots = 1;

  int64_t getBytes() { return slots * cast<BufferType>(stages.front().getType()).getSizeInBytes(); }
};

struct MakeChannels : matile::impl::MakeChannelsPassBase<MakeChannels> {
  using MakeChannelsPassBase::MakeChannelsPassBase;
  void runOnOperation() override;

private:
  LogicalResult checkStages(ArrayRef<StageOp> stages);
  SmallVector<Group> groupStages(ArrayRef<StageOp> stages);
  void chooseSlots(KernelOp kernel, MutableArrayRef<Group> groups);
  void specialize(KernelOp kernel);
};
} // namespace

static unsigned getLoopDepth(StageOp stage) {
  unsigned depth = 0;
  for (Operation *op = stage->getParentOp(); !isa<KernelOp>(op); op = op->getParentOp())
    ++depth;
  return depth;
}

LogicalResult MakeChannels::checkStages(ArrayRef<StageOp> stages) {
  for (StageOp stage : stages) {
    if (!stage.getMap())
      return stage.emitError("expected a staged tile to have a tensor map");
    for (Operation *op = stage->getParentOp(); !isa<KernelOp>(op); op = op->getParentOp())
      if (!isa<scf::ForOp>(op))
        return stage.emitError(
                   "expected staged tiles at the top level or in loops only, got one in ")
               << op->getName();
  }
  return success();
}

SmallVector<Group> MakeChannels::groupStages(ArrayRef<StageOp> stages) {
  // Tiles that one loop after another reads from one tensor flow through one channel. Outside of
  // loops a tile stays in use, so each has its own.
  SmallVector<Group> groups;
  for (StageOp stage : stages) {
    Group *found = nullptr;
    unsigned depth = getLoopDepth(stage);
    for (Group &group : groups) {
      StageOp first = group.stages.front();
      bool sameStream = first.getSource() == stage.getSource() &&
                        first.getMap() == stage.getMap() && first.getType() == stage.getType();
      bool sameBlock = llvm::any_of(
          group.stages, [&](StageOp other) { return other->getBlock() == stage->getBlock(); });
      if (sameStream && !sameBlock && depth > 0 && group.depth == depth)
        found = &group;
    }
    if (!found) {
      found = &groups.emplace_back();
      found->depth = depth;
    }
    found->stages.push_back(stage);
  }
  return groups;
}

/// Bytes of the largest tile that the kernel stores: its way out may lead through shared memory.
static int64_t getLargestStore(KernelOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](StoreOp store) {
    auto tile = cast<RankedTensorType>(store.getValue().getType());
    bytes = std::max(bytes, tile.getNumElements() * getElementBytes(tile.getElementType()));
  });
  return bytes;
}

void MakeChannels::chooseSlots(KernelOp kernel, MutableArrayRef<Group> groups) {
  unsigned deepest = 0;
  for (const Group &group : groups)
    deepest = std::max(deepest, group.depth);
  // A tile of an outer loop is used for long: one more slot lets the next one arrive meanwhile.
  auto give = [&](int64_t inner, int64_t outer) {
    int64_t bytes = 0;
    for (Group &group : groups) {
      group.slots = group.depth == 0 ? 1 : group.depth == deepest ? inner : std::min(inner, outer);
      bytes += group.getBytes() + 16 * group.slots;
    }
    return bytes;
  };
  int64_t room = limit - llvm::alignTo(getSharedBesidesChannels(kernel), 1024);
  auto options = scalar::LaunchAttr::lookup(kernel);
  int64_t asked = options && options.getStages() ? options.getStages() : int64_t(slots);
  int64_t inner = asked ? asked : maxDefaultSlots, least = asked ? asked : 2;
  // By default room is left for the results; two slots matter more than that.
  while (!asked && inner > least && give(inner, 2) > room - getLargestStore(kernel))
    --inner;
  int64_t outer = give(inner, 2) <= room ? 2 : 1;
  while (inner > 1 && give(inner, outer) > room)
    --inner;
  give(inner, outer);
  if (deepest > 0 && (inner < least || outer < 2))
    remark::missed(kernel.getLoc(), remark::RemarkOpts::name("Slots").category("Pipelining"))
        << ("channels have " + Twine(inner) + " slots in inner and " + Twine(outer) +
            " in outer loops, more do not fit into " + Twine(int64_t(limit)) +
            " bytes of shared memory")
               .str();
}

/// Replaces the group's stages in `block` and in loops below it by puts and gets, threading the
/// running count; returns the count after the block.
static Value threadCount(IRRewriter &b, Block &block, Group &group, Value count) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto isBelow = [&](StageOp stage) { return op.isProperAncestor(stage); };
    if (auto stage = dyn_cast<StageOp>(op); stage && llvm::is_contained(group.stages, stage)) {
      Location loc = stage.getLoc();
      b.setInsertionPoint(stage);
      PutOp::create(b, loc, group.channel, count, stage.getSource(), stage.getIndices(),
                    stage.getWalk(), stage.getStaticBounds(), stage.getBounds(), stage.getMap());
      auto get = GetOp::create(b, loc, stage.getType(), group.channel, count);
      Operation *last = get;
      for (Operation *user : stage->getUsers()) {
        Operation *here = block.findAncestorOpInBlock(*user);
        if (last->isBeforeInBlock(here))
          last = here;
      }
      b.replaceOp(stage, get);
      b.setInsertionPointAfter(last);
      ReleaseOp::create(b, loc, group.channel, count);
      b.setInsertionPointAfter(get);
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      count = arith::AddIOp::create(b, loc, count, one);
      llvm::erase(group.stages, stage);
    } else if (auto loop = dyn_cast<scf::ForOp>(op); loop && llvm::any_of(group.stages, isBelow)) {
      b.setInsertionPoint(loop);
      auto wider = *loop.replaceWithAdditionalYields(
          b, count, /*replaceInitOperandUsesInLoop=*/false,
          [&](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
            return SmallVector<Value>{args.back()};
          });
      auto newLoop = cast<scf::ForOp>(wider.getOperation());
      Value next = threadCount(b, *newLoop.getBody(), group, newLoop.getRegionIterArgs().back());
      newLoop.getBody()->getTerminator()->setOperand(newLoop.getNumResults() - 1, next);
      count = newLoop.getResults().back();
    }
  }
  return count;
}

/// Makes the loop anew with those carried values that `keep` names; nothing but the loop itself
/// uses the others.
static void keepCarried(scf::ForOp loop, llvm::function_ref<bool(unsigned)> keep) {
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (keep(i))
      kept.push_back(i);
  if (kept.size() == loop.getNumRegionIterArgs())
    return;
  OpBuilder b(loop);
  SmallVector<Value> inits, yielded;
  for (unsigned i : kept) {
    inits.push_back(loop.getInitArgs()[i]);
    yielded.push_back(loop.getYieldedValues()[i]);
  }
  auto narrow = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                   loop.getStep(), inits);
  loop.getBody()->getTerminator()->setOperands(yielded);
  narrow.getRegion().takeBody(loop.getRegion());
  for (int64_t i = narrow.getBody()->getNumArguments() - 1; i > 0; --i)
    if (!llvm::is_contained(kept, unsigned(i - 1)))
      narrow.getBody()->eraseArgument(i);
  for (auto [position, i] : llvm::enumerate(kept))
    loop.getResult(i).replaceAllUsesWith(narrow.getResult(position));
  loop.erase();
}

/// Deletes every op of the clone that no put needs.
static void keepOnly(Region &region, llvm::function_ref<bool(Operation *)> isRoot) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Operation *> worklist;
  auto need = [&](Operation *op) {
    for (; op && region.isAncestor(op->getParentRegion()); op = op->getParentOp())
      if (needed.insert(op).second)
        worklist.push_back(op);
  };
  region.walk([&](Operation *op) {
    if (isRoot(op))
      need(op);
  });
  // Values are followed through loops exactly: a carried value is needed only if its argument or
  // result is.
  llvm::DenseSet<Value> neededValues;
  SmallVector<Value> values;
  auto needValue = [&](Value value) {
    if (neededValues.insert(value).second)
      values.push_back(value);
  };
  while (!worklist.empty() || !values.empty()) {
    if (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        needValue(loop.getLowerBound());
        needValue(loop.getUpperBound());
        needValue(loop.getStep());
      } else if (!isa<scf::YieldOp>(op)) {
        llvm::for_each(op->getOperands(), needValue);
      }
      continue;
    }
    Value value = values.pop_back_val();
    auto needCarried = [&](scf::ForOp loop, unsigned i) {
      needValue(loop.getInitArgs()[i]);
      needValue(loop.getRegionIterArgs()[i]);
      needValue(loop.getResults()[i]);
      needValue(loop.getYieldedValues()[i]);
    };
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
          loop && arg.getArgNumber() > 0)
        needCarried(loop, arg.getArgNumber() - 1);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!region.isAncestor(op->getParentRegion()))
      continue;
    need(op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      needCarried(loop, cast<OpResult>(value).getResultNumber());
  }
  SmallVector<Operation *> dead;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (needed.contains(op) || isa<scf::YieldOp>(op))
      return WalkResult::advance();
    dead.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *op : llvm::reverse(dead)) {
    op->dropAllUses();
    op->erase();
  }
  SmallVector<scf::ForOp> loops;
  region.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    keepCarried(loop, [&](unsigned i) { return neededValues.contains(loop.getRegionIterArg(i)); });
}

void MakeChannels::specialize(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  IRRewriter b(kernel.getContext());
  // Everything from the first loop, put, get or memory access on is divided; index arithmetic
  // before it is common.
  Operation *first = nullptr;
  for (Operation &op : body)
    if (!first && !isa<CreateChannelOp, OriginOp>(op) && !isMemoryEffectFree(&op))
      first = &op;
  b.setInsertionPoint(first);
  int64_t consumers = kernel.getWarps() / 4;
  // The register file has 512 registers per thread position of a warpgroup, shared by all
  // warpgroups of the block.
  auto [producer, consumer] = consumers >= 3   ? std::make_pair(32, 160)
                              : consumers == 2 ? std::make_pair(24, 240)
                                               : std::make_pair(56, 240);
  auto specialize = WarpSpecializeOp::create(b, kernel.getLoc(), producer, consumer);
  Block *producerBlock = b.createBlock(&specialize.getProducer());
  IRMapping map;
  SmallVector<Operation *> divided;
  for (Operation *op = first; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    if (op != specialize)
      divided.push_back(op);
  b.setInsertionPointToEnd(producerBlock);
  for (Operation *op : divided)
    b.clone(*op, map);
  Block *consumerBlock = b.createBlock(&specialize.getConsumer());
  for (Operation *op : divided)
    op->moveBefore(consumerBlock, consumerBlock->end());
  keepOnly(specialize.getProducer(), [](Operation *op) { return isa<PutOp>(op); });
  specialize.getConsumer().walk([](PutOp put) { put.erase(); });
}

void MakeChannels::runOnOperation() {
  KernelOp kernel = getOperation();
  SmallVector<StageOp> stages;
  kernel.getBody().walk([&](StageOp stage) { stages.push_back(stage); });
  if (stages.empty())
    return;
  if (failed(checkStages(stages)))
    return signalPassFailure();
  IRRewriter b(kernel.getContext());
  Block &body = kernel.getBody().front();
  SmallVector<Group> groups = groupStages(stages);
  chooseSlots(kernel, groups);
  for (Group &group : groups) {
    b.setInsertionPointToStart(&body);
    Location loc = group.stages.front().getLoc();
    group.channel = CreateChannelOp::create(
        b, loc, ChannelType::get(kernel.getContext(), group.slots, group.stages.front().getType()),
        IntegerAttr(), IntegerAttr());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    threadCount(b, body, group, zero);
    ++numChannels;
  }
  specialize(kernel);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of nautilus_vrtile, over the shared control flow and element-wise ops.

#include "VRTileInterpreter.h"

#include "TileOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

namespace {

class VRTileInterpreter : public StructuredInterpreter {
public:
  VRTileInterpreter(Mode mode, int64_t numBlocks)
      : StructuredInterpreter(mode), numBlocks(numBlocks) {}

  LogicalResult run(vrtile::KernelOp kernel, ArrayRef<RuntimeValue> arguments);

private:
  std::optional<LogicalResult> runLevelOp(Operation &op) override;
  LogicalResult runOrigin(vrtile::OriginOp op);
  LogicalResult runLoad(vrtile::LoadOp op);
  LogicalResult runStore(vrtile::StoreOp op);
  LogicalResult runReduce(vrtile::ReduceOp op);
  LogicalResult runIota(vrtile::IotaOp op);
  LogicalResult runSplat(vrtile::SplatOp op);
  template <typename AccessOp> TileAccess accessOf(AccessOp op);
  FailureOr<ElementKind> kindOf(Operation *op, Type type);

  int64_t numBlocks, block = 0;
  llvm::DenseMap<Operation *, std::unique_ptr<BodyProgram>> combiners;
};

} // namespace

FailureOr<ElementKind> VRTileInterpreter::kindOf(Operation *op, Type type) {
  if (std::optional<ElementKind> kind = getElementKind(getElementTypeOrSelf(type)))
    return *kind;
  return op->emitError("the interpreter does not know the type ") << type;
}

/// The sizes of a list that mixes constants with operands.
static SmallVector<int64_t> mixSizes(ArrayRef<int64_t> statics, ArrayRef<int64_t> dynamics) {
  SmallVector<int64_t> sizes(statics);
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size)) {
      size = dynamics.front();
      dynamics = dynamics.drop_front();
    }
  return sizes;
}

LogicalResult VRTileInterpreter::runOrigin(vrtile::OriginOp op) {
  SmallVector<int64_t> dynamics, counts;
  for (Value extent : op.getExtents())
    dynamics.push_back(integer(extent));
  int64_t numTiles = 1;
  for (auto [extent, tile] : llvm::zip(mixSizes(op.getStaticExtents(), dynamics), op.getTiles())) {
    counts.push_back((extent + tile - 1) / tile);
    numTiles *= counts.back();
  }
  int64_t number = op.getBlock() ? integer(op.getBlock()) : block;
  // A kernel that numbers its blocks itself may be launched with any number of them.
  if (!op.getBlock() && numBlocks != numTiles)
    return op.emitError("expected a launch of ") << numTiles << " blocks, got " << numBlocks;
  if (number < 0 || number >= numTiles)
    return op.emitError("expected a block inside [0, ") << numTiles << "), got " << number;
  for (size_t a = counts.size(); a-- > 0;) {
    integer(op.getOrigins()[a]) = number % counts[a] * op.getTiles()[a];
    number /= counts[a];
  }
  return success();
}

template <typename AccessOp> TileAccess VRTileInterpreter::accessOf(AccessOp op) {
  TileAccess access;
  for (Value index : op.getIndices())
    access.indices.push_back(integer(index));
  access.walk.assign(op.getWalk().begin(), op.getWalk().end());
  SmallVector<int64_t> dynamics;
  for (Value bound : op.getBounds())
    dynamics.push_back(integer(bound));
  access.bounds = mixSizes(op.getStaticBounds(), dynamics);
  // No element lies inside a bound below 0; a negative entry means something else from here on.
  for (auto [bound, size] : llvm::zip(access.bounds, op.getStaticBounds()))
    if (ShapedType::isDynamic(size))
      bound = std::max<int64_t>(bound, 0);
  return access;
}

LogicalResult VRTileInterpreter::runLoad(vrtile::LoadOp op) {
  FailureOr<ElementKind> kind = kindOf(op, op.getType());
  if (failed(kind))
    return failure();
  Element padding = {};
  if (op.getPadding()) {
    std::optional<Element> given = getElement(op.getPaddingAttr());
    if (!given)
      return op.emitError("the interpreter does not know the padding ") << op.getPaddingAttr();
    padding = *given;
  }
  Tensor tile(*kind, cast<RankedTensorType>(op.getType()).getShape());
  if (failed(loadTile(op, *value(op.getSource()).memory, accessOf(op), padding, tile)))
    return failure();
  setTile(op.getResult(), std::move(tile));
  return success();
}

LogicalResult VRTileInterpreter::runStore(vrtile::StoreOp op) {
  return storeTile(op, tile(op.getValue()), accessOf(op), *value(op.getDest()).memory);
}

LogicalResult VRTileInterpreter::runReduce(vrtile::ReduceOp op) {
  std::unique_ptr<BodyProgram> &combiner = combiners[op];
  if (!combiner) {
    FailureOr<BodyProgram> translated = BodyProgram::translate(op.getCombiner().front(), {}, mode);
    if (failed(translated))
      return failure();
    combiner = std::make_unique<BodyProgram>(std::move(*translated));
  }
  SmallVector<const Tensor *> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(&tile(input));
  SmallVector<Element> identities;
  for (Attribute attr : op.getIdentities()) {
    std::optional<Element> identity = getElement(attr);
    if (!identity)
      return op.emitError("the interpreter does not know the identity ") << attr;
    identities.push_back(*identity);
  }
  std::vector<Tensor> results = reduceTiles(inputs, op.getDim(), identities, *combiner);
  for (auto [output, result] : llvm::zip(op.getOutputs(), results))
    setTile(output, std::move(result));
  return success();
}

LogicalResult VRTileInterpreter::runIota(vrtile::IotaOp op) {
  FailureOr<ElementKind> kind = kindOf(op, op.getType());
  if (failed(kind))
    return failure();
  setTile(op.getResult(), iota(*kind, cast<RankedTensorType>(op.getType()).getShape(), op.getDim(),
                               integer(op.getStart())));
  return success();
}

LogicalResult VRTileInterpreter::runSplat(vrtile::SplatOp op) {
  FailureOr<ElementKind> kind = kindOf(op, op.getType());
  if (failed(kind))
    return failure();
  Tensor tile(*kind, cast<RankedTensorType>(op.getType()).getShape());
  tile.fill(value(op.getValue()).scalar);
  setTile(op.getResult(), std::move(tile));
  return success();
}

std::optional<LogicalResult> VRTileInterpreter::runLevelOp(Operation &op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](vrtile::OriginOp origin) { return runOrigin(origin); })
      .Case([&](vrtile::LoadOp load) { return runLoad(load); })
      .Case([&](vrtile::StoreOp store) { return runStore(store); })
      .Case([&](vrtile::ReduceOp reduce) { return runReduce(reduce); })
      .Case([&](vrtile::IotaOp op) { return runIota(op); })
      .Case([&](vrtile::SplatOp splat) { return runSplat(splat); })
      .Case([&](vrtile::DotOp op) {
        setTile(op.getResult(), dot(tile(op.getLhs()), op.getTransposeLhs(), tile(op.getRhs()),
                                    op.getTransposeRhs(), tile(op.getAcc()), mode));
        return success();
      })
      .Case([&](vrtile::BroadcastOp op) {
        ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
        setTile(op.getResult(), broadcastTile(tile(op.getSource()), op.getDims(), shape));
        return success();
      })
      .Case([&](vrtile::TransposeOp op) {
        setTile(op.getResult(), transposeTile(tile(op.getSource()), op.getPermutation()));
        return success();
      })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult VRTileInterpreter::run(vrtile::KernelOp kernel, ArrayRef<RuntimeValue> arguments) {
  Block &body = kernel.getBody().front();
  for (auto [argument, given] : llvm::zip(body.getArguments(), arguments))
    value(argument) = given;
  for (block = 0; block < numBlocks; ++block)
    if (failed(runBlock(body)))
      return failure();
  return success();
}

LogicalResult mlir::nautilus::interpreter::runVRTileKernel(vrtile::KernelOp kernel, Mode mode,
                                                           ArrayRef<RuntimeValue> arguments,
                                                           int64_t numBlocks) {
  return VRTileInterpreter(mode, numBlocks).run(kernel, arguments);
}

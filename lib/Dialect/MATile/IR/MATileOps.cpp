// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel, channels, warp specialisation and shared memory: assembly and verifiers.

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

//===-- kernel -------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> args, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(args, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(p, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  for (Type type : getArgumentTypes()) // C1
    if (!isa<MemRefType, IndexType, host::TensorMapType>(type))
      return emitOpError("expected memref, index and tensor map arguments, got ") << type;
  uint64_t warps = getWarps();
  if (warps < 1 || warps > 16) // C2
    return emitOpError("expected 1 to 16 warps, got ") << warps;
  llvm::SmallPtrSet<Type, 16> seen;
  WalkResult walk = getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) { // C3
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile || !seen.insert(type).second)
        continue;
      std::string why;
      if (!isa_and_present<LayoutAttr>(tile.getEncoding()))
        return op->emitOpError("expected a fragment with a layout, got ") << tile,
               WalkResult::interrupt();
      if (!getLayout(tile).isValid(&why, warps))
        return op->emitOpError("expected a layout that covers the tile with ")
                   << warps << " warps: " << why,
               WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

WarpSpecializeOp KernelOp::getWarpSpecialize() {
  for (Operation &op : getBody().front())
    if (auto specialize = dyn_cast<WarpSpecializeOp>(op))
      return specialize;
  return {};
}

int64_t KernelOp::getNumThreads() { return 32 * getWarps() + (getWarpSpecialize() ? 128 : 0); }

//===-- channels and roles -------------------------------------------------===//

LogicalResult GetOp::verify() {
  if (getBuffer().getType() != cast<ChannelType>(getChannel().getType()).getBuffer())
    return emitOpError("expected the channel's buffer type");
  return success();
}

LogicalResult WarpSpecializeOp::verify() {
  auto isIn = [](Region &region, auto pred) {
    return region
        .walk([&](Operation *op) {
          return pred(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  if (isIn(getConsumer(), [](Operation *op) { return isa<PutOp>(op); }) ||
      isIn(getProducer(), [](Operation *op) { return isa<GetOp, ReleaseOp>(op); })) // C1
    return emitOpError("expected puts in the producer and gets and releases in the consumer only");
  int64_t producer = getProducerRegisters(), consumer = getConsumerRegisters();
  for (int64_t registers : {producer, consumer})
    if (registers < 24 || registers > 256 || registers % 8) // C2
      return emitOpError("expected register counts of 24 to 256 in steps of 8, got ") << registers;
  int64_t warps = cast<KernelOp>((*this)->getParentOp()).getWarps();
  int64_t total = 128 * producer + 32 * warps * consumer;
  if (total > 65536) // C2
    return emitOpError("expected at most 65536 registers in a block, got ") << total;
  return success();
}

//===-- shared memory ------------------------------------------------------===//

static LogicalResult verifySameTile(Operation *op, RankedTensorType fragment, BufferType buffer) {
  if (fragment.getShape() != buffer.getShape() ||
      fragment.getElementType() != buffer.getElementType()) // C1
    return op->emitOpError("expected one shape and element type, got ")
           << fragment << " and " << buffer;
  return success();
}

LogicalResult WriteOp::verify() {
  return verifySameTile(*this, cast<RankedTensorType>(getValue().getType()), getBuffer().getType());
}

LogicalResult ReadOp::verify() {
  return verifySameTile(*this, cast<RankedTensorType>(getType()), getBuffer().getType());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the ops that find their place in global memory: origin, load, store, copy_out,
// stage, put.

#include "nautilus/Dialect/MATile/IR/MATile.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

LogicalResult OriginOp::verify() {
  if (getTiles().size() != getStaticExtents().size() ||
      llvm::any_of(getTiles(), [](int64_t tile) { return tile <= 0; })) // C1
    return emitOpError("expected one positive tile per axis");
  size_t dynamic = llvm::count(getStaticExtents(), ShapedType::kDynamic);
  if (dynamic != getExtents().size()) // C2
    return emitOpError("expected ") << dynamic << " extent operands, got " << getExtents().size();
  if (getOrigins().size() != getTiles().size()) // C3
    return emitOpError("expected one result per axis");
  return success();
}

template <typename AccessOp>
static LogicalResult verifyAccess(AccessOp op, Value memory, ShapedType tile) {
  auto memref = cast<MemRefType>(memory.getType());
  ArrayRef<int64_t> walk = op.getWalk();
  if (op.getIndices().size() != size_t(memref.getRank())) // C1
    return op.emitOpError("expected ")
           << memref.getRank() << " indices, got " << op.getIndices().size();
  llvm::SmallDenseSet<int64_t> seen;
  bool distinct = llvm::all_of(walk, [&](int64_t dim) {
    return dim >= 0 && dim < memref.getRank() && seen.insert(dim).second;
  });
  if (!distinct || walk.size() != size_t(tile.getRank())) // C2
    return op.emitOpError("expected walk to name ")
           << tile.getRank() << " distinct dims of the memref";
  size_t dynamic = llvm::count(op.getStaticBounds(), ShapedType::kDynamic);
  if (op.getStaticBounds().size() != walk.size() || dynamic != op.getBounds().size()) // C3
    return op.emitOpError("expected one bound per tile dim");
  if (memref.getElementType() != tile.getElementType()) // C4
    return op.emitOpError("expected element type ")
           << memref.getElementType() << ", got " << tile.getElementType();
  return success();
}

/// (C5) of load and store.
static LogicalResult verifyVector(Operation *op, int64_t vector, RankedTensorType tile) {
  if (!isa_and_present<LayoutAttr>(tile.getEncoding()))
    return op->emitOpError("expected a fragment with a layout");
  if (vector == 1)
    return success();
  auto layout = getLayout(tile);
  bool follow = vector > 1 && llvm::isPowerOf2_64(vector) && tile.getRank() > 0 &&
                layout.numRegisters() % vector == 0;
  for (int64_t reg = 0; follow && reg < layout.numRegisters(); ++reg) {
    auto expected = layout.registerOffset(reg / vector * vector);
    expected.back() += reg % vector;
    follow = layout.registerOffset(reg) == expected;
  }
  if (!follow)
    return op->emitOpError("expected groups of ")
           << vector << " registers that follow each other along the last dim";
  return success();
}

LogicalResult LoadOp::verify() {
  auto tile = cast<RankedTensorType>(getType());
  if (getPadding() && getPaddingAttr().getType() != tile.getElementType()) // C4
    return emitOpError("expected padding of type ") << tile.getElementType();
  if (failed(verifyAccess(*this, getSource(), tile)))
    return failure();
  return verifyVector(*this, getVector(), tile);
}

/// (C5) of stage, put and copy_out, (C6) of store.
template <typename AccessOp> static LogicalResult verifyMap(AccessOp op) {
  ArrayRef<int64_t> walk = op.getWalk();
  if (op.getMap() && (!llvm::is_sorted(walk) || walk.empty() ||
                      walk.back() + 1 != int64_t(op.getIndices().size())))
    return op.emitOpError("expected the walk of a mapped copy to increase up to the last dim");
  return success();
}

LogicalResult StoreOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  if (failed(verifyAccess(*this, getDest(), tile)) || failed(verifyMap(*this)))
    return failure();
  if (!getMap() != !getSwizzle()) // C6
    return emitOpError("expected a swizzle where there is a map, and nowhere else");
  return verifyVector(*this, getVector(), tile);
}

LogicalResult CopyOutOp::verify() {
  if (failed(verifyAccess(*this, getDest(), cast<ShapedType>(Type(getBuffer().getType())))))
    return failure();
  return verifyMap(*this);
}

LogicalResult StageOp::verify() {
  if (failed(verifyAccess(*this, getSource(), cast<ShapedType>(Type(getResult().getType())))))
    return failure();
  return verifyMap(*this);
}

LogicalResult PutOp::verify() {
  BufferType buffer = cast<ChannelType>(getChannel().getType()).getBuffer();
  if (failed(verifyAccess(*this, getSource(), cast<ShapedType>(Type(buffer)))))
    return failure();
  return verifyMap(*this);
}

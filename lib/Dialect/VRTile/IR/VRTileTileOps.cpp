// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folds of the ops that turn tiles into tiles.

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"

using namespace mlir;
using namespace mlir::nautilus::vrtile;

#define GET_OP_CLASSES
#include "nautilus/Dialect/VRTile/IR/VRTileOps.cpp.inc"

static RankedTensorType getTile(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult DotOp::verify() {
  RankedTensorType lhs = getTile(getLhs()), rhs = getTile(getRhs()), acc = getTile(getAcc());
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || acc.getRank() != 2) // C1
    return emitOpError("expected tiles of rank 2");
  bool tl = getTransposeLhs(), tr = getTransposeRhs();
  int64_t m = lhs.getDimSize(tl ? 1 : 0), k = lhs.getDimSize(tl ? 0 : 1);
  int64_t k2 = rhs.getDimSize(tr ? 1 : 0), n = rhs.getDimSize(tr ? 0 : 1);
  if (k != k2 || m != acc.getDimSize(0) || n != acc.getDimSize(1)) // C1
    return emitOpError("expected extents that agree, got ")
           << m << "x" << k << " times " << k2 << "x" << n << " into " << acc.getDimSize(0) << "x"
           << acc.getDimSize(1);
  auto in = dyn_cast<FloatType>(lhs.getElementType()),
       out = dyn_cast<FloatType>(acc.getElementType());
  if (!in || !out || lhs.getElementType() != rhs.getElementType() ||
      in.getWidth() > out.getWidth()) // C2
    return emitOpError("expected operands of one float type, not wider than the accumulator's");
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getInputs().empty() || getInputs().size() != getOutputs().size())
    return emitOpError("expected as many results as inputs, at least one");
  RankedTensorType first = getTile(getInputs()[0]);
  int64_t dim = getDim();
  if (dim < 0 || dim >= first.getRank()) // C1
    return emitOpError("expected dim inside rank ") << first.getRank() << ", got " << dim;
  SmallVector<int64_t> shape(first.getShape());
  shape.erase(shape.begin() + dim);
  SmallVector<Type> elements;
  for (auto [in, out] : llvm::zip(getInputs(), getOutputs())) { // C1
    auto expected = RankedTensorType::get(shape, getTile(in).getElementType());
    if (getTile(in).getShape() != first.getShape() ||
        RankedTensorType::get(getTile(out).getShape(), getTile(out).getElementType()) != expected)
      return emitOpError("expected result ") << expected << ", got " << out.getType();
    elements.push_back(expected.getElementType());
  }
  Block &block = getCombiner().front();
  SmallVector<Type> twice(elements);
  twice.append(elements);
  if (!llvm::equal(block.getArgumentTypes(), twice) ||
      !llvm::equal(block.getTerminator()->getOperandTypes(), elements)) // C2
    return emitOpError("expected a combiner over two element tuples that yields one");
  if (getIdentities().size() != elements.size() ||
      !llvm::all_of_zip(getIdentities(), elements, [](Attribute attr, Type type) {
        auto typed = dyn_cast<TypedAttr>(attr);
        return typed && typed.getType() == type;
      }))
    return emitOpError("expected one identity per input, of its element type");
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getTile(getSource()), to = getTile(getResult());
  ArrayRef<int64_t> dims = getDims();
  if (dims.size() != size_t(from.getRank())) // C1
    return emitOpError("expected one entry of dims per operand dim");
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= to.getRank() || (i && dims[i - 1] >= dim)) // C1
      return emitOpError("expected increasing dims inside rank ") << to.getRank();
    if (from.getDimSize(i) != to.getDimSize(dim)) // C2
      return emitOpError("expected extent ")
             << to.getDimSize(dim) << " of operand dim " << i << ", got " << from.getDimSize(i);
  }
  if (from.getElementType() != to.getElementType()) // C3
    return emitOpError("expected equal element types");
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = getTile(getSource()), to = getTile(getResult());
  ArrayRef<int64_t> permutation = getPermutation();
  if (permutation.size() != size_t(from.getRank()) || from.getRank() != to.getRank() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected a permutation of the operand's dims and an equal element type");
  llvm::SmallDenseSet<int64_t> seen;
  for (auto [i, dim] : llvm::enumerate(permutation))
    if (dim < 0 || dim >= from.getRank() || !seen.insert(dim).second ||
        from.getDimSize(dim) != to.getDimSize(i))
      return emitOpError("expected result dim ")
             << i << " to be operand dim permutation[" << i << "]";
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())))
    return getSource();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

LogicalResult IotaOp::verify() {
  RankedTensorType tile = getTile(getResult());
  if (!tile.getElementType().isIntOrIndex())
    return emitOpError("expected integer elements, got ") << tile.getElementType();
  if (int64_t(getDim()) < 0 || int64_t(getDim()) >= tile.getRank())
    return emitOpError("expected dim inside rank ") << tile.getRank();
  return success();
}

LogicalResult SplatOp::verify() {
  if (getValue().getType() != getElementTypeOrSelf(getType()))
    return emitOpError("expected a tile of ") << getValue().getType() << ", got " << getType();
  return success();
}

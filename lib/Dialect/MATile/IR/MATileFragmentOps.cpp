// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folds of the ops on fragments.

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

#define GET_OP_CLASSES
#include "nautilus/Dialect/MATile/IR/MATileOps.cpp.inc"

static ArrayRef<int64_t> getShape(Value tile) {
  return cast<ShapedType>(tile.getType()).getShape();
}

/// Rules of wgmma on shapes and types (C3); null when they hold.
static const char *brokenWgmmaRule(DotOp op, int64_t m, int64_t n, int64_t k) {
  auto acc = cast<RankedTensorType>(op.getAcc().getType());
  Type in = getElementTypeOrSelf(op.getLhs().getType());
  if (!(in.isF16() || in.isBF16()) || in != getElementTypeOrSelf(op.getRhs().getType()) ||
      !acc.getElementType().isF32())
    return "expected 16-bit float operands of one type and an f32 accumulator for wgmma";
  if (m % 64 || n % 8 || n > 256 || k % 16)
    return "expected rows in 64s, columns in 8s up to 256 and a contraction in 16s for wgmma";
  return nullptr;
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> lhs = getShape(getLhs()), rhs = getShape(getRhs()), acc = getShape(getAcc());
  if (lhs.size() != 2 || rhs.size() != 2 || acc.size() != 2)
    return emitOpError("expected tiles of rank 2");
  int64_t m = lhs[getTransposeLhs() ? 1 : 0], k = lhs[getTransposeLhs() ? 0 : 1];
  int64_t k2 = rhs[getTransposeRhs() ? 1 : 0], n = rhs[getTransposeRhs() ? 0 : 1];
  if (k != k2 || m != acc[0] || n != acc[1]) // C1
    return emitOpError("expected extents that agree");
  bool rhsBuffer = isa<BufferType>(getRhs().getType()),
       lhsBuffer = isa<BufferType>(getLhs().getType());
  switch (getKind()) { // C2
  case DotKind::Wgmma:
    if (!rhsBuffer)
      return emitOpError("expected the right operand in a buffer for wgmma");
    if (const char *rule = brokenWgmmaRule(*this, m, n, k))
      return emitOpError(rule);
    break;
  case DotKind::MmaSync:
    if (!rhsBuffer)
      return emitOpError("expected the right operand in a buffer for mma_sync");
    break;
  case DotKind::Fma:
    if (!rhsBuffer || !lhsBuffer)
      return emitOpError("expected buffer operands for fma");
    break;
  }
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType()), to = cast<RankedTensorType>(getType());
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType()) // C1
    return emitOpError("expected one shape and element type, got ") << from << " and " << to;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

LogicalResult ReduceOp::verify() {
  if (getInputs().empty() || getInputs().size() != getOutputs().size())
    return emitOpError("expected as many results as inputs, at least one");
  for (auto [in, out] : llvm::zip(getInputs(), getOutputs())) {
    auto inType = cast<RankedTensorType>(in.getType()),
         outType = cast<RankedTensorType>(out.getType());
    if (int64_t(getDim()) >= inType.getRank())
      return emitOpError("expected dim inside rank ") << inType.getRank();
    if (!inType.getEncoding() || !outType.getEncoding() ||
        getLayout(inType).dropDim(getDim()) != getLayout(outType)) // C1
      return emitOpError("expected the result's layout to be the input's without dim ") << getDim();
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType()), to = cast<RankedTensorType>(getType());
  if (!from.getEncoding() || !to.getEncoding())
    return emitOpError("expected fragments with layouts");
  auto layout = getLayout(to);
  for (int64_t dim = to.getRank() - 1; dim >= 0; --dim)
    if (!llvm::is_contained(getDims(), dim))
      layout = layout.dropDim(dim);
  if (layout != getLayout(from)) // C1
    return emitOpError("expected the operand's layout to be the result's without the new dims");
  return success();
}

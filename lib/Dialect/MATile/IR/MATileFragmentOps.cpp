// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folds of the ops on fragments.

#include "mlir/Dialect/SCF/IR/SCF.h"
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

//===-- Products -------------------------------------------------------------===//

/// (C3): rules of tensor cores on shapes and types; null when they hold.
static const char *brokenTensorCoreRule(Type lhs, Type rhs, Type acc, int64_t m, int64_t n,
                                        int64_t k, int64_t warps, bool wgmma) {
  if (!(lhs.isF16() || lhs.isBF16()) || lhs != rhs || !acc.isF32())
    return "expected 16-bit float operands of one type and an f32 accumulator";
  if (wgmma && warps % 4)
    return "expected whole warpgroups of 4 warps";
  if (m % (16 * warps) || n % 8 || n > 256 || k % 16)
    return "expected 16 rows per warp, columns in 8s up to 256 and a contraction in 16s";
  return nullptr;
}

/// (C2): the forms of operands on tensor cores; null when they fit.
static const char *brokenOperandRule(Value lhs, Value rhs, Value acc, int64_t m, int64_t n,
                                     int64_t k, int64_t warps, bool wgmma) {
  auto rhsBuffer = dyn_cast<BufferType>(rhs.getType());
  if (!rhsBuffer || (wgmma && !rhsBuffer.getSwizzle()))
    return wgmma ? "expected the right operand in a swizzled buffer"
                 : "expected the right operand in a buffer";
  auto hasLayout = [&](Value value, const ::nautilus::layout::RegisterLayout &layout) {
    auto tile = cast<RankedTensorType>(value.getType());
    return isa_and_present<LayoutAttr>(tile.getEncoding()) && getLayout(tile) == layout;
  };
  if (auto lhsBuffer = dyn_cast<BufferType>(lhs.getType())) {
    if (wgmma && !lhsBuffer.getSwizzle())
      return "expected the left operand in a swizzled buffer or a fragment";
  } else if (!hasLayout(lhs, ::nautilus::layout::wgmmaOperandA(m, k, 16, warps))) {
    return "expected the left operand in the instruction's layout";
  }
  if (!hasLayout(acc, ::nautilus::layout::wgmmaAccumulator(m, n, warps)))
    return "expected the accumulator in the instruction's layout";
  return nullptr;
}

/// Constraints that `dot` and `start_dot` share.
template <typename DotLike> static LogicalResult verifyProduct(DotLike op, DotKind kind) {
  ArrayRef<int64_t> lhs = getShape(op.getLhs()), rhs = getShape(op.getRhs()),
                    acc = getShape(op.getAcc());
  if (lhs.size() != 2 || rhs.size() != 2 || acc.size() != 2)
    return op.emitOpError("expected tiles of rank 2");
  int64_t m = lhs[op.getTransposeLhs() ? 1 : 0], k = lhs[op.getTransposeLhs() ? 0 : 1];
  int64_t k2 = rhs[op.getTransposeRhs() ? 1 : 0], n = rhs[op.getTransposeRhs() ? 0 : 1];
  if (k != k2 || m != acc[0] || n != acc[1]) // C1
    return op.emitOpError("expected extents that agree");
  if (kind == DotKind::Fma) {
    if (!isa<BufferType>(op.getLhs().getType()) || !isa<BufferType>(op.getRhs().getType())) // C2
      return op.emitOpError("expected buffer operands for fma");
    return success();
  }
  if (op.getTransposeLhs() && !isa<BufferType>(op.getLhs().getType())) // C2
    return op.emitOpError("expected a fragment as left operand not to be transposed");
  bool wgmma = kind == DotKind::Wgmma;
  int64_t warps = op->template getParentOfType<KernelOp>().getWarps();
  auto element = [](Value tile) { return getElementTypeOrSelf(tile.getType()); };
  const char *rule = brokenTensorCoreRule(element(op.getLhs()), element(op.getRhs()),
                                          element(op.getAcc()), m, n, k, warps, wgmma);
  if (!rule)
    rule = brokenOperandRule(op.getLhs(), op.getRhs(), op.getAcc(), m, n, k, warps, wgmma);
  if (rule)
    return op.emitOpError(rule) << " for " << stringifyDotKind(kind);
  return success();
}

LogicalResult DotOp::verify() { return verifyProduct(*this, getKind()); }

LogicalResult StartDotOp::verify() {
  if (failed(verifyProduct(*this, DotKind::Wgmma)))
    return failure();
  for (OpOperand &use : getResult().getUses()) { // C4
    auto next = dyn_cast<StartDotOp>(use.getOwner());
    bool passesOn = isa<WaitDotOp, scf::YieldOp, scf::ForOp>(use.getOwner()) ||
                    (next && next.getAccMutable().getOperandNumber() == use.getOperandNumber());
    if (!passesOn)
      return emitOpError("expected the product to be waited for before ")
             << use.getOwner()->getName() << " uses it";
  }
  return success();
}

template <typename Wait> static LogicalResult verifyPending(Wait op) {
  int64_t pending = op.getPending();
  if (pending < 0 || pending > 7) // C1
    return op.emitOpError("expected 0 to 7 pending groups, got ") << pending;
  return success();
}

LogicalResult WaitDotOp::verify() { return verifyPending(*this); }
LogicalResult WaitGroupsOp::verify() { return verifyPending(*this); }

//===-- Layouts ----------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType()), to = cast<RankedTensorType>(getType());
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType()) // C1
    return emitOpError("expected one shape and element type, got ") << from << " and " << to;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource()) : OpFoldResult();
}

static bool isFragment(RankedTensorType tile) {
  return isa_and_present<LayoutAttr>(tile.getEncoding());
}

LogicalResult ReduceOp::verify() {
  if (getInputs().empty() || getInputs().size() != getOutputs().size())
    return emitOpError("expected as many results as inputs, at least one");
  SmallVector<Type> elements;
  for (auto [in, out] : llvm::zip(getInputs(), getOutputs())) {
    auto inType = cast<RankedTensorType>(in.getType()),
         outType = cast<RankedTensorType>(out.getType());
    int64_t dim = getDim();
    if (dim < 0 || dim >= inType.getRank())
      return emitOpError("expected dim inside rank ") << inType.getRank();
    if (!isFragment(inType) || !isFragment(outType) ||
        getLayout(inType) != getLayout(cast<RankedTensorType>(getInputs().front().getType())) ||
        getLayout(inType).dropDim(dim) != getLayout(outType) ||
        inType.getElementType() != outType.getElementType()) // C1
      return emitOpError("expected the result's layout to be the input's without dim ") << dim;
    elements.push_back(inType.getElementType());
  }
  SmallVector<Type> twice(elements);
  twice.append(elements);
  Block &block = getCombiner().front();
  if (!llvm::equal(block.getArgumentTypes(), twice) ||
      !llvm::equal(block.getTerminator()->getOperandTypes(), elements)) // C2
    return emitOpError("expected a combiner over two element tuples that yields one");
  if (getIdentities().size() != elements.size() ||
      !llvm::all_of_zip(getIdentities(), elements, [](Attribute attr, Type type) {
        auto typed = dyn_cast<TypedAttr>(attr);
        return typed && typed.getType() == type;
      })) // C2
    return emitOpError("expected one identity per input, of its element type");
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType()), to = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> dims = getDims();
  bool increase = llvm::is_sorted(dims, std::less_equal<int64_t>());
  if (int64_t(dims.size()) != from.getRank() || !increase ||
      (!dims.empty() && (dims.front() < 0 || dims.back() >= to.getRank()))) // C2
    return emitOpError("expected increasing dims inside rank ")
           << to.getRank() << ", one per operand dim";
  if (from.getElementType() != to.getElementType()) // C3
    return emitOpError("expected equal element types");
  if (!isFragment(from) || !isFragment(to))
    return emitOpError("expected fragments with layouts");
  auto layout = getLayout(to);
  for (int64_t dim = to.getRank() - 1; dim >= 0; --dim)
    if (!llvm::is_contained(dims, dim))
      layout = layout.dropDim(dim);
  if (layout != getLayout(from)) // C1
    return emitOpError("expected the operand's layout to be the result's without the new dims");
  return success();
}

LogicalResult TransposeOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType()), to = cast<RankedTensorType>(getType());
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, from.getRank())) ||
      from.getElementType() != to.getElementType() || !isFragment(from) || !isFragment(to) ||
      getLayout(from).permuteDims(getPermutation()) != getLayout(to)) // C1
    return emitOpError("expected the operand's dims and layout, permuted");
  return success();
}

LogicalResult IotaOp::verify() {
  auto tile = cast<RankedTensorType>(getType());
  if (!tile.getElementType().isIntOrIndex() || int64_t(getDim()) < 0 ||
      int64_t(getDim()) >= tile.getRank()) // C1
    return emitOpError("expected integer elements and a dim inside rank ") << tile.getRank();
  return success();
}

LogicalResult SplatOp::verify() {
  if (getValue().getType() != getElementTypeOrSelf(getType())) // C1
    return emitOpError("expected a fragment of ") << getValue().getType() << ", got " << getType();
  return success();
}

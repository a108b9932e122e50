// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of linalg ops on tensors as nautilus_scalar kernels. Ops are read through LinalgOp's
// interface only (iteration space, indexing maps, body), so that named and generic forms are one;
// ops that say how they decompose (AggregatedOpInterface) are decomposed first.

#include "DimClasses.h"
#include "StatementImporter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "nautilus/Conversion/Passes.h"

namespace mlir::nautilus {
#define GEN_PASS_DEF_CONVERTLINALGTONAUTILUSSCALARPASS
#include "nautilus/Conversion/Passes.h.inc"
} // namespace mlir::nautilus

using namespace mlir;
using namespace mlir::nautilus;

/// Replaces ops that decompose into other linalg ops by those.
static LogicalResult decompose(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<linalg::AggregatedOpInterface> ops;
  function.walk([&](linalg::AggregatedOpInterface op) { ops.push_back(op); });
  for (linalg::AggregatedOpInterface op : ops) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return op->emitError("cannot be decomposed into other linalg ops");
    rewriter.replaceOp(op, *values);
  }
  return success();
}

/// Whether the function is one that this conversion is for: tensors in and out, linalg inside.
static bool isCandidate(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return !function.isExternal() && function.getBody().hasOneBlock() &&
         function.getNumResults() > 0 && llvm::all_of(function.getArgumentTypes(), isTensor) &&
         llvm::all_of(function.getResultTypes(), isTensor) &&
         llvm::any_of(function.getOps(),
                      [](Operation &op) { return isa<linalg::LinalgDialect>(op.getDialect()); });
}

static LogicalResult convert(func::FuncOp function) {
  if (failed(decompose(function)))
    return failure();
  DimClasses classes(function);
  OpBuilder b(function);
  StatementImporter importer(b, classes, function);
  if (failed(importer.beginKernel()))
    return failure();
  for (Operation &op : function.getBody().front()) {
    if (isa<tensor::EmptyOp, tensor::DimOp, arith::ConstantOp>(op))
      continue; // read where they are used
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (failed(importer.importOp(linalgOp)))
        return failure();
      continue;
    }
    if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      if (failed(importer.endKernel(ret)))
        return failure();
      continue;
    }
    return op.emitError(
               "expected linalg ops on tensors, tensor.empty, tensor.dim and constants, got '")
           << op.getName() << "'";
  }
  function.erase();
  return success();
}

namespace {
struct ConvertLinalgToScalar
    : mlir::nautilus::impl::ConvertLinalgToNautilusScalarPassBase<ConvertLinalgToScalar> {
  using ConvertLinalgToNautilusScalarPassBase::ConvertLinalgToNautilusScalarPassBase;

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!isCandidate(function))
        continue;
      if (failed(convert(function)))
        return signalPassFailure();
      ++numFunctions;
    }
  }
};
} // namespace

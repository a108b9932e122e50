// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unification of tensor dims; see the header.

#include "DimClasses.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::nautilus;

void DimClasses::addTensor(Value tensor) {
  if (auto type = dyn_cast<RankedTensorType>(tensor.getType()))
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      classes.insert({tensor.getAsOpaquePointer(), dim});
}

void DimClasses::addOp(Operation *op) {
  for (Value result : op->getResults())
    addTensor(result);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      for (auto [dim, result] : llvm::enumerate(map.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(result))
          unify({op, loop.getPosition()}, {operand.get().getAsOpaquePointer(), unsigned(dim)});
    }
    for (auto [init, result] : llvm::zip(linalgOp.getDpsInits(), op->getResults()))
      for (unsigned dim = 0; dim < cast<RankedTensorType>(init.getType()).getRank(); ++dim)
        unify({init.getAsOpaquePointer(), dim}, {result.getAsOpaquePointer(), dim});
  } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    unsigned next = 0;
    for (unsigned dim = 0; dim < empty.getType().getRank(); ++dim) {
      if (!empty.getType().isDynamicDim(dim))
        continue;
      auto source = empty.getDynamicSizes()[next++].getDefiningOp<tensor::DimOp>();
      if (source && source.getConstantIndex())
        unify({source.getSource().getAsOpaquePointer(), unsigned(*source.getConstantIndex())},
              {empty.getResult().getAsOpaquePointer(), dim});
    }
  }
}

DimClasses::DimClasses(func::FuncOp function) {
  for (BlockArgument arg : function.getArguments())
    addTensor(arg);
  function.getBody().walk([&](Operation *op) {
    if (op->getParentOp() == function)
      addOp(op);
  });
  // Numbers by first appearance: arguments, then ops in order.
  auto visit = [&](Value tensor, bool isArgument) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    for (unsigned dim = 0; type && dim < type.getRank(); ++dim) {
      unsigned n = get(tensor, dim);
      if (!type.isDynamicDim(dim))
        extents[n] = type.getDimSize(dim);
      if (isArgument)
        bound[n] = true;
    }
  };
  for (BlockArgument arg : function.getArguments())
    visit(arg, true);
  function.getBody().walk([&](Operation *op) {
    for (Value result : op->getResults())
      visit(result, false);
  });
}

unsigned DimClasses::number(Node node) {
  auto [it, isNew] = numbers.try_emplace(*classes.findLeader(classes.insert(node)), extents.size());
  if (isNew) {
    extents.push_back(ShapedType::kDynamic);
    bound.push_back(false);
  }
  return it->second;
}

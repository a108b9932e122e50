// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow and element-wise ops of any level.

#include "StructuredInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::nautilus::interpreter;

LogicalResult StructuredInterpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(op)))
      return failure();
  return success();
}

LogicalResult StructuredInterpreter::runOp(Operation &op) {
  if (std::optional<LogicalResult> done = runLevelOp(op))
    return *done;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(branch);
  return runElementwise(op);
}

LogicalResult StructuredInterpreter::runFor(scf::ForOp loop) {
  int64_t lower = integer(loop.getLowerBound()), upper = integer(loop.getUpperBound());
  int64_t step = integer(loop.getStep());
  if (step <= 0)
    return loop.emitError("expected a step > 0, got ") << step;
  SmallVector<RuntimeValue> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(value(init));
  for (int64_t i = lower; i < upper; i += step) {
    integer(loop.getInductionVar()) = i;
    for (auto [argument, next] : llvm::zip(loop.getRegionIterArgs(), carried))
      value(argument) = next;
    if (failed(runBlock(*loop.getBody())))
      return failure();
    for (auto [next, yielded] : llvm::zip(carried, loop.getYieldedValues()))
      next = value(yielded);
  }
  for (auto [result, last] : llvm::zip(loop.getResults(), carried))
    value(result) = last;
  return success();
}

LogicalResult StructuredInterpreter::runIf(scf::IfOp branch) {
  Region &region = integer(branch.getCondition()) ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return success();
  if (failed(runBlock(region.front())))
    return failure();
  for (auto [result, yielded] :
       llvm::zip(branch.getResults(), region.front().getTerminator()->getOperands())) {
    RuntimeValue taken = value(yielded);
    value(result) = std::move(taken);
  }
  return success();
}

LogicalResult StructuredInterpreter::runElementwise(Operation &op) {
  auto it = elementOps.find(&op);
  if (it == elementOps.end()) {
    FailureOr<ElementOp> resolved = resolveElementOp(&op, mode);
    if (failed(resolved))
      return failure();
    it = elementOps.try_emplace(&op, *resolved).first;
  }
  if (isa<RankedTensorType>(op.getResult(0).getType())) {
    runOnTiles(op, it->second);
    return success();
  }
  SmallVector<Element, 3> operands;
  for (Value operand : op.getOperands())
    operands.push_back(value(operand).scalar);
  const Element *in[3];
  for (auto [i, operand] : llvm::enumerate(operands))
    in[i] = &operand;
  it->second.apply(in, &value(op.getResult(0)).scalar, 1);
  return success();
}

/// Tiles are row-major, so that equal positions in storage are equal indices.
void StructuredInterpreter::runOnTiles(Operation &op, const ElementOp &resolved) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Tensor result(resolved.resultKind, storageShape(type));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()); dense && !dense.isSplat()) {
      for (auto [to, attr] : llvm::zip(result.data, dense.getValues<Attribute>()))
        to = *getElement(attr);
      setTile(op.getResult(0), std::move(result));
      return;
    }
  const Element *in[3];
  std::vector<Element> condition; // Of a select between tiles by one bit.
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    if (isa<RankedTensorType>(operand.getType())) {
      in[i] = tile(operand).data.data();
    } else {
      condition.assign(result.data.size(), value(operand).scalar);
      in[i] = condition.data();
    }
  }
  resolved.apply(in, result.data.data(), result.data.size());
  setTile(op.getResult(0), std::move(result));
}

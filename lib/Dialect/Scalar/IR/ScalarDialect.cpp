// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers nautilus_scalar and answers the questions that span its ops: which kernel an op belongs
// to, and whether a value is a tile or a whole tensor.

#include "nautilus/Dialect/Scalar/IR/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;

#include "nautilus/Dialect/Scalar/IR/ScalarDialect.cpp.inc"

void ScalarDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "nautilus/Dialect/Scalar/IR/ScalarOps.cpp.inc"
      >();
}

// Folding makes `arith` constants, also for `dim`.
Operation *ScalarDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult ScalarDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kLaunchAttrName && !isa<LaunchAttr>(attribute.getValue()))
    return op->emitOpError("expected '")
           << kLaunchAttrName << "' to be a #nautilus_scalar.launch, got " << attribute.getValue();
  return success();
}

KernelOp mlir::nautilus::scalar::getKernel(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return kernel;
  return op->getParentOfType<KernelOp>();
}

bool mlir::nautilus::scalar::isTileValue(Value value) {
  // The results of a grid stand outside it, so its own results are whole tensors.
  Operation *parent = value.getParentBlock()->getParentOp();
  return isa_and_nonnull<GridOp>(parent) ||
         (parent && parent->getParentOfType<GridOp>() != nullptr);
}

int64_t mlir::nautilus::scalar::getAxisExtent(KernelOp kernel, AxisAttr axis) {
  if (axis.getTile() != 0)
    return axis.getTile();
  DimAttr dim = kernel ? kernel.lookupDim(axis.getDim().getValue()) : DimAttr();
  return dim ? dim.getSize() : ShapedType::kDynamic;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one kernel of one function: a statement for each linalg op.

#ifndef NAUTILUS_LIB_CONVERSION_LINALGTOSCALAR_STATEMENTIMPORTER_H
#define NAUTILUS_LIB_CONVERSION_LINALGTOSCALAR_STATEMENTIMPORTER_H

#include "DimClasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"

namespace mlir::nautilus {

class StatementImporter {
public:
  StatementImporter(OpBuilder &builder, DimClasses &classes, func::FuncOp function)
      : b(builder), classes(classes), function(function) {}
  LogicalResult beginKernel();
  LogicalResult importOp(linalg::LinalgOp op);
  LogicalResult endKernel(func::ReturnOp op);

private:
  /// What a linalg op becomes: axes (parallel ones in the order of the result's dims), and how its
  /// loops map to them.
  struct Space {
    SmallVector<scalar::AxisAttr> parallel, reduction;
    SmallVector<unsigned> axisOf; // of each loop
    SmallVector<StringAttr> axisName;
  };
  /// An input of the statement: a tensor of the function at subscripts over the axes.
  struct Input {
    Value tensor;
    AffineMap map;
    BlockArgument bodyArgument;
  };
  FailureOr<Space> getSpace(linalg::LinalgOp op);
  FailureOr<SmallVector<Input>> getInputs(linalg::LinalgOp op, const Space &space, bool withInit);
  RankedTensorType getType(const Space &space, Type element);
  std::string makeName(Operation *op);
  /// Clones the ops that `value` needs from the op's body; block arguments are mapped already.
  FailureOr<Value> cloneValue(Value value, IRMapping &map, linalg::LinalgOp op, const Space &space);
  LogicalResult importMap(linalg::LinalgOp op, const Space &space);
  LogicalResult importReduction(linalg::LinalgOp op, const Space &space);
  /// init combined with the reduction, unless init is a fill with the neutral element.
  FailureOr<Value> combineWithInit(linalg::LinalgOp op, const Space &space, Operation *combine,
                                   Value reduced, TypedAttr identity);
  Block *makeBody(Region &region, ArrayRef<Input> inputs, Location loc, IRMapping &map);

  OpBuilder &b;
  DimClasses &classes;
  func::FuncOp function;
  scalar::KernelOp kernel;
  IRMapping values;
  llvm::StringMap<unsigned> names;
};

} // namespace mlir::nautilus

#endif

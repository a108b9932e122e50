// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates statements: axes, accesses, body, combiner.

#include "Statement.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

/// Adds `scale` times `expr` to a linear form; false if `expr` is not linear.
static bool addLinear(AffineExpr expr, int64_t scale, int64_t &constant,
                      SmallVectorImpl<int64_t> &coefficients) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += scale * value.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += scale;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), scale, constant, coefficients) &&
           addLinear(binary.getRHS(), scale, constant, coefficients);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor &&
         addLinear(binary.getLHS(), scale * factor.getValue(), constant, coefficients);
}

static InputAccess translateAccess(AffineMap map, Value input, unsigned numAxes) {
  InputAccess access;
  access.map = map;
  access.isTile = scalar::isTileValue(input);
  access.isLinear = true;
  for (AffineExpr expr : map.getResults()) {
    SmallVector<int64_t> &coefficients = access.coefficients.emplace_back(numAxes, 0);
    access.isLinear &= addLinear(expr, 1, access.constants.emplace_back(0), coefficients);
  }
  return access;
}

LogicalResult Statement::translateCommon(Operation *op, ArrayAttr maps, ValueRange operands,
                                         Block &block, Mode mode) {
  this->op = op;
  numAxes = std::max<unsigned>(1, axes.size());
  SmallVector<StringRef> names;
  for (scalar::AxisAttr axis : axes)
    names.push_back(axis.getName().getValue());
  for (auto [attr, input] : llvm::zip(maps, operands))
    inputs.push_back(translateAccess(cast<AffineMapAttr>(attr).getValue(), input, numAxes));
  for (Type type : op->getResultTypes()) {
    std::optional<ElementKind> kind = getElementKind(getElementTypeOrSelf(type));
    if (!kind)
      return op->emitError("the interpreter does not know the type ") << type;
    resultKinds.push_back(*kind);
  }
  FailureOr<BodyProgram> program = BodyProgram::translate(block, names, mode);
  if (failed(program))
    return failure();
  body = std::move(*program);
  return success();
}

FailureOr<Statement> Statement::translate(scalar::MapOp op, Mode mode) {
  Statement statement;
  for (unsigned i = 0; i < op.getNumAxes(); ++i)
    statement.axes.push_back(op.getAxis(i));
  if (failed(statement.translateCommon(op, op.getIndexingMaps(), op.getInputs(),
                                       op.getBody().front(), mode)))
    return failure();
  statement.numParallel = statement.numAxes;
  return statement;
}

FailureOr<Statement> Statement::translate(scalar::ReduceOp op, Mode mode) {
  Statement statement;
  for (unsigned i = 0; i < op.getNumAxes(); ++i)
    statement.axes.push_back(op.getAxis(i));
  if (failed(statement.translateCommon(op, op.getIndexingMaps(), op.getInputs(),
                                       op.getBody().front(), mode)))
    return failure();
  statement.numParallel = op.getNumParallelAxes();
  FailureOr<BodyProgram> combiner = BodyProgram::translate(op.getCombiner().front(), {}, mode);
  if (failed(combiner))
    return failure();
  statement.combiner = std::move(*combiner);
  for (Attribute attr : op.getIdentities()) {
    std::optional<Element> identity = getElement(attr);
    if (!identity)
      return op.emitError("the interpreter does not know the identity ") << attr;
    statement.identities.push_back(*identity);
  }
  return statement;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns an `arith` or `math` op into a lane function with its types, predicate and rounding.

#include "ElementOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nautilus::interpreter;

void nautilus::interpreter::narrowLanes(ElementKind kind, Element *values, size_t count) {
  if (kind == ElementKind::F32) {
    for (size_t l = 0; l < count; ++l)
      values[l].f = static_cast<float>(values[l].f);
  } else if (isFloat(kind)) {
    for (size_t l = 0; l < count; ++l)
      values[l].f = roundToKind(kind, values[l].f);
  } else {
    for (size_t l = 0; l < count; ++l)
      values[l].i = wrapToKind(kind, values[l].i);
  }
}

void ElementOp::apply(const Element *const *in, Element *out, size_t count) const {
  if (isCopy()) {
    std::copy(in[0], in[0] + count, out);
    return;
  }
  function(*this, in, out, count);
  if (rounds)
    narrowLanes(resultKind, out, count);
}

std::optional<Element> nautilus::interpreter::getElement(Attribute attr) {
  Element element;
  if (auto value = dyn_cast<FloatAttr>(attr)) {
    APFloat wide = value.getValue();
    bool losesInfo;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    element.f = wide.convertToDouble();
    return element;
  }
  if (auto value = dyn_cast<IntegerAttr>(attr)) {
    const APInt &bits = value.getValue();
    element.i = bits.getBitWidth() == 1 ? bits.getZExtValue() : bits.getSExtValue();
    return element;
  }
  return std::nullopt;
}

/// True when the result has to be brought back into its kind after computing in 64 bits.
static bool needsNarrowing(Operation *op, ElementKind kind, Mode mode) {
  if (bitWidth(kind) == 64)
    return false;
  if (isFloat(kind)) {
    // An explicit cast rounds in both modes; a choice between values that fit already fits.
    if (isa<arith::TruncFOp>(op))
      return true;
    return mode == Mode::Typed && !isa<arith::SelectOp, arith::ConstantOp>(op);
  }
  return !isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp, arith::ConstantOp, arith::AndIOp,
              arith::OrIOp, arith::XOrIOp>(op);
}

FailureOr<ElementOp> nautilus::interpreter::resolveElementOp(Operation *op, Mode mode) {
  std::optional<LaneFunction> function = lookupLaneFunction(op->getName().getStringRef());
  if (!function || op->getNumResults() != 1)
    return op->emitError("the interpreter does not know ") << op->getName();
  std::optional<ElementKind> resultKind =
      getElementKind(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!resultKind)
    return op->emitError("the interpreter does not know the type ") << op->getResult(0).getType();
  ElementOp resolved;
  resolved.function = *function;
  resolved.resultKind = resolved.operandKind = *resultKind;
  if (op->getNumOperands() != 0) {
    Type type = op->getOperand(isa<arith::SelectOp>(op) ? 1 : 0).getType();
    std::optional<ElementKind> operandKind = getElementKind(getElementTypeOrSelf(type));
    if (!operandKind)
      return op->emitError("the interpreter does not know the type ") << type;
    resolved.operandKind = *operandKind;
  }
  resolved.rounds = !resolved.isCopy() && needsNarrowing(op, *resultKind, mode);
  // Between 64-bit types an index cast is no work.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) && bitWidth(resolved.operandKind) == 64 &&
      bitWidth(*resultKind) == 64)
    resolved.function = nullptr;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    resolved.predicate = static_cast<unsigned>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    resolved.predicate = static_cast<unsigned>(compare.getPredicate());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    // Of a dense constant that is no splat only the type of its elements is looked at here.
    if (auto dense = dyn_cast<DenseElementsAttr>(value); dense && !dense.empty())
      value = *dense.getValues<Attribute>().begin();
    std::optional<Element> element = getElement(value);
    if (!element)
      return op->emitError("the interpreter does not know this constant");
    resolved.constant = *element;
  }
  return resolved;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// arith and math ops on fragments and scalars: the same op on each register.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::nautilus;

LogicalResult KernelEmitter::emitConstant(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat())
      return op.emitError(
          "expected a splat constant; other constant tiles have no place in a kernel");
    value = dense.getSplatValue<Attribute>();
  }
  Value element = constant(cast<TypedAttr>(value));
  set(op.getResult(), SmallVector<Value>(numRegisters(op.getType()), element));
  return success();
}

/// An index became an i32, so a cast between index and an integer is a change of width or nothing.
static Value castInteger(OpBuilder &b, Location loc, Value value, Type to, bool isSigned) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), width = to.getIntOrFloatBitWidth();
  if (from == width)
    return value;
  if (from > width)
    return arith::TruncIOp::create(b, loc, to, value);
  return isSigned ? arith::ExtSIOp::create(b, loc, to, value).getResult()
                  : arith::ExtUIOp::create(b, loc, to, value).getResult();
}

LogicalResult KernelEmitter::emitElementwise(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() != 1)
    return op->emitError("expected an op of nautilus_matile, arith, math or scf, got '")
           << op->getName() << "'";
  auto isNarrow = [](Type type) { return isFloat8(type); };
  if (llvm::any_of(op->getOperandTypes(), isNarrow) || isFloat8(op->getResult(0).getType()))
    return emitFloat8(op);
  return emitPerRegister(op);
}

LogicalResult KernelEmitter::emitPerRegister(Operation *op) {
  Value result = op->getResult(0);
  Type type = registerType(result.getType());
  int64_t count = numRegisters(result.getType());
  SmallVector<Value> registers;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      ArrayRef<Value> all = regs(operand);
      operands.push_back(all[all.size() == 1 ? 0 : i]);
    }
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      registers.push_back(castInteger(b, loc, operands[0], type, isa<arith::IndexCastOp>(op)));
      continue;
    }
    OperationState state(loc, op->getName(), operands, type, op->getAttrs());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    registers.push_back(b.create(state)->getResult(0));
  }
  set(result, registers);
  return success();
}

LogicalResult KernelEmitter::emitTruncate(arith::TruncFOp op) {
  // Two f32 values become one packed pair in one instruction; pairs are taken apart again for free
  // where they are not wanted.
  Type from = getElementTypeOrSelf(op.getIn().getType()), to = getElementTypeOrSelf(op.getType());
  ArrayRef<Value> in = regs(op.getIn());
  if (!from.isF32() || !(to.isF16() || to.isBF16()) || in.size() % 2)
    return emitElementwise(op);
  SmallVector<Value> source(in), registers;
  StringRef name = to.isF16() ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn";
  for (size_t i = 0; i < source.size(); i += 2) {
    Value pair = intrinsic(name, VectorType::get(2, to), {source[i + 1], source[i]});
    for (int64_t half : {0, 1})
      registers.push_back(LLVM::ExtractElementOp::create(b, loc, pair, i32(half)));
  }
  set(op.getResult(), registers);
  return success();
}

Value KernelEmitter::packPair(Value low, Value high) {
  Type type = VectorType::get(2, low.getType());
  Value pair = LLVM::UndefOp::create(b, loc, type);
  pair = LLVM::InsertElementOp::create(b, loc, pair, low, i32(0));
  pair = LLVM::InsertElementOp::create(b, loc, pair, high, i32(1));
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair);
}

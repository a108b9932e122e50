// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floats: bytes in registers, which casts from and to wider floats alone look into, two at a
// time. PTX ISA, cvt: e4m3x2 and e5m2x2 (sm_89 and later); too large values saturate, NaN stays
// NaN.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::nautilus;

bool KernelEmitter::isFloat8(Type type) {
  type = getElementTypeOrSelf(type);
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

static StringRef pairName(Type type) {
  return isa<Float8E5M2Type>(getElementTypeOrSelf(type)) ? "e5m2x2" : "e4m3x2";
}

SmallVector<Value> KernelEmitter::extendFloat8(Type from, ArrayRef<Value> bytes, Type to) {
  Type i16 = b.getI16Type(), f16 = b.getF16Type();
  std::string name = ("llvm.nvvm." + pairName(from) + ".to.f16x2.rn").str();
  SmallVector<Value> values;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    Value word = arith::ExtUIOp::create(b, loc, i16, bytes[i]);
    bool isPair = i + 1 < bytes.size();
    if (isPair) {
      Value high = arith::ExtUIOp::create(b, loc, i16, bytes[i + 1]);
      high = arith::ShLIOp::create(b, loc, high, arith::ConstantIntOp::create(b, loc, 8, 16));
      word = arith::OrIOp::create(b, loc, word, high);
    }
    Value pair = intrinsic(name, VectorType::get(2, f16), word);
    for (int64_t half = 0; half <= int64_t(isPair); ++half) {
      Value value = LLVM::ExtractElementOp::create(b, loc, pair, i32(half));
      if (to.isBF16()) // has no cast from f16; every 8-bit float is a bf16
        value = arith::TruncFOp::create(b, loc, to,
                                        arith::ExtFOp::create(b, loc, b.getF32Type(), value));
      else if (!to.isF16())
        value = arith::ExtFOp::create(b, loc, to, value);
      values.push_back(value);
    }
  }
  return values;
}

SmallVector<Value> KernelEmitter::truncateToFloat8(ArrayRef<Value> values, Type to) {
  Type i8 = b.getI8Type();
  std::string name = ("llvm.nvvm.ff.to." + pairName(to) + ".rn").str();
  auto toF32 = [&](Value value) -> Value {
    return value.getType().isF32() ? value : arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  };
  SmallVector<Value> bytes;
  for (size_t i = 0; i < values.size(); i += 2) {
    bool isPair = i + 1 < values.size();
    Value low = toF32(values[i]), high = isPair ? toF32(values[i + 1]) : low;
    Value word = intrinsic(name, b.getI16Type(), {high, low});
    bytes.push_back(arith::TruncIOp::create(b, loc, i8, word));
    if (isPair)
      bytes.push_back(arith::TruncIOp::create(
          b, loc, i8,
          arith::ShRUIOp::create(b, loc, word, arith::ConstantIntOp::create(b, loc, 8, 16))));
  }
  return bytes;
}

LogicalResult KernelEmitter::emitFloat8(Operation *op) {
  Value result = op->getResult(0);
  if (isa<arith::SelectOp>(op))
    return emitPerRegister(op);
  Type to = getElementTypeOrSelf(result.getType());
  if (op->getNumOperands() == 1) {
    Value in = op->getOperand(0);
    Type from = getElementTypeOrSelf(in.getType());
    if (isa<arith::ExtFOp>(op) && (to.isF16() || to.isBF16() || to.isF32())) {
      set(result, extendFloat8(from, SmallVector<Value>(regs(in)), to));
      return success();
    }
    if (isa<arith::TruncFOp>(op) && (from.isF16() || from.isBF16() || from.isF32())) {
      set(result, truncateToFloat8(SmallVector<Value>(regs(in)), to));
      return success();
    }
  }
  return op->emitError("expected casts and selections alone on 8-bit floats, got '")
         << op->getName() << "'; cast to f32 to compute";
}

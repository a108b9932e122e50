// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas as `arith` and `math` ops. Conversions that the language implies are made here: narrow
// floats are extended to f32 where they are computed with, casts to 8-bit floats saturate.

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"

using namespace mlir;
using namespace mlir::nautilus::frontend;

Type mlir::nautilus::frontend::getType(MLIRContext *context, Elem type) {
  Builder b(context);
  switch (type) {
  case Elem::Bool:
    return b.getI1Type();
  case Elem::I8:
    return b.getI8Type();
  case Elem::I32:
    return b.getI32Type();
  case Elem::Int:
  case Elem::I64:
    return b.getI64Type();
  case Elem::Index:
    return b.getIndexType();
  case Elem::F8E4M3:
    return Float8E4M3FNType::get(context);
  case Elem::F8E5M2:
    return Float8E5M2Type::get(context);
  case Elem::F16:
    return b.getF16Type();
  case Elem::BF16:
    return b.getBF16Type();
  case Elem::F32:
    return b.getF32Type();
  }
  llvm_unreachable("every type is listed");
}

Value BodyEmitter::constant(TypedAttr value, Location loc) {
  Value &known = constants[value];
  if (!known)
    known = arith::ConstantOp::create(builder, loc, value);
  return known;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value BodyEmitter::convertFloat(Value value, Elem from, Elem to, Location loc) {
  Type f32 = builder.getF32Type();
  if (isNarrowFloat(from)) {
    value = arith::ExtFOp::create(builder, loc, f32, value);
    return to == Elem::F32 ? value : convertFloat(value, Elem::F32, to, loc);
  }
  if (to == Elem::F8E4M3 || to == Elem::F8E5M2) {
    // Saturates; NaN passes through both.
    double largest = to == Elem::F8E4M3 ? 448.0 : 57344.0;
    Value high = constant(builder.getF32FloatAttr(largest), loc);
    Value low = constant(builder.getF32FloatAttr(-largest), loc);
    value = arith::MinimumFOp::create(builder, loc, value, high);
    value = arith::MaximumFOp::create(builder, loc, value, low);
  }
  return arith::TruncFOp::create(builder, loc, getType(builder.getContext(), to), value);
}

Value BodyEmitter::convertToInteger(Value value, Elem from, Elem to, Location loc) {
  Type type = getType(builder.getContext(), to);
  if (isFloat(from))
    return arith::FPToSIOp::create(builder, loc, type, convert(value, from, Elem::F32, loc));
  if (from == Elem::Bool && to == Elem::Index)
    return arith::IndexCastUIOp::create(builder, loc, type, value);
  if (from == Elem::Bool)
    return arith::ExtUIOp::create(builder, loc, type, value);
  if (from == Elem::Index || to == Elem::Index)
    return arith::IndexCastOp::create(builder, loc, type, value);
  if (type.getIntOrFloatBitWidth() > value.getType().getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}

Value BodyEmitter::convert(Value value, Elem from, Elem to, Location loc) {
  if (from == to || value.getType() == getType(builder.getContext(), to))
    return value;
  if (isFloat(from) && isFloat(to))
    return convertFloat(value, from, to, loc);
  if (to == Elem::Bool) {
    Value zero = constant(builder.getZeroAttr(value.getType()), loc);
    if (isFloat(from))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, value, zero);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (!isFloat(to))
    return convertToInteger(value, from, to, loc);
  Type f32 = builder.getF32Type();
  if (from == Elem::Bool) {
    value = arith::UIToFPOp::create(builder, loc, f32, value);
  } else {
    if (from == Elem::Index)
      value = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    value = arith::SIToFPOp::create(builder, loc, f32, value);
  }
  return convert(value, Elem::F32, to, loc);
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

Value BodyEmitter::emitDim(const Dim *dim, Location loc) {
  if (dim->size)
    return constant(builder.getIndexAttr(*dim->size), loc);
  Value &known = dims[dim->name];
  if (!known)
    known = scalar::DimOp::create(builder, loc, builder.getIndexType(),
                                  builder.getStringAttr(dim->name));
  return known;
}

Value BodyEmitter::emitExtent(const Axis *axis, Location loc) {
  Value extent;
  for (const Dim *dim : axis->extent) {
    Value size = emitDim(dim, loc);
    extent = extent ? arith::MulIOp::create(builder, loc, extent, size) : size;
  }
  return extent;
}

Value BodyEmitter::emitCoordinate(const Axis *axis, Location loc) {
  Value coordinate;
  for (auto [i, dim] : llvm::enumerate(axis->extent)) {
    const FlatAxis &flat = scope.flatAxes[axis->firstFlat + i];
    Value &known = digits[flat.name];
    if (!known)
      known = scalar::IndexOp::create(builder, loc, builder.getIndexType(),
                                      builder.getStringAttr(flat.name));
    Value digit = known;
    if (coordinate) {
      coordinate = arith::MulIOp::create(builder, loc, coordinate, emitDim(dim, loc));
      digit = arith::AddIOp::create(builder, loc, coordinate, digit);
    }
    coordinate = digit;
  }
  return coordinate;
}

Value BodyEmitter::emitLiteral(const Node *node, Elem type) {
  Location loc = diagnostics.getLocation(node->place);
  Type mlirType = getType(builder.getContext(), type);
  if (auto floatType = dyn_cast<FloatType>(mlirType))
    return constant(
        FloatAttr::get(floatType, node->type == Elem::Int ? double(node->integer) : node->number),
        loc);
  return constant(builder.getIntegerAttr(mlirType, node->integer), loc);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value BodyEmitter::emitLogical(const Node *node, Location loc) {
  Value l = emit(node->args[0], Elem::Bool);
  if (node->opcode == Opcode::Not)
    return arith::XOrIOp::create(builder, loc, l, constant(builder.getBoolAttr(true), loc));
  Value r = emit(node->args[1], Elem::Bool);
  if (node->opcode == Opcode::And)
    return arith::AndIOp::create(builder, loc, l, r);
  return arith::OrIOp::create(builder, loc, l, r);
}

Value BodyEmitter::emitComparison(const Node *node, Location loc) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr F floats[] = {F::OLT, F::OLE, F::OGT, F::OGE, F::OEQ, F::UNE};
  static constexpr I integers[] = {I::slt, I::sle, I::sgt, I::sge, I::eq, I::ne};
  Elem type = node->operandType == Elem::Int ? Elem::I64 : node->operandType;
  Value l = emit(node->args[0], type), r = emit(node->args[1], type);
  unsigned which = unsigned(node->opcode) - unsigned(Opcode::Less);
  if (type == Elem::F32)
    return arith::CmpFOp::create(builder, loc, floats[which], l, r);
  return arith::CmpIOp::create(builder, loc, integers[which], l, r);
}

Value BodyEmitter::emitIntegerOp(Opcode opcode, ArrayRef<Value> args, Location loc) {
  switch (opcode) {
  case Opcode::Add:
    return arith::AddIOp::create(builder, loc, args[0], args[1]);
  case Opcode::Sub:
    return arith::SubIOp::create(builder, loc, args[0], args[1]);
  case Opcode::Mul:
    return arith::MulIOp::create(builder, loc, args[0], args[1]);
  case Opcode::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, args[0], args[1]);
  case Opcode::Mod: {
    Value quotient = arith::FloorDivSIOp::create(builder, loc, args[0], args[1]);
    Value multiple = arith::MulIOp::create(builder, loc, quotient, args[1]);
    return arith::SubIOp::create(builder, loc, args[0], multiple);
  }
  case Opcode::Neg: {
    Value zero = constant(builder.getZeroAttr(args[0].getType()), loc);
    return arith::SubIOp::create(builder, loc, zero, args[0]);
  }
  case Opcode::Abs: {
    Value negated = emitIntegerOp(Opcode::Neg, args, loc);
    return arith::MaxSIOp::create(builder, loc, args[0], negated);
  }
  case Opcode::Max:
    return arith::MaxSIOp::create(builder, loc, args[0], args[1]);
  case Opcode::Min:
    return arith::MinSIOp::create(builder, loc, args[0], args[1]);
  default:
    llvm_unreachable("computed in f32");
  }
}

Value BodyEmitter::emitFunction(Opcode opcode, Value arg, Location loc) {
  switch (opcode) {
  case Opcode::Neg:
    return arith::NegFOp::create(builder, loc, arg);
  case Opcode::Exp:
    return math::ExpOp::create(builder, loc, arg);
  case Opcode::Exp2:
    return math::Exp2Op::create(builder, loc, arg);
  case Opcode::Log:
    return math::LogOp::create(builder, loc, arg);
  case Opcode::Log2:
    return math::Log2Op::create(builder, loc, arg);
  case Opcode::Sqrt:
    return math::SqrtOp::create(builder, loc, arg);
  case Opcode::Rsqrt:
    return math::RsqrtOp::create(builder, loc, arg);
  case Opcode::Tanh:
    return math::TanhOp::create(builder, loc, arg);
  case Opcode::Erf:
    return math::ErfOp::create(builder, loc, arg);
  case Opcode::Sin:
    return math::SinOp::create(builder, loc, arg);
  case Opcode::Cos:
    return math::CosOp::create(builder, loc, arg);
  case Opcode::Abs:
    return math::AbsFOp::create(builder, loc, arg);
  case Opcode::Floor:
    return math::FloorOp::create(builder, loc, arg);
  case Opcode::Ceil:
    return math::CeilOp::create(builder, loc, arg);
  default:
    llvm_unreachable("not a function of one argument");
  }
}

Value BodyEmitter::emitFloatOp(Opcode opcode, ArrayRef<Value> args, Location loc) {
  if (args.size() == 1)
    return emitFunction(opcode, args[0], loc);
  switch (opcode) {
  case Opcode::Add:
    return arith::AddFOp::create(builder, loc, args[0], args[1]);
  case Opcode::Sub:
    return arith::SubFOp::create(builder, loc, args[0], args[1]);
  case Opcode::Mul:
    return arith::MulFOp::create(builder, loc, args[0], args[1]);
  case Opcode::Div:
    return arith::DivFOp::create(builder, loc, args[0], args[1]);
  case Opcode::Pow:
    return math::PowFOp::create(builder, loc, args[0], args[1]);
  case Opcode::Max:
    return arith::MaximumFOp::create(builder, loc, args[0], args[1]);
  case Opcode::Min:
    return arith::MinimumFOp::create(builder, loc, args[0], args[1]);
  case Opcode::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, args[0], args[1]);
  case Opcode::MinNum:
    return arith::MinNumFOp::create(builder, loc, args[0], args[1]);
  default:
    llvm_unreachable("computed in whole numbers");
  }
}

Value BodyEmitter::emitOp(const Node *node, Elem type) {
  Location loc = diagnostics.getLocation(node->place);
  if (node->opcode >= Opcode::And && node->opcode <= Opcode::Not)
    return emitLogical(node, loc);
  if (node->opcode >= Opcode::Less && node->opcode <= Opcode::NotEqual)
    return emitComparison(node, loc);
  // A division or remainder of whole numbers is one whatever asks for it.
  Elem operands = type;
  if ((node->opcode == Opcode::FloorDiv || node->opcode == Opcode::Mod) && isFloat(type))
    operands = Elem::I64;
  SmallVector<Value, 2> args;
  for (const Node *arg : node->args)
    args.push_back(emit(arg, operands));
  if (!isFloat(operands))
    return convert(emitIntegerOp(node->opcode, args, loc), operands, type, loc);
  return emitFloatOp(node->opcode, args, loc);
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// The value in its own type, or in `type` if it is a whole number without one.
Value BodyEmitter::emitRaw(const Node *node, Elem type) {
  Location loc = diagnostics.getLocation(node->place);
  switch (node->kind) {
  case Node::Literal:
    return emitLiteral(node, type);
  case Node::AxisValue:
    return emitCoordinate(node->axis, loc);
  case Node::DimValue:
    return emitDim(node->dim, loc);
  case Node::ExtentOf:
    return emitExtent(node->axis, loc);
  case Node::Read:
  case Node::Local:
  case Node::Reduce:
    return inputs.lookup(node);
  case Node::Op:
    return emitOp(node, type);
  case Node::Select: {
    Value condition = emit(node->args[0], Elem::Bool);
    Value value = emit(node->args[1], type);
    Value otherwise = emit(node->args[2], type);
    return arith::SelectOp::create(builder, loc, condition, value, otherwise);
  }
  case Node::Cast: {
    const Node *arg = node->args[0];
    Elem from = arg->type;
    if (from == Elem::Int)
      from = isFloat(type) ? Elem::F32 : Elem::I64;
    return convert(emit(arg, from), from, type, loc);
  }
  }
  llvm_unreachable("every kind of node is emitted above");
}

Value BodyEmitter::emit(const Node *node, Elem type) {
  Value &value = known[{node, int(type)}];
  if (value)
    return value;
  bool adapts = node->type == Elem::Int ||
                (node->kind == Node::Literal && node->type == Elem::F32 && isFloat(type));
  Elem own = adapts ? type : node->type;
  Value result = own == type
                     ? emitRaw(node, type)
                     : convert(emit(node, own), own, type, diagnostics.getLocation(node->place));
  return known[{node, int(type)}] = result;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation between bodies of `arith` and `math` ops and expression DAGs. One table names the ops
// that correspond to a node one to one; casts, comparisons and selects are told apart by type.

#include "nautilus/Schedule/ExprIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

std::optional<ScalarType> schedule::getScalarType(Type type) {
  if (type.isIndex())
    return ScalarType::Index;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return ScalarType::I1;
    case 8:
      return ScalarType::I8;
    case 16:
      return ScalarType::I16;
    case 32:
      return ScalarType::I32;
    case 64:
      return ScalarType::I64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, std::optional<ScalarType>>(type)
      .Case([](Float8E4M3FNType) { return ScalarType::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return ScalarType::F8E5M2; })
      .Case([](Float16Type) { return ScalarType::F16; })
      .Case([](BFloat16Type) { return ScalarType::BF16; })
      .Case([](Float32Type) { return ScalarType::F32; })
      .Case([](Float64Type) { return ScalarType::F64; })
      .Default([](Type) { return std::nullopt; });
}

Type schedule::getMLIRType(ScalarType type, MLIRContext *context) {
  switch (type) {
  case ScalarType::Index:
    return IndexType::get(context);
  case ScalarType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ScalarType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ScalarType::F16:
    return Float16Type::get(context);
  case ScalarType::BF16:
    return BFloat16Type::get(context);
  case ScalarType::F32:
    return Float32Type::get(context);
  case ScalarType::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, getBitWidth(type));
  }
}

namespace {
/// An op that one node stands for, in float or integer form.
struct OpEntry {
  ExprOp op;
  bool inFloat;
  llvm::StringLiteral name;
};
} // namespace

static constexpr OpEntry opTable[] = {{ExprOp::Add, true, "arith.addf"},
                                      {ExprOp::Add, false, "arith.addi"},
                                      {ExprOp::Sub, true, "arith.subf"},
                                      {ExprOp::Sub, false, "arith.subi"},
                                      {ExprOp::Mul, true, "arith.mulf"},
                                      {ExprOp::Mul, false, "arith.muli"},
                                      {ExprOp::Div, true, "arith.divf"},
                                      {ExprOp::Div, false, "arith.divsi"},
                                      {ExprOp::Rem, true, "arith.remf"},
                                      {ExprOp::Rem, false, "arith.remsi"},
                                      {ExprOp::FloorDiv, false, "arith.floordivsi"},
                                      {ExprOp::Max, true, "arith.maximumf"},
                                      {ExprOp::Max, false, "arith.maxsi"},
                                      {ExprOp::Min, true, "arith.minimumf"},
                                      {ExprOp::Min, false, "arith.minsi"},
                                      {ExprOp::MaxNum, true, "arith.maxnumf"},
                                      {ExprOp::MinNum, true, "arith.minnumf"},
                                      {ExprOp::Pow, true, "math.powf"},
                                      {ExprOp::And, false, "arith.andi"},
                                      {ExprOp::Or, false, "arith.ori"},
                                      {ExprOp::Xor, false, "arith.xori"},
                                      {ExprOp::Neg, true, "arith.negf"},
                                      {ExprOp::Abs, true, "math.absf"},
                                      {ExprOp::Abs, false, "math.absi"},
                                      {ExprOp::Exp, true, "math.exp"},
                                      {ExprOp::Exp2, true, "math.exp2"},
                                      {ExprOp::Log, true, "math.log"},
                                      {ExprOp::Log2, true, "math.log2"},
                                      {ExprOp::Sqrt, true, "math.sqrt"},
                                      {ExprOp::Rsqrt, true, "math.rsqrt"},
                                      {ExprOp::Tanh, true, "math.tanh"},
                                      {ExprOp::Erf, true, "math.erf"},
                                      {ExprOp::Sin, true, "math.sin"},
                                      {ExprOp::Cos, true, "math.cos"}};

//===-- Import ------------------------------------------------------------===//

static Expr importConstant(ExprContext &context, arith::ConstantOp op, ScalarType type) {
  if (auto value = dyn_cast<FloatAttr>(op.getValue())) {
    APFloat number = value.getValue();
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return context.constant(number.convertToDouble(), type);
  }
  if (auto value = dyn_cast<IntegerAttr>(op.getValue())) {
    const APInt &bits = value.getValue();
    return context.intConstant(type == ScalarType::I1 ? bits.getZExtValue() : bits.getSExtValue(),
                               type);
  }
  return nullptr;
}

static bool isCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
             arith::IndexCastUIOp>(op);
}

static Expr importOpaque(ExprContext &context, Operation *op, ArrayRef<Expr> operands,
                         ScalarType type) {
  OpaqueOperation operation;
  llvm::raw_string_ostream os(operation.key);
  os << op->getName() << " " << op->getAttrDictionary();
  operation.name = op->getName().getAsOpaquePointer();
  operation.attributes = op->getAttrDictionary().getAsOpaquePointer();
  return context.opaque(std::move(operation), operands, type);
}

/// Null if the op can't be imported.
static Expr importOp(ExprContext &context, Operation *op, ArrayRef<Expr> operands,
                     LeafOfOp leafOfOp) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return nullptr;
  std::optional<ScalarType> type = getScalarType(op->getResult(0).getType());
  if (!type)
    return nullptr;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return importConstant(context, constant, *type);
  if (operands.empty() && leafOfOp)
    if (Expr leaf = leafOfOp(op))
      return leaf;
  if (isCast(op)) {
    bool isUnsigned =
        isa<arith::UIToFPOp, arith::FPToUIOp, arith::ExtUIOp, arith::IndexCastUIOp>(op);
    return context.cast(operands[0], *type, isUnsigned);
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return context.cmpF(compare.getPredicate(), operands[0], operands[1]);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return context.cmpI(compare.getPredicate(), operands[0], operands[1]);
  if (isa<arith::SelectOp>(op))
    return context.select(operands[0], operands[1], operands[2]);
  for (const OpEntry &entry : opTable)
    if (entry.name == op->getName().getStringRef())
      return operands.size() == 1 ? context.unary(entry.op, operands[0])
                                  : context.binary(entry.op, operands[0], operands[1]);
  return isPure(op) ? importOpaque(context, op, operands, *type) : nullptr;
}

FailureOr<SmallVector<Expr>> schedule::importBody(ExprContext &context, Block &body,
                                                  ArrayRef<Expr> arguments, LeafOfOp leafOfOp,
                                                  Operation **offender) {
  llvm::DenseMap<Value, Expr> values;
  for (auto [argument, expr] : llvm::zip_equal(body.getArguments(), arguments))
    values[argument] = expr;
  auto lookup = [&](Operation &op) {
    return llvm::map_to_vector(op.getOperands(), [&](Value value) { return values.lookup(value); });
  };
  for (Operation &op : body.without_terminator()) {
    SmallVector<Expr> operands = lookup(op);
    Expr result = llvm::is_contained(operands, nullptr)
                      ? nullptr
                      : importOp(context, &op, operands, leafOfOp);
    if (!result) {
      if (offender)
        *offender = &op;
      return failure();
    }
    values[op.getResult(0)] = result;
  }
  SmallVector<Expr> results = lookup(*body.getTerminator());
  if (llvm::is_contained(results, nullptr)) {
    if (offender)
      *offender = body.getTerminator();
    return failure();
  }
  return results;
}

//===-- Emission ----------------------------------------------------------===//

static Value emitConstant(OpBuilder &b, Location loc, Expr e) {
  Type type = getMLIRType(e->getType(), b.getContext());
  TypedAttr value;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(e->getFloat());
    bool losesInfo;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    value = FloatAttr::get(type, number);
  } else {
    value = IntegerAttr::get(type, e->getInt());
  }
  return arith::ConstantOp::create(b, loc, value);
}

static Value emitCast(OpBuilder &b, Location loc, Expr e, Value a) {
  Type type = getMLIRType(e->getType(), b.getContext());
  ScalarType from = e->getOperand(0)->getType(), to = e->getType();
  bool isUnsigned = e->isUnsigned();
  if (isFloat(from) && isFloat(to)) {
    // Two types of equal width, such as f16 and bf16, convert by way of f32, which holds both.
    if (getBitWidth(from) == getBitWidth(to))
      return arith::TruncFOp::create(b, loc, type,
                                     arith::ExtFOp::create(b, loc, b.getF32Type(), a));
    if (getBitWidth(from) < getBitWidth(to))
      return arith::ExtFOp::create(b, loc, type, a);
    return arith::TruncFOp::create(b, loc, type, a);
  }
  auto build = [&](auto signedOp, auto unsignedOp) -> Value {
    if (isUnsigned)
      return decltype(unsignedOp)::create(b, loc, type, a);
    return decltype(signedOp)::create(b, loc, type, a);
  };
  if (isFloat(to))
    return build(arith::SIToFPOp(), arith::UIToFPOp());
  if (isFloat(from))
    return build(arith::FPToSIOp(), arith::FPToUIOp());
  if (from == ScalarType::Index || to == ScalarType::Index)
    return build(arith::IndexCastOp(), arith::IndexCastUIOp());
  if (getBitWidth(from) > getBitWidth(to))
    return arith::TruncIOp::create(b, loc, type, a);
  return build(arith::ExtSIOp(), arith::ExtUIOp());
}

static Value emitGeneric(OpBuilder &b, Location loc, OperationName name, ArrayRef<Value> operands,
                         Type type, DictionaryAttr attributes) {
  OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(type);
  if (attributes)
    state.addAttributes(attributes.getValue());
  return b.create(state)->getResult(0);
}

static Value emitNode(OpBuilder &b, Location loc, const ExprContext &context, Expr e,
                      ArrayRef<Value> operands) {
  Type type = getMLIRType(e->getType(), b.getContext());
  switch (e->getOp()) {
  case ExprOp::Constant:
    return emitConstant(b, loc, e);
  case ExprOp::Cast:
    return emitCast(b, loc, e, operands[0]);
  case ExprOp::CmpF:
    return arith::CmpFOp::create(b, loc, e->getPredicateF(), operands[0], operands[1]);
  case ExprOp::CmpI:
    return arith::CmpIOp::create(b, loc, e->getPredicateI(), operands[0], operands[1]);
  case ExprOp::Select:
    return arith::SelectOp::create(b, loc, operands[0], operands[1], operands[2]);
  case ExprOp::Opaque: {
    const OpaqueOperation &operation = context.getOpaque(e);
    return emitGeneric(b, loc, OperationName::getFromOpaquePointer(operation.name), operands, type,
                       cast<DictionaryAttr>(Attribute::getFromOpaquePointer(operation.attributes)));
  }
  default:
    break;
  }
  bool inFloat = isFloat(e->getType());
  if (e->getOp() == ExprOp::Neg && !inFloat) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return arith::SubIOp::create(b, loc, zero, operands[0]);
  }
  for (const OpEntry &entry : opTable)
    if (entry.op == e->getOp() && entry.inFloat == inFloat)
      return emitGeneric(b, loc, OperationName(entry.name, b.getContext()), operands, type, {});
  return {};
}

SmallVector<Value> schedule::emit(OpBuilder &builder, Location loc, const ExprContext &context,
                                  ArrayRef<Expr> roots, ValueOfLeaf valueOfLeaf) {
  llvm::DenseMap<Expr, Value> values;
  std::function<Value(Expr)> visit = [&](Expr e) -> Value {
    if (auto it = values.find(e); it != values.end())
      return it->second;
    SmallVector<Value, 3> operands;
    for (Expr operand : e->getOperands())
      operands.push_back(visit(operand));
    Value value = e->isLeaf() ? valueOfLeaf(e) : emitNode(builder, loc, context, e, operands);
    return values[e] = value;
  };
  return llvm::map_to_vector(roots, visit);
}

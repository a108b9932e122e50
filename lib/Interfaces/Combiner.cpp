// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies combiner regions and builds combines of the usual monoids.

#include "nautilus/Interfaces/Combiner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;

CombinerKind nautilus::classifyCombiner(Region &combiner) {
  if (!combiner.hasOneBlock())
    return CombinerKind::Custom;
  Block &block = combiner.front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return CombinerKind::Custom;
  Operation *op = &block.front();
  Operation *yield = block.getTerminator();
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || yield->getNumOperands() != 1 ||
      yield->getOperand(0) != op->getResult(0))
    return CombinerKind::Custom;
  Value a = op->getOperand(0), b = op->getOperand(1);
  Value l = block.getArgument(0), r = block.getArgument(1);
  if (!((a == l && b == r) || (a == r && b == l)))
    return CombinerKind::Custom;
  return llvm::TypeSwitch<Operation *, CombinerKind>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return CombinerKind::Add; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return CombinerKind::Mul; })
      .Case<arith::MaximumFOp>([](auto) { return CombinerKind::Max; })
      .Case<arith::MinimumFOp>([](auto) { return CombinerKind::Min; })
      .Case<arith::MaxNumFOp>([](auto) { return CombinerKind::MaxNum; })
      .Case<arith::MinNumFOp>([](auto) { return CombinerKind::MinNum; })
      .Case<arith::AndIOp>([](auto) { return CombinerKind::And; })
      .Case<arith::OrIOp>([](auto) { return CombinerKind::Or; })
      .Case<arith::XOrIOp>([](auto) { return CombinerKind::Xor; })
      .Case<arith::MaxSIOp>([](auto) { return CombinerKind::MaxSI; })
      .Case<arith::MinSIOp>([](auto) { return CombinerKind::MinSI; })
      .Case<arith::MaxUIOp>([](auto) { return CombinerKind::MaxUI; })
      .Case<arith::MinUIOp>([](auto) { return CombinerKind::MinUI; })
      .Default([](auto) { return CombinerKind::Custom; });
}

static TypedAttr getFloatIdentity(CombinerKind kind, FloatType type) {
  const llvm::fltSemantics &sem = type.getFloatSemantics();
  switch (kind) {
  case CombinerKind::Add:
    return FloatAttr::get(type, APFloat::getZero(sem));
  case CombinerKind::Mul:
    return FloatAttr::get(type, APFloat::getOne(sem));
  case CombinerKind::Max:
  case CombinerKind::MaxNum:
    return FloatAttr::get(type, APFloat::getInf(sem, /*Negative=*/true));
  case CombinerKind::Min:
  case CombinerKind::MinNum:
    return FloatAttr::get(type, APFloat::getInf(sem));
  default:
    return {};
  }
}

static TypedAttr getIntegerIdentity(CombinerKind kind, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  switch (kind) {
  case CombinerKind::Add:
  case CombinerKind::Or:
  case CombinerKind::Xor:
  case CombinerKind::MaxUI:
    return IntegerAttr::get(type, APInt::getZero(width));
  case CombinerKind::Mul:
    return IntegerAttr::get(type, APInt(width, 1));
  case CombinerKind::And:
  case CombinerKind::MinUI:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  case CombinerKind::MaxSI:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case CombinerKind::MinSI:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  default:
    return {};
  }
}

TypedAttr nautilus::getCombinerIdentity(CombinerKind kind, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return getFloatIdentity(kind, floatType);
  return getIntegerIdentity(kind, type);
}

Value nautilus::buildCombine(OpBuilder &b, Location loc, CombinerKind kind, Value l, Value r) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(l.getType()));
  switch (kind) {
  case CombinerKind::Add:
    return isFloat ? arith::AddFOp::create(b, loc, l, r).getResult()
                   : arith::AddIOp::create(b, loc, l, r).getResult();
  case CombinerKind::Mul:
    return isFloat ? arith::MulFOp::create(b, loc, l, r).getResult()
                   : arith::MulIOp::create(b, loc, l, r).getResult();
  case CombinerKind::Max:
    return arith::MaximumFOp::create(b, loc, l, r);
  case CombinerKind::Min:
    return arith::MinimumFOp::create(b, loc, l, r);
  case CombinerKind::MaxNum:
    return arith::MaxNumFOp::create(b, loc, l, r);
  case CombinerKind::MinNum:
    return arith::MinNumFOp::create(b, loc, l, r);
  case CombinerKind::And:
    return arith::AndIOp::create(b, loc, l, r);
  case CombinerKind::Or:
    return arith::OrIOp::create(b, loc, l, r);
  case CombinerKind::Xor:
    return arith::XOrIOp::create(b, loc, l, r);
  case CombinerKind::MaxSI:
    return arith::MaxSIOp::create(b, loc, l, r);
  case CombinerKind::MinSI:
    return arith::MinSIOp::create(b, loc, l, r);
  case CombinerKind::MaxUI:
    return arith::MaxUIOp::create(b, loc, l, r);
  case CombinerKind::MinUI:
    return arith::MinUIOp::create(b, loc, l, r);
  case CombinerKind::Custom:
    break;
  }
  return {};
}

llvm::StringRef nautilus::stringifyCombinerKind(CombinerKind kind) {
  static constexpr llvm::StringLiteral names[] = {"add",    "mul",   "max",   "min",   "maxnum",
                                                  "minnum", "and",   "or",    "xor",   "maxsi",
                                                  "minsi",  "maxui", "minui", "custom"};
  return names[static_cast<int>(kind)];
}

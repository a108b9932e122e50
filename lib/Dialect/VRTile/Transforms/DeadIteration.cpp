// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the values of a loop body, given that a mask is false. Values with one number are equal;
// a number may be that of a constant. Identities (x * 1, max(x, -inf), exp(-inf), a reduction of
// its identity, …) and equal ops on equal operands join numbers. If every yielded value has the
// number of the carried value, the iteration is dead.

#include "DeadIteration.h"
#include "Splat.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "nautilus/Interfaces/Combiner.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::vrtile;

namespace {
class Numbering {
public:
  using Number = unsigned;

  Number get(Value value);
  void setConstant(Value value, TypedAttr element) { numbers[value] = ofConstant(element); }
  /// Numbers the results of an op.
  void visit(Operation *op);

private:
  Number ofConstant(TypedAttr element);
  TypedAttr constant(Value value) { return constants.lookup(get(value)); }
  bool isFloat(Value value, double number) {
    auto attr = dyn_cast_or_null<FloatAttr>(constant(value));
    return attr && attr.getValueAsDouble() == number;
  }
  bool isNegInf(Value value) { return isFloat(value, -INFINITY); }
  Number ofFloat(Value like, double number) {
    return ofConstant(FloatAttr::get(getElementTypeOrSelf(like.getType()), number));
  }
  bool isPositive(Value value) {
    auto attr = dyn_cast_or_null<FloatAttr>(constant(value));
    return attr && attr.getValueAsDouble() > 0 && std::isfinite(attr.getValueAsDouble());
  }

  std::optional<Number> simplify(Operation *op);
  std::optional<Number> simplifySelect(arith::SelectOp op);
  std::optional<Number> simplifyExp(Operation *op);
  std::optional<Number> simplifyFMA(math::FmaOp op);
  std::optional<Number> simplifyReduce(ReduceOp op);
  std::optional<Number> simplifyBoolean(Operation *op);
  std::optional<Number> simplifyCast(Operation *op);

  Number next = 0;
  DenseMap<Value, Number> numbers;
  DenseMap<Number, TypedAttr> constants;
  DenseMap<Attribute, Number> byConstant;
  /// Name, attributes and operands of ops without regions, to the number of their first result.
  std::map<std::tuple<const void *, const void *, const void *, std::vector<Number>>, Number> known;
};
} // namespace

Numbering::Number Numbering::ofConstant(TypedAttr element) {
  auto [it, isNew] = byConstant.try_emplace(element, next);
  if (isNew)
    constants[next++] = element;
  return it->second;
}

Numbering::Number Numbering::get(Value value) {
  if (auto it = numbers.find(value); it != numbers.end())
    return it->second;
  Attribute attr;
  if (matchPattern(value, m_Constant(&attr))) {
    if (auto splat = dyn_cast<SplatElementsAttr>(attr))
      attr = splat.getSplatValue<Attribute>();
    if (auto element = dyn_cast<TypedAttr>(attr))
      return numbers[value] = ofConstant(element);
  }
  return numbers[value] = next++;
}

std::optional<Numbering::Number> Numbering::simplifySelect(arith::SelectOp op) {
  if (auto condition = dyn_cast_or_null<IntegerAttr>(constant(op.getCondition())))
    return get(condition.getValue().isZero() ? op.getFalseValue() : op.getTrueValue());
  if (get(op.getTrueValue()) == get(op.getFalseValue()))
    return get(op.getTrueValue());
  return std::nullopt;
}

std::optional<Numbering::Number> Numbering::simplifyExp(Operation *op) {
  if (isNegInf(op->getOperand(0)))
    return ofFloat(op->getResult(0), 0.0);
  if (isFloat(op->getOperand(0), 0.0))
    return ofFloat(op->getResult(0), 1.0);
  return std::nullopt;
}

std::optional<Numbering::Number> Numbering::simplifyFMA(math::FmaOp op) {
  Value a = op.getA(), b = op.getB(), c = op.getC();
  if (isFloat(a, 0.0) || isFloat(b, 0.0))
    return get(c);
  if (isNegInf(a) && isPositive(b) && excludesInfinity(c, /*negative=*/false))
    return get(a);
  if (!isFloat(c, 0.0))
    return std::nullopt;
  if (isFloat(a, 1.0))
    return get(b);
  return isFloat(b, 1.0) ? std::optional(get(a)) : std::nullopt;
}

/// A reduction of its identity.
std::optional<Numbering::Number> Numbering::simplifyReduce(ReduceOp op) {
  if (op.getInputs().size() != 1 || constant(op.getInputs()[0]) != op.getIdentities()[0] ||
      classifyCombiner(op.getCombiner()) == CombinerKind::Custom)
    return std::nullopt;
  return get(op.getInputs()[0]);
}

std::optional<Numbering::Number> Numbering::simplifyBoolean(Operation *op) {
  for (unsigned side : {0, 1})
    if (auto known = dyn_cast_or_null<IntegerAttr>(constant(op->getOperand(side)))) {
      bool absorbs = known.getValue().isZero() == isa<arith::AndIOp>(op);
      if (known.getValue().isZero() || known.getValue().isAllOnes())
        return get(op->getOperand(absorbs ? side : 1 - side));
    }
  return std::nullopt;
}

std::optional<Numbering::Number> Numbering::simplifyCast(Operation *op) {
  auto from = dyn_cast_or_null<FloatAttr>(constant(op->getOperand(0)));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!from || !to)
    return std::nullopt;
  APFloat value = from.getValue();
  bool losesInfo;
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return losesInfo ? std::nullopt : std::optional(ofConstant(FloatAttr::get(to, value)));
}

std::optional<Numbering::Number> Numbering::simplify(Operation *op) {
  auto x = [&] { return op->getOperand(0); };
  auto y = [&] { return op->getOperand(1); };
  // The other operand, where one is `number`.
  auto without = [&](double number) -> std::optional<Number> {
    if (isFloat(x(), number))
      return get(y());
    return isFloat(y(), number) ? std::optional(get(x())) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Number>>(op)
      .Case<arith::SelectOp>([&](auto o) { return simplifySelect(o); })
      .Case<math::ExpOp, math::Exp2Op>([&](auto) { return simplifyExp(op); })
      .Case<math::FmaOp>([&](auto o) { return simplifyFMA(o); })
      .Case<ReduceOp>([&](auto o) { return simplifyReduce(o); })
      .Case<arith::AndIOp, arith::OrIOp>([&](auto) { return simplifyBoolean(op); })
      .Case<arith::TruncFOp, arith::ExtFOp>([&](auto) { return simplifyCast(op); })
      .Case<BroadcastOp, TransposeOp, SplatOp>([&](auto) -> std::optional<Number> {
        return constant(x()) ? std::optional(get(x())) : std::nullopt;
      })
      .Case<arith::AddFOp>([&](auto) { return without(0.0); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto) { return without(-INFINITY); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([&](auto) { return without(INFINITY); })
      .Case<arith::MulFOp>([&](auto) -> std::optional<Number> {
        if (isFloat(x(), 0.0) || isFloat(y(), 0.0))
          return ofFloat(op->getResult(0), 0.0);
        if ((isNegInf(x()) && isPositive(y())) || (isNegInf(y()) && isPositive(x())))
          return ofFloat(op->getResult(0), -INFINITY);
        return without(1.0);
      })
      .Case<arith::SubFOp>([&](auto) -> std::optional<Number> {
        if (get(x()) == get(y()) && !constant(x()))
          return ofFloat(op->getResult(0), 0.0);
        if (isNegInf(x()) && excludesInfinity(y(), /*negative=*/true))
          return get(x());
        return isFloat(y(), 0.0) ? std::optional(get(x())) : std::nullopt;
      })
      .Case<DotOp>([&](DotOp dot) -> std::optional<Number> {
        bool isZero = isFloat(dot.getLhs(), 0.0) || isFloat(dot.getRhs(), 0.0);
        return isZero ? std::optional(get(dot.getAcc())) : std::nullopt;
      })
      .Default([](auto) { return std::nullopt; });
}

void Numbering::visit(Operation *op) {
  if (op->getNumResults() != 1 || numbers.contains(op->getResult(0)) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return;
  if (std::optional<Number> number = simplify(op)) {
    numbers[op->getResult(0)] = *number;
    return;
  }
  if (op->getNumRegions() != 0)
    return;
  std::vector<Number> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  if (op->hasTrait<OpTrait::IsCommutative>())
    llvm::sort(operands);
  auto key = std::make_tuple(op->getName().getAsOpaquePointer(),
                             op->getAttrDictionary().getAsOpaquePointer(),
                             op->getResult(0).getType().getAsOpaquePointer(), operands);
  auto [it, isNew] = known.try_emplace(key, next);
  if (isNew)
    ++next;
  numbers[op->getResult(0)] = it->second;
}

bool vrtile::isIdentityWithoutMask(scf::ForOp loop, Value mask) {
  Numbering numbering;
  auto boolean = IntegerType::get(loop.getContext(), 1);
  numbering.setConstant(mask, IntegerAttr::get(boolean, 0));
  for (Operation &op : *loop.getBody()) {
    // Effects other than reads, and what runs in nested loops, are not followed.
    if (isa<StoreOp>(op))
      return false;
    numbering.visit(&op);
  }
  return llvm::all_of_zip(loop.getYieldedValues(), loop.getRegionIterArgs(),
                          [&](Value yielded, Value carried) {
                            return numbering.get(yielded) == numbering.get(carried);
                          });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NodeBuilder.h. The rules of types are those of docs/SpecLanguage.md, "Values".

#include "NodeBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <utility>

using namespace mlir;
using namespace mlir::nautilus::frontend;

/// Bounds on what definitions may expand to: recursive walks stay within the stack, and a chain of
/// definitions that doubles at each step ends in an error.
static constexpr unsigned maxNodeDepth = 1500;
static constexpr size_t maxNodes = 200000;

static bool isLiteral(const Node *node) { return node->kind == Node::Literal; }

static double getNumber(const Node *literal) {
  return literal->type == Elem::Int ? double(literal->integer) : literal->number;
}

Node *NodeBuilder::make(Node::Kind kind, Place place, Elem type, llvm::ArrayRef<Node *> args) {
  Node *node = &program.nodes.emplace_back();
  node->kind = kind;
  node->place = place;
  node->type = type;
  node->args.assign(args.begin(), args.end());
  for (const Node *arg : args) {
    node->depth = std::max(node->depth, arg->depth + 1);
    node->readsTensor |= arg->readsTensor;
  }
  return node;
}

Node *NodeBuilder::finish(Node *node) {
  auto add = [&](Axis *axis) {
    if (!llvm::is_contained(node->freeAxes, axis) && !llvm::is_contained(node->axes, axis))
      node->freeAxes.push_back(axis);
  };
  for (const Node *arg : node->args)
    llvm::for_each(arg->freeAxes, add);
  if (node->kind == Node::AxisValue)
    add(node->axis);
  llvm::sort(node->freeAxes, [](Axis *a, Axis *b) { return a->order < b->order; });
  if (node->depth <= maxNodeDepth && program.nodes.size() <= maxNodes)
    return node;
  if (!std::exchange(isTooLarge, true))
    diagnostics.error(node->place) << "this formula is too large once its definitions are expanded";
  return nullptr;
}

Node *NodeBuilder::integer(Place place, int64_t value) {
  Node *node = make(Node::Literal, place, Elem::Int, {});
  node->integer = value;
  return node;
}

Node *NodeBuilder::number(Place place, double value) {
  Node *node = make(Node::Literal, place, Elem::F32, {});
  node->number = value;
  return node;
}

Node *NodeBuilder::boolean(Place place, bool value) {
  Node *node = make(Node::Literal, place, Elem::Bool, {});
  node->integer = value;
  return node;
}

Node *NodeBuilder::axis(Place place, Axis *axis) {
  Node *node = make(Node::AxisValue, place, Elem::Index, {});
  node->axis = axis;
  return finish(node);
}

Node *NodeBuilder::dim(Place place, const Dim *dim) {
  if (dim->size)
    return integer(place, *dim->size);
  Node *node = make(Node::DimValue, place, Elem::Index, {});
  node->dim = dim;
  return node;
}

Node *NodeBuilder::extentOf(Place place, Axis *axis) {
  Node *node = make(Node::ExtentOf, place, Elem::Index, {});
  node->axis = axis;
  return node;
}

Node *NodeBuilder::read(Place place, Tensor *tensor, llvm::ArrayRef<Node *> subscripts) {
  Node *node = make(Node::Read, place, tensor->readType, subscripts);
  node->tensor = tensor;
  node->readsTensor = true;
  return finish(node);
}

Node *NodeBuilder::local(Place place, GeneratedStatement *statement) {
  Node *node = make(Node::Local, place, statement->type, {});
  node->statement = statement;
  node->readsTensor = true;
  node->freeAxes = statement->value->freeAxes;
  return node;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<Elem> NodeBuilder::unify(Place place, llvm::ArrayRef<Node *> args) {
  Elem type = Elem::Int;
  for (const Node *arg : args) {
    if (arg->type == Elem::Bool) {
      InFlightDiagnostic diagnostic = diagnostics.error(arg->place);
      diagnostic << "expected a number, got a bool";
      diagnostics.help(diagnostic, arg->place.loc, "write `1 if ... else 0` or `f32(...)`");
      return std::nullopt;
    }
    if (isFloat(arg->type) || type == Elem::F32)
      type = Elem::F32;
    else if (arg->type == Elem::Index || type == Elem::Index)
      type = Elem::Index;
    else if (arg->type == Elem::I64 || type == Elem::I64)
      type = Elem::I64;
    else if (arg->type != Elem::Int)
      type = Elem::I32;
  }
  return type;
}

Elem NodeBuilder::getStoredType(const Node *value) {
  if (value->type == Elem::Index)
    return Elem::I64;
  bool keeps = value->kind == Node::Cast || !isNarrowFloat(value->type);
  return keeps && value->type != Elem::Int ? value->type : Elem::F32;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static std::optional<int64_t> foldIntegers(Opcode opcode, llvm::ArrayRef<int64_t> v) {
  int64_t result;
  switch (opcode) {
  case Opcode::Add:
    return llvm::AddOverflow(v[0], v[1], result) ? std::nullopt : std::optional(result);
  case Opcode::Sub:
    return llvm::SubOverflow(v[0], v[1], result) ? std::nullopt : std::optional(result);
  case Opcode::Mul:
    return llvm::MulOverflow(v[0], v[1], result) ? std::nullopt : std::optional(result);
  case Opcode::Neg:
    return llvm::SubOverflow<int64_t>(0, v[0], result) ? std::nullopt : std::optional(result);
  case Opcode::FloorDiv:
    if (v[1] == 0 || (v[1] == -1 && v[0] == INT64_MIN))
      return std::nullopt;
    return llvm::divideFloorSigned(v[0], v[1]);
  case Opcode::Mod:
    if (v[1] == 0 || v[1] == -1)
      return v[1] == 0 ? std::nullopt : std::optional<int64_t>(0);
    return v[0] - llvm::divideFloorSigned(v[0], v[1]) * v[1];
  case Opcode::Max:
    return std::max(v[0], v[1]);
  case Opcode::Min:
    return std::min(v[0], v[1]);
  default:
    return std::nullopt;
  }
}

static std::optional<double> foldNumbers(Opcode opcode, llvm::ArrayRef<double> v) {
  switch (opcode) {
  case Opcode::Add:
    return v[0] + v[1];
  case Opcode::Sub:
    return v[0] - v[1];
  case Opcode::Mul:
    return v[0] * v[1];
  case Opcode::Div:
    return v[0] / v[1];
  case Opcode::Neg:
    return -v[0];
  case Opcode::Pow:
    return std::pow(v[0], v[1]);
  case Opcode::Exp:
    return std::exp(v[0]);
  case Opcode::Exp2:
    return std::exp2(v[0]);
  case Opcode::Log:
    return std::log(v[0]);
  case Opcode::Log2:
    return std::log2(v[0]);
  case Opcode::Sqrt:
    return std::sqrt(v[0]);
  case Opcode::Rsqrt:
    return 1 / std::sqrt(v[0]);
  default:
    return std::nullopt;
  }
}

Node *NodeBuilder::fold(Place place, Opcode opcode, llvm::ArrayRef<Node *> args) {
  if (!llvm::all_of(args, isLiteral))
    return nullptr;
  if (llvm::all_of(args, [](const Node *arg) { return arg->type == Elem::Int; })) {
    auto values = llvm::map_to_vector<2>(args, [](const Node *arg) { return arg->integer; });
    if (std::optional<int64_t> value = foldIntegers(opcode, values))
      return integer(place, *value);
  }
  auto values = llvm::map_to_vector<2>(args, getNumber);
  if (std::optional<double> value = foldNumbers(opcode, values))
    return number(place, *value);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool isComparison(Opcode opcode) {
  return opcode >= Opcode::Less && opcode <= Opcode::NotEqual;
}

static bool isLogical(Opcode opcode) { return opcode >= Opcode::And && opcode <= Opcode::Not; }

/// Operations that stay in whole numbers when their operands are such.
static bool keepsIntegers(Opcode opcode) {
  switch (opcode) {
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Mul:
  case Opcode::FloorDiv:
  case Opcode::Mod:
  case Opcode::Neg:
  case Opcode::Abs:
  case Opcode::Max:
  case Opcode::Min:
    return true;
  default:
    return false;
  }
}

Node *NodeBuilder::power(Place place, llvm::ArrayRef<Node *> args) {
  // Small powers are products: exact in the sense of the language, and cheaper.
  static constexpr int64_t maxUnrolled = 8;
  const Node *exponent = args[1];
  if (!isLiteral(exponent) || exponent->type != Elem::Int || exponent->integer < 1 ||
      exponent->integer > maxUnrolled)
    return nullptr;
  Node *result = args[0];
  for (int64_t i = 1; result && i < exponent->integer; ++i)
    result = op(place, Opcode::Mul, {result, args[0]});
  return result;
}

Node *NodeBuilder::op(Place place, Opcode opcode, llvm::ArrayRef<Node *> args) {
  if (isLogical(opcode)) {
    for (const Node *arg : args) {
      if (arg->type == Elem::Bool)
        continue;
      InFlightDiagnostic diagnostic = diagnostics.error(arg->place);
      diagnostic << "expected a bool, got a number (" << spell(arg->type) << ")";
      diagnostics.help(diagnostic, arg->place.loc, "write a comparison, as in `x != 0`");
      return nullptr;
    }
    Node *node = make(Node::Op, place, Elem::Bool, args);
    node->opcode = opcode;
    node->operandType = Elem::Bool;
    return finish(node);
  }
  bool areBools = llvm::all_of(args, [](const Node *arg) { return arg->type == Elem::Bool; });
  std::optional<Elem> type = Elem::Bool;
  if (!areBools || (opcode != Opcode::Equal && opcode != Opcode::NotEqual))
    type = unify(place, args);
  if (!type)
    return nullptr;
  if (opcode == Opcode::FloorDiv || opcode == Opcode::Mod) {
    if (*type == Elem::F32) {
      diagnostics.error(place) << "expected whole numbers on both sides of a "
                               << (opcode == Opcode::Mod ? "remainder" : "floor division");
      return nullptr;
    }
    if (isLiteral(args[1]) && args[1]->integer == 0) {
      diagnostics.error(place) << "division by zero";
      return nullptr;
    }
  }
  if (opcode == Opcode::Div && *type != Elem::F32 && llvm::any_of(args, [](const Node *arg) {
        return arg->readsTensor || !arg->freeAxes.empty();
      })) {
    InFlightDiagnostic diagnostic = diagnostics.error(place);
    diagnostic << "a quotient of whole numbers has two meanings here";
    diagnostics.help(diagnostic, place.loc,
                     "write `floordiv(a, b)`, or `f32(a) / b` for a fraction");
    return nullptr;
  }
  if (Node *folded = fold(place, opcode, args))
    return folded;
  if (opcode == Opcode::Pow)
    if (Node *product = power(place, args))
      return product;
  Elem operandType = isComparison(opcode) || keepsIntegers(opcode) ? *type : Elem::F32;
  Node *node = make(Node::Op, place, isComparison(opcode) ? Elem::Bool : operandType, args);
  node->opcode = opcode;
  node->operandType = operandType;
  return finish(node);
}

Node *NodeBuilder::select(Place place, Node *condition, Node *value, Node *otherwise) {
  if (condition->type != Elem::Bool) {
    diagnostics.error(condition->place)
        << "expected a bool as condition, got a number (" << spell(condition->type) << ")";
    return nullptr;
  }
  std::optional<Elem> type = Elem::Bool;
  if (value->type != Elem::Bool || otherwise->type != Elem::Bool)
    type = unify(place, {value, otherwise});
  if (!type)
    return nullptr;
  return finish(make(Node::Select, place, *type, {condition, value, otherwise}));
}

Node *NodeBuilder::cast(Place place, Elem type, Node *value) {
  if (value->type == type)
    return value;
  if (isLiteral(value) && type == Elem::F32 && value->type == Elem::Int)
    return number(place, getNumber(value));
  return finish(make(Node::Cast, place, type, {value}));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A value that the kernel computes in f32, not one that it is given or that a cast made so.
static bool isComputedInF32(const Node *factor) {
  if (factor->type != Elem::F32 || !factor->readsTensor || factor->kind == Node::Cast)
    return false;
  return factor->kind != Node::Read || factor->tensor->kind != Tensor::Argument;
}

Node *NodeBuilder::roundFactor(Node *product) {
  if (numerics == Numerics::Strict || product->kind != Node::Op || product->opcode != Opcode::Mul)
    return product;
  auto isProduct = [](const Node *node) {
    return node->kind == Node::Op && node->opcode == Opcode::Mul;
  };
  for (unsigned i : {0u, 1u}) {
    Node *factor = product->args[i], *partner = product->args[1 - i];
    // A product of three factors says nothing about how to pair them.
    if (!isNarrowFloat(partner->type) || !isComputedInF32(factor) || isProduct(factor))
      continue;
    Node *rounded = cast(factor->place, partner->type, factor);
    if (!rounded)
      return nullptr;
    return i == 0 ? op(product->place, Opcode::Mul, {rounded, partner})
                  : op(product->place, Opcode::Mul, {partner, rounded});
  }
  return product;
}

Node *NodeBuilder::reduce(Place place, ReduceKind kind, llvm::ArrayRef<Axis *> axes, Node *value,
                          Node *condition) {
  bool isLogicalKind = kind == ReduceKind::Any || kind == ReduceKind::All;
  if (isLogicalKind != (value->type == Elem::Bool)) {
    InFlightDiagnostic diagnostic = diagnostics.error(value->place);
    diagnostic << "expected " << (isLogicalKind ? "bools" : "numbers") << " to combine, got "
               << (isLogicalKind ? "numbers" : "bools");
    if (!isLogicalKind)
      diagnostics.help(diagnostic, value->place.loc, "to count, combine `1 if ... else 0`");
    return nullptr;
  }
  if (condition && condition->type != Elem::Bool) {
    diagnostics.error(condition->place) << "expected a bool as condition, got a number";
    return nullptr;
  }
  if (kind == ReduceKind::Sum)
    value = roundFactor(value);
  if (!value)
    return nullptr;
  Elem type = Elem::F32;
  if (isLogicalKind)
    type = Elem::Bool;
  else if (kind == ReduceKind::ArgMax || kind == ReduceKind::ArgMin)
    type = Elem::I64;
  else if (value->type == Elem::I8 || value->type == Elem::I32)
    type = Elem::I32;
  else if (!isFloat(value->type))
    type = Elem::I64;
  if (!isFloat(value->type) && (kind == ReduceKind::MaxNum || kind == ReduceKind::MinNum))
    kind = kind == ReduceKind::MaxNum ? ReduceKind::Max : ReduceKind::Min;
  llvm::SmallVector<Node *, 2> args = {value};
  if (condition)
    args.push_back(condition);
  Node *node = make(Node::Reduce, place, type, args);
  node->reduction = kind;
  node->axes.assign(axes.begin(), axes.end());
  return finish(node);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction of expression nodes: hash-consing, canonical operand order, folds that keep the
// bits. Everything that makes a node goes through ExprContext::make.

#include "nautilus/Schedule/Expr.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

unsigned schedule::getBitWidth(ScalarType type) {
  static constexpr unsigned widths[] = {1, 8, 16, 32, 64, 64, 8, 8, 16, 16, 32, 64};
  return widths[static_cast<unsigned>(type)];
}

double ExprNode::getFloat() const { return llvm::bit_cast<double>(payload); }

bool ExprNode::isConstant(double value) const {
  if (op != ExprOp::Constant)
    return false;
  return (isFloat(type) ? getFloat() : static_cast<double>(payload)) == value;
}

struct ExprContext::Storage {
  llvm::BumpPtrAllocator allocator;
  llvm::DenseMap<uint64_t, SmallVector<ExprNode *, 1>> nodes;
  llvm::DenseMap<Expr, Interval> facts, ranges;
  SmallVector<OpaqueOperation> opaques;
  unsigned factVersion = 0;
};

ExprContext::ExprContext() : storage(std::make_unique<Storage>()) {}
ExprContext::~ExprContext() = default;

/// A strict order that depends on structure alone.
static int compareStructure(Expr a, Expr b) {
  if (a == b)
    return 0;
  auto key = [](Expr e) {
    return std::make_tuple(e->getHash(), e->getOp(), e->getType(), e->getOperands().size());
  };
  if (key(a) != key(b))
    return key(a) < key(b) ? -1 : 1;
  for (auto [x, y] : llvm::zip(a->getOperands(), b->getOperands()))
    if (int order = compareStructure(x, y))
      return order;
  return 0;
}

static bool isCommutative(ExprOp op) {
  switch (op) {
  case ExprOp::Add:
  case ExprOp::Mul:
  case ExprOp::Max:
  case ExprOp::Min:
  case ExprOp::MaxNum:
  case ExprOp::MinNum:
  case ExprOp::And:
  case ExprOp::Or:
  case ExprOp::Xor:
    return true;
  default:
    return false;
  }
}

Expr ExprContext::make(ExprOp op, ScalarType type, uint32_t attribute, int64_t payload,
                       ArrayRef<Expr> operands) {
  SmallVector<Expr, 3> sorted(operands);
  if (isCommutative(op) && compareStructure(sorted[1], sorted[0]) < 0)
    std::swap(sorted[0], sorted[1]);

  // An opaque node is hashed by its key: its payload numbers this context's table.
  uint64_t identity = op == ExprOp::Opaque ? llvm::xxh3_64bits(storage->opaques[payload].key)
                                           : static_cast<uint64_t>(payload);
  SmallVector<uint64_t, 8> words = {static_cast<uint64_t>(op), static_cast<uint64_t>(type),
                                    attribute, identity};
  for (Expr operand : sorted)
    words.push_back(operand->hash);
  uint64_t hash = llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint64_t)));

  auto &bucket = storage->nodes[hash];
  for (ExprNode *node : bucket)
    if (node->op == op && node->type == type && node->attribute == attribute &&
        node->payload == payload && node->operands == ArrayRef<Expr>(sorted))
      return node;

  auto *node = new (storage->allocator.Allocate<ExprNode>()) ExprNode;
  node->op = op;
  node->type = type;
  node->attribute = attribute;
  node->payload = payload;
  node->operands = ArrayRef<Expr>(sorted).copy(storage->allocator);
  node->hash = hash;
  if (op == ExprOp::Leaf)
    node->roles = maskOf(node->getRole());
  else if (op == ExprOp::Opaque && sorted.empty())
    node->roles = maskOf(LeafRole::Element);
  for (Expr operand : sorted)
    node->roles |= operand->roles;
  bucket.push_back(node);
  return node;
}

Expr ExprContext::leaf(LeafRole role, unsigned index, ScalarType type) {
  return make(ExprOp::Leaf, type, static_cast<uint32_t>(role), index, {});
}

void ExprContext::setFact(Expr leaf, Interval fact) {
  Interval &known = storage->facts[leaf];
  known.lo = std::max(known.lo, fact.lo);
  known.hi = std::min(known.hi, fact.hi);
  known.nonZero |= fact.nonZero;
  storage->ranges.clear();
  ++storage->factVersion;
}

unsigned ExprContext::getFactVersion() const { return storage->factVersion; }

Expr ExprContext::constant(double value, ScalarType type) {
  if (!isFloat(type))
    return intConstant(static_cast<int64_t>(value), type);
  // One node for all NaNs; -0 and 0 are two.
  double rounded = std::isnan(value) ? std::nan("") : roundTo(value, type);
  return make(ExprOp::Constant, type, 0, llvm::bit_cast<int64_t>(rounded), {});
}

Expr ExprContext::intConstant(int64_t value, ScalarType type) {
  return make(ExprOp::Constant, type, 0, type == ScalarType::I1 ? value & 1 : value, {});
}

/// Operations whose folding gives the machine's bits (not the transcendental ones).
static bool isFoldable(ExprOp op) {
  switch (op) {
  case ExprOp::Leaf:
  case ExprOp::Constant:
  case ExprOp::Opaque:
  case ExprOp::Pow:
  case ExprOp::Exp:
  case ExprOp::Exp2:
  case ExprOp::Log:
  case ExprOp::Log2:
  case ExprOp::Rsqrt:
  case ExprOp::Tanh:
  case ExprOp::Erf:
  case ExprOp::Sin:
  case ExprOp::Cos:
    return false;
  default:
    return true;
  }
}

static Expr foldConstants(ExprContext &context, Expr e) {
  if (!isFoldable(e->getOp()) ||
      !llvm::all_of(e->getOperands(), [](Expr operand) { return operand->isConstant(); }))
    return e;
  bool dividesByZero =
      !isFloat(e->getType()) && e->getOperands().size() == 2 && e->getOperand(1)->isConstant(0) &&
      (e->getOp() == ExprOp::Div || e->getOp() == ExprOp::FloorDiv || e->getOp() == ExprOp::Rem);
  if (dividesByZero)
    return e;
  SmallVector<ScalarValue, 3> values;
  for (Expr operand : e->getOperands())
    values.push_back(isFloat(operand->getType()) ? ScalarValue{operand->getFloat(), 0}
                                                 : ScalarValue{0, operand->getInt()});
  ScalarValue value = applyOp(e, values, EvalMode::Typed);
  return isFloat(e->getType()) ? context.constant(value.f, e->getType())
                               : context.intConstant(value.i, e->getType());
}

Expr ExprContext::unary(ExprOp op, Expr a) {
  if (op == ExprOp::Neg && a->getOp() == ExprOp::Neg)
    return a->getOperand(0);
  if ((op == ExprOp::Exp || op == ExprOp::Exp2) && a->isConstant(0))
    return constant(1, a->getType());
  if ((op == ExprOp::Exp || op == ExprOp::Exp2) &&
      a->isConstant(-std::numeric_limits<double>::infinity()))
    return constant(0, a->getType());
  if ((op == ExprOp::Log || op == ExprOp::Log2) && a->isConstant(1))
    return constant(0, a->getType());
  return foldConstants(*this, make(op, a->getType(), 0, 0, {a}));
}

Expr ExprContext::binary(ExprOp op, Expr a, Expr b) {
  if (op == ExprOp::Mul && a->isConstant(1))
    return b;
  if ((op == ExprOp::Mul || op == ExprOp::Div) && b->isConstant(1))
    return a;
  if (op == ExprOp::Sub && b->isConstant(0) && !std::signbit(b->getFloat()))
    return a;
  if (a == b && (op == ExprOp::Max || op == ExprOp::Min || op == ExprOp::And || op == ExprOp::Or))
    return a;
  if (a->getType() == ScalarType::I1 && (op == ExprOp::And || op == ExprOp::Or)) {
    if (b->isConstant())
      std::swap(a, b);
    if (a->isConstant())
      return a->isConstant(op == ExprOp::And) ? b : a;
  }
  return foldConstants(*this, make(op, a->getType(), 0, 0, {a, b}));
}

Expr ExprContext::cast(Expr a, ScalarType type, bool isUnsigned) {
  if (a->getType() == type)
    return a;
  bool toOrFromInt = !isFloat(a->getType()) || !isFloat(type);
  return foldConstants(*this, make(ExprOp::Cast, type, toOrFromInt && isUnsigned, 0, {a}));
}

Expr ExprContext::cmpF(arith::CmpFPredicate predicate, Expr a, Expr b) {
  using P = arith::CmpFPredicate;
  bool symmetric = predicate == P::OEQ || predicate == P::UEQ || predicate == P::ONE ||
                   predicate == P::UNE || predicate == P::ORD || predicate == P::UNO;
  if (symmetric && compareStructure(b, a) < 0)
    std::swap(a, b);
  return foldConstants(
      *this, make(ExprOp::CmpF, ScalarType::I1, static_cast<uint32_t>(predicate), 0, {a, b}));
}

Expr ExprContext::cmpI(arith::CmpIPredicate predicate, Expr a, Expr b) {
  bool symmetric = predicate == arith::CmpIPredicate::eq || predicate == arith::CmpIPredicate::ne;
  if (symmetric && compareStructure(b, a) < 0)
    std::swap(a, b);
  return foldConstants(
      *this, make(ExprOp::CmpI, ScalarType::I1, static_cast<uint32_t>(predicate), 0, {a, b}));
}

/// x of not(x), or null.
static Expr getNegated(Expr e) {
  if (e->getOp() != ExprOp::Xor || e->getType() != ScalarType::I1)
    return nullptr;
  for (unsigned i : {0, 1})
    if (e->getOperand(i)->isConstant(1))
      return e->getOperand(1 - i);
  return nullptr;
}

Expr ExprContext::logicalNot(Expr a) {
  if (Expr negated = getNegated(a))
    return negated;
  return binary(ExprOp::Xor, a, intConstant(1, ScalarType::I1));
}

Expr ExprContext::select(Expr condition, Expr a, Expr b) {
  if (condition->isConstant())
    return condition->getInt() ? a : b;
  if (a == b)
    return a;
  if (Expr negated = getNegated(condition))
    return select(negated, b, a);
  return make(ExprOp::Select, a->getType(), 0, 0, {condition, a, b});
}

Expr ExprContext::opaque(OpaqueOperation operation, ArrayRef<Expr> operands, ScalarType type) {
  auto *known = llvm::find_if(
      storage->opaques, [&](const OpaqueOperation &other) { return other.key == operation.key; });
  size_t number = known - storage->opaques.begin();
  if (number == storage->opaques.size())
    storage->opaques.push_back(std::move(operation));
  return make(ExprOp::Opaque, type, 0, number, operands);
}

const OpaqueOperation &ExprContext::getOpaque(Expr e) const { return storage->opaques[e->payload]; }

Expr ExprContext::withOperands(Expr e, ArrayRef<Expr> operands) {
  switch (e->op) {
  case ExprOp::Leaf:
  case ExprOp::Constant:
    return e;
  case ExprOp::Select:
    return select(operands[0], operands[1], operands[2]);
  case ExprOp::CmpF:
    return cmpF(e->getPredicateF(), operands[0], operands[1]);
  case ExprOp::CmpI:
    return cmpI(e->getPredicateI(), operands[0], operands[1]);
  case ExprOp::Cast:
    return cast(operands[0], e->type, e->isUnsigned());
  case ExprOp::Opaque:
    return make(e->op, e->type, e->attribute, e->payload, operands);
  default:
    return operands.size() == 1 ? unary(e->op, operands[0])
                                : binary(e->op, operands[0], operands[1]);
  }
}

Expr ExprContext::substitute(Expr e, function_ref<Expr(Expr)> map) {
  llvm::DenseMap<Expr, Expr> done;
  std::function<Expr(Expr)> visit = [&](Expr node) -> Expr {
    if (auto it = done.find(node); it != done.end())
      return it->second;
    Expr result = map(node);
    if (!result) {
      SmallVector<Expr, 3> operands;
      for (Expr operand : node->getOperands())
        operands.push_back(visit(operand));
      result = withOperands(node, operands);
    }
    return done[node] = result;
  };
  return visit(e);
}

SmallVector<Expr> schedule::getLeaves(Expr e) {
  SmallVector<Expr> leaves;
  llvm::DenseMap<Expr, bool> seen;
  std::function<void(Expr)> visit = [&](Expr node) {
    if (!seen.try_emplace(node, true).second)
      return;
    if (node->isLeaf())
      leaves.push_back(node);
    for (Expr operand : node->getOperands())
      visit(operand);
  };
  visit(e);
  llvm::sort(leaves, [](Expr a, Expr b) {
    return std::make_tuple(a->getRole(), a->getIndex(), a->getType()) <
           std::make_tuple(b->getRole(), b->getIndex(), b->getType());
  });
  return leaves;
}

SmallVector<Expr> schedule::getMaximalWithout(Expr e, RoleMask roles) {
  SmallVector<Expr> found;
  llvm::DenseMap<Expr, bool> seen;
  std::function<void(Expr)> visit = [&](Expr node) {
    if (node->isLeaf() || !node->getRoles() || !seen.try_emplace(node, true).second)
      return;
    if (!(node->getRoles() & roles))
      return found.push_back(node);
    for (Expr operand : node->getOperands())
      visit(operand);
  };
  visit(e);
  return found;
}

Interval ExprContext::getRange(Expr e) {
  if (auto it = storage->ranges.find(e); it != storage->ranges.end())
    return it->second;
  Interval range = computeRange(e);
  if (e->isLeaf())
    if (auto it = storage->facts.find(e); it != storage->facts.end())
      range = it->second;
  storage->ranges[e] = range;
  return range;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar expressions as hash-consed, immutable DAGs: what a statement computes per element, without
// names and without IR. The repair solver reasons on them, the search hashes them, the cost model
// counts them. Nodes live in an ExprContext; within one context equal expressions are one pointer.
//
// Canonical form: operands of commutative operations are sorted by a hash that depends on structure
// alone (leaves by role and number), and constants are folded. Every such step gives the same bits
// as before it.

#ifndef NAUTILUS_SCHEDULE_EXPR_H
#define NAUTILUS_SCHEDULE_EXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <memory>
#include <string>

namespace mlir::nautilus::schedule {

/// Floats are last, in order of width.
enum class ScalarType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  Index, // integers
  F8E4M3FN,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};

inline bool isFloat(ScalarType type) { return type >= ScalarType::F8E4M3FN; }
unsigned getBitWidth(ScalarType type);

enum class ExprOp : uint8_t {
  Leaf,
  Constant,
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Rem,
  Max,
  Min,
  MaxNum,
  MinNum,
  Pow,
  And,
  Or,
  Xor, // two operands
  Neg,
  Abs,
  Exp,
  Exp2,
  Log,
  Log2,
  Sqrt,
  Rsqrt,
  Tanh,
  Erf,
  Sin,
  Cos,
  Cast, // one operand
  CmpF,
  CmpI,
  Select,
  Opaque // a pure operation that this algebra doesn't know; equal if name, attributes, operands are
};

/// What a leaf stands for, seen from one reduction t over an axis J.
enum class LeafRole : uint8_t {
  Element,     // may differ along J, doesn't depend on an incomplete reduction
  Uniform,     // one value for the whole of J
  Frontier,    // value of an earlier reduction over J: the newest one
  FrontierOld, // … the one before this tile
  Accumulator, // carried value of t
  Count,       // elements of J seen so far, this tile included
  CountOld,    // … before this tile
  AxisIndex,   // coordinate of axis number `index`
  DimExtent    // extent of dim number `index`
};

using RoleMask = uint16_t;
constexpr RoleMask maskOf(LeafRole role) { return RoleMask(1) << static_cast<unsigned>(role); }

/// What is known of a value: it lies in [lo, hi]; `nonZero`: it is never 0.
struct Interval {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool nonZero = false;

  bool isPositive() const { return lo >= 0 && (nonZero || lo > 0); }
  bool isNonNegative() const { return lo >= 0; }
  bool isNonPositive() const { return hi <= 0; }
  bool isNegative() const { return hi <= 0 && (nonZero || hi < 0); }
  static Interval positive() { return {0, std::numeric_limits<double>::infinity(), true}; }
  static Interval nonNegative() { return {0, std::numeric_limits<double>::infinity(), false}; }
};

class ExprNode;
using Expr = const ExprNode *;

class ExprNode {
public:
  ExprOp getOp() const { return op; }
  ScalarType getType() const { return type; }
  ArrayRef<Expr> getOperands() const { return operands; }
  Expr getOperand(unsigned i) const { return operands[i]; }
  /// Depends on structure alone; the same in every context and every run.
  uint64_t getHash() const { return hash; }
  /// Roles of all leaves below.
  RoleMask getRoles() const { return roles; }
  bool reads(LeafRole role) const { return roles & maskOf(role); }

  LeafRole getRole() const { return static_cast<LeafRole>(attribute); }
  unsigned getIndex() const { return payload; }
  double getFloat() const;
  int64_t getInt() const { return payload; }
  arith::CmpFPredicate getPredicateF() const { return arith::CmpFPredicate(attribute); }
  arith::CmpIPredicate getPredicateI() const { return arith::CmpIPredicate(attribute); }
  /// Of a cast from or to an integer.
  bool isUnsigned() const { return attribute; }

  bool isLeaf() const { return op == ExprOp::Leaf; }
  bool isLeaf(LeafRole role) const { return isLeaf() && getRole() == role; }
  bool isConstant() const { return op == ExprOp::Constant; }
  /// A float or integer constant of that value.
  bool isConstant(double value) const;

private:
  friend class ExprContext;
  ExprOp op;
  ScalarType type;
  uint32_t attribute = 0; // role, predicate, signedness
  int64_t payload = 0;    // leaf index, constant bits, number of an opaque operation
  ArrayRef<Expr> operands;
  uint64_t hash = 0;
  RoleMask roles = 0;
};

/// A foreign operation: `key` names it in hashes and text, the pointers are its OperationName and
/// attributes.
struct OpaqueOperation {
  std::string key;
  const void *name = nullptr;
  const void *attributes = nullptr;
};

/// Owns nodes. Not to be shared between threads.
class ExprContext {
public:
  ExprContext();
  ~ExprContext();
  ExprContext(const ExprContext &) = delete;
  ExprContext &operator=(const ExprContext &) = delete;

  Expr leaf(LeafRole role, unsigned index, ScalarType type = ScalarType::F32);
  /// Adds what is known of a leaf; never retracted.
  void setFact(Expr leaf, Interval fact);
  Expr constant(double value, ScalarType type = ScalarType::F32);
  Expr intConstant(int64_t value, ScalarType type);

  Expr unary(ExprOp op, Expr a);
  Expr binary(ExprOp op, Expr a, Expr b);
  Expr cast(Expr a, ScalarType type, bool isUnsigned = false);
  Expr cmpF(arith::CmpFPredicate predicate, Expr a, Expr b);
  Expr cmpI(arith::CmpIPredicate predicate, Expr a, Expr b);
  Expr select(Expr condition, Expr a, Expr b);
  Expr opaque(OpaqueOperation operation, ArrayRef<Expr> operands, ScalarType type);

  Expr add(Expr a, Expr b) { return binary(ExprOp::Add, a, b); }
  Expr sub(Expr a, Expr b) { return binary(ExprOp::Sub, a, b); }
  Expr mul(Expr a, Expr b) { return binary(ExprOp::Mul, a, b); }
  Expr div(Expr a, Expr b) { return binary(ExprOp::Div, a, b); }
  Expr neg(Expr a) { return unary(ExprOp::Neg, a); }
  Expr exp(Expr a) { return unary(ExprOp::Exp, a); }
  Expr logicalNot(Expr a);

  /// The node `e` with other operands.
  Expr withOperands(Expr e, ArrayRef<Expr> operands);
  /// `e` with every node for which `map` gives non-null replaced by that, uppermost first.
  Expr substitute(Expr e, function_ref<Expr(Expr)> map);

  /// Changes whenever a fact is added.
  unsigned getFactVersion() const;
  const OpaqueOperation &getOpaque(Expr e) const;
  /// From facts of leaves by interval arithmetic over the reals.
  Interval getRange(Expr e);

private:
  Expr make(ExprOp op, ScalarType type, uint32_t attribute, int64_t payload,
            ArrayRef<Expr> operands);
  Interval computeRange(Expr e);
  struct Storage;
  std::unique_ptr<Storage> storage;
};

/// Leaves of `e` in a fixed order.
SmallVector<Expr> getLeaves(Expr e);

/// Maximal inner nodes of `e` that read leaves but none with a role in `roles`, and aren't leaves.
/// What a loop nest computes once per row, say, and not for each element.
SmallVector<Expr> getMaximalWithout(Expr e, RoleMask roles);

/// Formula text. `name` may give leaves their names in the source.
std::string toString(Expr e, function_ref<std::string(Expr)> name = nullptr);

/// Operations of a body per element by unit of the machine; a shared node counts once. An addition
/// of a product that nothing else reads is one FMA.
struct OpCounts {
  unsigned mufu = 0; // exponentials, logarithms, reciprocals, roots, tanh
  unsigned fma = 0;  // additions and products
  unsigned alu = 0;  // max, compare, select, convert, integer

  OpCounts &operator+=(const OpCounts &o) {
    mufu += o.mufu, fma += o.fma, alu += o.alu;
    return *this;
  }
};
/// Of a node alone.
OpCounts countNode(Expr e);
OpCounts countOps(ArrayRef<Expr> roots);

//===-- Evaluation --------------------------------------------------------===//

/// Real: floats are doubles and casts between them don't round. Typed: each operation rounds to its
/// type, as the machine does.
enum class EvalMode { Real, Typed };

/// The value of a node: `f` of a float, `i` of an integer or bool.
struct ScalarValue {
  double f = 0;
  int64_t i = 0;
};

/// Evaluates nodes under an assignment of leaves (or of any inner nodes). An opaque node gets a
/// fixed, arbitrary value of its operands.
class Evaluator {
public:
  explicit Evaluator(EvalMode mode) : mode(mode) {}
  void set(Expr e, ScalarValue value) { values[e] = value; }
  void set(Expr e, double value) { values[e] = {value, static_cast<int64_t>(value)}; }
  void clear() { values.clear(); }
  ScalarValue evaluate(Expr e);
  double evaluateFloat(Expr e) { return evaluate(e).f; }

private:
  ScalarValue compute(Expr e);
  EvalMode mode;
  llvm::DenseMap<Expr, ScalarValue> values;
};

/// Largest finite value of a float type.
double getLargest(ScalarType type);

/// `value` rounded to the nearest number of a float type; too large for fp8 saturates.
double roundTo(double value, ScalarType type);

/// One operation on evaluated operands; used by Evaluator and by constant folding.
ScalarValue applyOp(Expr node, ArrayRef<ScalarValue> operands, EvalMode mode);

} // namespace mlir::nautilus::schedule

#endif

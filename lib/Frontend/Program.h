// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked kernel: what Sema makes of the AST and Emit turns into scalar IR. Names are resolved,
// definitions expanded, every node has a type and every axis an extent. A formula is a directed
// acyclic graph: a parameter that a definition uses twice is one node.

#ifndef NAUTILUS_FRONTEND_PROGRAM_H
#define NAUTILUS_FRONTEND_PROGRAM_H

#include "SpecDiagnostics.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace mlir::nautilus::frontend {

/// Types of values. `Int` is a whole number that takes the type of its surroundings; `Index` is an
/// axis or an extent.
enum class Elem { Bool, Int, Index, I8, I32, I64, F8E4M3, F8E5M2, F16, BF16, F32 };

/// A 16- or 8-bit float: stored as such, computed with in f32.
bool isNarrowFloat(Elem type);
bool isFloat(Elem type);
/// As written in a spec.
llvm::StringRef spell(Elem type);
std::optional<Elem> parseElem(llvm::StringRef name);

/// A named extent; a number in a shape is a dim without a name of the user's.
struct Dim {
  std::string name;
  llvm::SMLoc loc;
  std::optional<int64_t> size;
  int64_t hint = 0;
  bool hasClause = false;
  /// In a shape or the range of an axis; in a formula.
  bool isExtent = false, isNamed = false;
};

/// The factors of one dim of a tensor, or of the range of an axis.
using Extent = llvm::SmallVector<const Dim *, 2>;
std::string spell(llvm::ArrayRef<const Dim *> extent);

/// An axis of one statement of the spec; statements that come of it share the axis.
struct Axis {
  llvm::StringRef name;
  Place place;
  /// Empty until a plain subscript or a declaration gives it; then `boundBy` says which.
  Extent extent;
  llvm::SMLoc boundAt;
  std::string boundBy;
  /// A second dim was reported; further ones would repeat it.
  bool hasConflict = false;
  /// Rank among the axes of the statement: order of first use.
  unsigned order = ~0u;
  /// Position of its first factor among the flat axes of the statement.
  unsigned firstFlat = 0;
};

struct GeneratedStatement;

/// An argument, a result or a named intermediate.
struct Tensor {
  llvm::StringRef name;
  llvm::SMLoc loc;
  /// As declared, and as read: a result is read before its conversion.
  Elem type = Elem::F32, readType = Elem::F32;
  llvm::SmallVector<Extent, 4> dims;
  enum Kind { Argument, Result, Intermediate } kind = Intermediate;
  /// Names of the axes of an intermediate or an assigned result, which a bare use takes.
  llvm::SmallVector<llvm::StringRef, 4> axisNames;
  GeneratedStatement *definition = nullptr;
  /// What the kernel returns for a result: the definition or its conversion.
  GeneratedStatement *output = nullptr;
  unsigned argumentNumber = 0;
  bool isAssigned = false, isUsed = false;
  /// Its statement has an error, which was reported; uses are not checked further.
  bool isPoisoned = false;
};

enum class Opcode {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Neg,
  Pow,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Or,
  Not,
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
  Abs,
  Floor,
  Ceil,
  Max,
  Min,
  MaxNum,
  MinNum,
};

enum class ReduceKind { Sum, Prod, Max, Min, MaxNum, MinNum, ArgMax, ArgMin, Any, All };

struct Node {
  enum Kind {
    Literal,   ///< `integer` when `type` is Int or Bool, else `number`
    AxisValue, ///< coordinate of `axis`
    DimValue,  ///< extent of a dynamic `dim`
    ExtentOf,  ///< extent of `axis`
    Read,      ///< `tensor[args]`
    Local,     ///< element of `statement` at this point
    Op,        ///< `opcode(args)`
    Select,    ///< `args[1] if args[0] else args[2]`
    Cast,      ///< `args[0]` converted to `type`
    Reduce,    ///< `reduction` of `args[0]` over `axes`, where `args[1]` holds if there is one
  };
  Kind kind = Literal;
  Place place;
  Elem type = Elem::F32;
  /// Common type of the operands of an Op.
  Elem operandType = Elem::F32;
  unsigned depth = 1;
  llvm::SmallVector<Node *, 3> args;
  /// Whether an element of a tensor takes part.
  bool readsTensor = false;
  /// Axes that the value depends on, in their order.
  llvm::SmallVector<Axis *, 4> freeAxes;
  double number = 0;
  int64_t integer = 0;
  Axis *axis = nullptr;
  const Dim *dim = nullptr;
  Tensor *tensor = nullptr;
  GeneratedStatement *statement = nullptr;
  Opcode opcode = Opcode::Add;
  ReduceKind reduction = ReduceKind::Sum;
  llvm::SmallVector<Axis *, 2> axes;
  /// Of a Read: one subscript per factor of the tensor's dims, over the flat axes of the scope.
  llvm::SmallVector<AffineExpr, 6> access;
};

struct StatementScope;

/// One statement of scalar IR before emission.
struct GeneratedStatement {
  std::string name;
  Place place;
  Node *value = nullptr;
  Elem type = Elem::F32;
  StatementScope *scope = nullptr;
  /// The left side as written or implied; unset for a generated one, which takes the axes it needs.
  std::optional<llvm::SmallVector<Axis *, 4>> axes;
  /// Flat axes (positions in the scope) of the emitted result; set before emission.
  llvm::SmallVector<unsigned, 6> flatAxes;
};

/// One factor of an axis.
struct FlatAxis {
  Axis *axis;
  unsigned factor;
  const Dim *dim;
  std::string name;
};

/// What the statements that come of one statement of the spec share.
struct StatementScope {
  std::string name;
  std::deque<Axis> axes;
  llvm::StringMap<Axis *> axisByName;
  /// All factors of all axes in order; set once the axes are bound.
  std::vector<FlatAxis> flatAxes;
  unsigned numOrdered = 0;
  /// By statement, how many unnamed parts of it have got a name.
  llvm::StringMap<unsigned> numTemporaries;
};

struct Program {
  llvm::StringRef name;
  llvm::SMLoc loc;
  std::deque<Dim> dims;
  std::deque<Tensor> tensors;
  llvm::SmallVector<Tensor *, 8> arguments, results;
  llvm::StringMap<Dim *> dimByName;
  llvm::StringMap<Tensor *> tensorByName;
  std::deque<StatementScope> scopes;
  std::deque<Node> nodes;
  std::deque<CallFrame> frames;
  std::deque<GeneratedStatement> storage;
  /// In an order in which each reads earlier ones only.
  std::vector<GeneratedStatement *> statements;

  /// The dim that stands for a number in a shape.
  Dim *getLiteralDim(int64_t size, llvm::SMLoc loc);
};

} // namespace mlir::nautilus::frontend

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar IR of a planned kernel, and of the formula of one statement (the body of its op).

#ifndef NAUTILUS_FRONTEND_EMIT_H
#define NAUTILUS_FRONTEND_EMIT_H

#include "Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::nautilus::frontend {

void emitKernel(const SpecDiagnostics &diagnostics, Program &program, ModuleOp module);

Type getType(MLIRContext *context, Elem type);

/// The formula of one statement.
class BodyEmitter {
public:
  BodyEmitter(OpBuilder &builder, const SpecDiagnostics &diagnostics, const StatementScope &scope)
      : builder(builder), diagnostics(diagnostics), scope(scope) {}

  /// Says which value a read is: the body argument of its input.
  void setInput(const Node *node, Value argument) { inputs[node] = argument; }

  /// The value of `node` as `type`, at the insertion point of the builder.
  Value emit(const Node *node, Elem type);
  /// The coordinate of an axis, or its extent, as an index.
  Value emitCoordinate(const Axis *axis, Location loc);
  Value emitExtent(const Axis *axis, Location loc);
  Value convert(Value value, Elem from, Elem to, Location loc);

private:
  Value emitRaw(const Node *node, Elem type);
  Value emitLiteral(const Node *node, Elem type);
  Value emitOp(const Node *node, Elem type);
  Value emitLogical(const Node *node, Location loc);
  Value emitComparison(const Node *node, Location loc);
  Value emitIntegerOp(Opcode opcode, ArrayRef<Value> args, Location loc);
  Value emitFloatOp(Opcode opcode, ArrayRef<Value> args, Location loc);
  Value emitFunction(Opcode opcode, Value arg, Location loc);
  Value emitDim(const Dim *dim, Location loc);
  Value convertFloat(Value value, Elem from, Elem to, Location loc);
  Value convertToInteger(Value value, Elem from, Elem to, Location loc);
  Value constant(TypedAttr value, Location loc);

  OpBuilder &builder;
  const SpecDiagnostics &diagnostics;
  const StatementScope &scope;
  llvm::DenseMap<const Node *, Value> inputs;
  llvm::DenseMap<std::pair<const Node *, int>, Value> known;
  /// Constants, dims and coordinates of this body, each emitted once.
  llvm::DenseMap<Attribute, Value> constants;
  llvm::StringMap<Value> dims, digits;
};

} // namespace mlir::nautilus::frontend

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expression DAGs from bodies of statements (`arith` and `math` ops on scalars) and back. Pure ops
// that the algebra doesn't know become opaque nodes and come back as the same ops; an op that isn't
// pure, has regions or several results can't be imported.

#ifndef NAUTILUS_SCHEDULE_EXPRIR_H
#define NAUTILUS_SCHEDULE_EXPRIR_H

#include "nautilus/Schedule/Expr.h"

#include "mlir/IR/Builders.h"

namespace mlir::nautilus::schedule {

/// The scalar type of an MLIR type, if the algebra has it.
std::optional<ScalarType> getScalarType(Type type);
Type getMLIRType(ScalarType type, MLIRContext *context);

/// Called for ops without operands that aren't constants (coordinates, extents).
using LeafOfOp = function_ref<Expr(Operation *)>;
using ValueOfLeaf = function_ref<Value(Expr)>;

/// The operands of the terminator of `body` as expressions of `arguments`, one per block argument.
/// Fails without a diagnostic on an op that can't be imported; `offender` is then set to it.
FailureOr<SmallVector<Expr>> importBody(ExprContext &context, Block &body, ArrayRef<Expr> arguments,
                                        LeafOfOp leafOfOp, Operation **offender = nullptr);

/// Builds ops that compute `roots`, shared nodes once.
SmallVector<Value> emit(OpBuilder &builder, Location loc, const ExprContext &context,
                        ArrayRef<Expr> roots, ValueOfLeaf valueOfLeaf);

} // namespace mlir::nautilus::schedule

#endif

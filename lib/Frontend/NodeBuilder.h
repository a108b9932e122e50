// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the nodes of checked formulas: gives each its type or reports why it has none, and computes
// what is constant (exactly for whole numbers, else in float64, so that it is rounded once).

#ifndef NAUTILUS_FRONTEND_NODEBUILDER_H
#define NAUTILUS_FRONTEND_NODEBUILDER_H

#include "Program.h"
#include "nautilus/Frontend/Frontend.h"

namespace mlir::nautilus::frontend {

class NodeBuilder {
public:
  NodeBuilder(Program &program, SpecDiagnostics &diagnostics, Numerics numerics)
      : program(program), diagnostics(diagnostics), numerics(numerics) {}

  Node *integer(Place place, int64_t value);
  Node *number(Place place, double value);
  Node *boolean(Place place, bool value);
  Node *axis(Place place, Axis *axis);
  /// A constant when the dim is static.
  Node *dim(Place place, const Dim *dim);
  Node *extentOf(Place place, Axis *axis);
  Node *read(Place place, Tensor *tensor, llvm::ArrayRef<Node *> subscripts);
  Node *local(Place place, GeneratedStatement *statement);

  // These return null after an error.
  Node *op(Place place, Opcode opcode, llvm::ArrayRef<Node *> args);
  Node *select(Place place, Node *condition, Node *value, Node *otherwise);
  Node *cast(Place place, Elem type, Node *value);
  /// `condition` may be null. `sum` of a product gets the cast of the language's numeric rule.
  Node *reduce(Place place, ReduceKind kind, llvm::ArrayRef<Axis *> axes, Node *value,
               Node *condition);

  /// The type in which a statement of this value is kept.
  static Elem getStoredType(const Node *value);

private:
  Node *make(Node::Kind kind, Place place, Elem type, llvm::ArrayRef<Node *> args);
  /// Computes the free axes; null after an error when the formula is too large.
  Node *finish(Node *node);
  /// The common type of numbers, or nothing after an error.
  std::optional<Elem> unify(Place place, llvm::ArrayRef<Node *> args);
  Node *fold(Place place, Opcode opcode, llvm::ArrayRef<Node *> args);
  Node *power(Place place, llvm::ArrayRef<Node *> args);
  Node *roundFactor(Node *product);

  Program &program;
  SpecDiagnostics &diagnostics;
  Numerics numerics;
  /// Whether the bound on expansion was reported.
  bool isTooLarge = false;
};

} // namespace mlir::nautilus::frontend

#endif

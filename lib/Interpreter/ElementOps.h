// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one `arith` or `math` op does to elements. An op is looked up once and then applied to many
// elements at a time: a run of lanes of a statement's inner axis, or all elements of a tile.

#ifndef NAUTILUS_LIB_INTERPRETER_ELEMENTOPS_H
#define NAUTILUS_LIB_INTERPRETER_ELEMENTOPS_H

#include "nautilus/Interpreter/Interpreter.h"

namespace mlir::nautilus::interpreter {

struct ElementOp;

/// Computes `out[l]` from `in[0][l], in[1][l], …` for `count` lanes. `out` may be one of `in`.
using LaneFunction = void (*)(const ElementOp &op, const Element *const *in, Element *out,
                              size_t count);

/// A resolved op. `function` is null for a no-op: the result is the first operand.
struct ElementOp {
  LaneFunction function = nullptr;
  ElementKind operandKind = ElementKind::F64; ///< Of the first operand that is not a condition.
  ElementKind resultKind = ElementKind::F64;
  unsigned predicate = 0; ///< Of a comparison.
  bool rounds = false;    ///< The result is rounded or wrapped to its kind.
  Element constant = {};

  bool isCopy() const { return function == nullptr; }
  void apply(const Element *const *in, Element *out, size_t count) const;
};

/// Resolves `op` (on scalars or tensors alike) for `mode`. Emits an error on an op or a type that
/// the interpreter does not know.
FailureOr<ElementOp> resolveElementOp(Operation *op, Mode mode);

/// The lane function of an op by name, or nothing for an unknown op. Null is a known no-op.
std::optional<LaneFunction> lookupLaneFunction(StringRef name);

/// The value of a scalar attribute in `kind`, or nothing.
std::optional<Element> getElement(Attribute attr);

/// Rounds or wraps `count` values to `kind`, in place.
void narrowLanes(ElementKind kind, Element *values, size_t count);

} // namespace mlir::nautilus::interpreter

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `map` or `reduce` of nautilus_scalar, translated once and then run on tensors, whole or by
// tiles.

#ifndef NAUTILUS_LIB_INTERPRETER_STATEMENT_H
#define NAUTILUS_LIB_INTERPRETER_STATEMENT_H

#include "BodyProgram.h"

#include "nautilus/Dialect/Scalar/IR/Scalar.h"

namespace mlir::nautilus::interpreter {

/// How an input is read: one affine subscript per dim of the input.
struct InputAccess {
  AffineMap map;
  bool isTile = false; ///< Subscripts are in coordinates of the tile, else of the whole tensor.
  bool isLinear =
      false; ///< No floordiv, ceildiv or mod: `constants` and `coefficients` say it all.
  SmallVector<int64_t> constants;                 ///< [dim]
  SmallVector<SmallVector<int64_t>> coefficients; ///< [dim][axis]
};

/// The translated statement. A statement without axes gets one axis of one point.
struct Statement {
  static FailureOr<Statement> translate(scalar::MapOp op, Mode mode);
  static FailureOr<Statement> translate(scalar::ReduceOp op, Mode mode);

  Operation *op = nullptr;
  SmallVector<scalar::AxisAttr> axes; ///< Parallel axes, then reduction axes.
  unsigned numAxes = 0;               ///< axes.size(), at least 1.
  unsigned numParallel = 0;           ///< Of the `numAxes`.
  SmallVector<InputAccess> inputs;
  SmallVector<ElementKind> resultKinds;
  BodyProgram body;
  std::optional<BodyProgram> combiner;
  SmallVector<Element> identities;

private:
  LogicalResult translateCommon(Operation *op, ArrayAttr maps, ValueRange operands, Block &block,
                                Mode mode);
};

/// What one run works on. `origins` and `extents` have one entry per axis: where the axis' tile
/// starts (0 for a whole dim), and the extent of its dim.
struct StatementOperands {
  SmallVector<const Tensor *> inputs;
  SmallVector<const Tensor *> inits;
  SmallVector<int64_t> origins, extents;
  const llvm::StringMap<int64_t> *dims = nullptr;
};

/// Results of a map hold poison outside the domain; those of a reduce hold the identity or the
/// init.
FailureOr<std::vector<Tensor>> runStatement(const Statement &statement,
                                            const StatementOperands &operands);

} // namespace mlir::nautilus::interpreter

#endif

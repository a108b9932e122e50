// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subscripts of reads as affine expressions over the flat axes of a statement, one for each factor
// of the dims that they index. Runs once the axes are bound.

#ifndef NAUTILUS_FRONTEND_SUBSCRIPTS_H
#define NAUTILUS_FRONTEND_SUBSCRIPTS_H

#include "Program.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::nautilus::frontend {

class SubscriptLowering {
public:
  SubscriptLowering(SpecDiagnostics &diagnostics, const StatementScope &scope)
      : diagnostics(diagnostics), scope(scope) {}

  /// Sets `access` of every read below `value`; reports a subscript that has no such form.
  LogicalResult lower(Node *value);

private:
  /// A subscript: digits (flat axes whose dims multiply to its range), an affine expression, both,
  /// or neither.
  struct Form {
    llvm::SmallVector<unsigned, 4> digits;
    AffineExpr expr;
  };

  LogicalResult lowerRead(Node *read);
  LogicalResult lowerOne(Node *subscript, Node *read, unsigned dim);
  LogicalResult checkRange(Node *subscript, AffineExpr expr, Node *read, unsigned dim);
  Form evaluate(const Node *node);
  Form evaluateOp(const Node *node);
  Extent getExtent(llvm::ArrayRef<unsigned> digits) const;
  /// `expr` cut into one subscript per factor; needs static factors.
  bool split(AffineExpr expr, const Extent &extent, llvm::SmallVectorImpl<AffineExpr> &parts);
  struct Range {
    std::optional<int64_t> low, high;
  };
  Range getRange(AffineExpr expr) const;
  /// Looks for a point where `isOutside` holds for the value of `expr`: values of the flat axes.
  std::optional<llvm::SmallVector<int64_t>>
  findPoint(AffineExpr expr, llvm::function_ref<bool(int64_t)> isOutside) const;
  std::string spellPoint(AffineExpr expr, llvm::ArrayRef<int64_t> point) const;

  SpecDiagnostics &diagnostics;
  const StatementScope &scope;
  llvm::DenseSet<Node *> done;
};

} // namespace mlir::nautilus::frontend

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between statements and expressions, seen from one reduction: bodies of a path of elementwise
// statements as one expression over leaves that are reads at subscripts of that reduction, and
// expressions back as statements.

#ifndef NAUTILUS_LIB_SCHEDULE_ROLLBODIES_H
#define NAUTILUS_LIB_SCHEDULE_ROLLBODIES_H

#include "nautilus/Interfaces/Combiner.h"
#include "nautilus/Schedule/Expr.h"
#include "nautilus/Schedule/State.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::nautilus::schedule {

class RollBodies {
public:
  /// `axis`: the one that `target` reduces over and `loop` runs over.
  RollBodies(const State &state, unsigned target, unsigned loop);

  ExprContext &getContext() { return context; }
  ArrayRef<unsigned> getFrontier() const { return frontier; }
  /// Elementwise statements whose bodies were taken into an expression.
  ArrayRef<unsigned> getPath() const { return path; }
  std::optional<unsigned> getDimNumber(StringRef dim) const;
  /// A leaf for the extent of `dim`.
  Expr getExtent(StringRef dim);

  /// What `stmt` computes per element, at the point that `at` gives for the target's axes; null if
  /// that cannot be said.
  Expr importStatement(unsigned stmt, AffineMap at);
  /// The target's axes as axes of a frontier reduction; null if it has others.
  AffineMap getAxesOf(unsigned stmt) const;
  /// Why the last import failed, as a term.
  const std::string &getObstacle() const { return obstacle; }

  //===-- Statements of expressions -----------------------------------------===//

  /// Gives accumulator leaf `k` its statement. In the loop it is read before the iteration, after
  /// it as it is then.
  void setAccumulator(unsigned k, unsigned stmt, const llvm::SmallBitVector &axes);
  /// The statement that counts the elements seen so far, one count per point of `axes`.
  void setCount(unsigned stmt, const llvm::SmallBitVector &axes);
  /// Axes of the target that the value of an expression depends on.
  llvm::SmallBitVector getAxes(Expr e);
  /// Adds an elementwise statement to `next` for `e`, before it those that compute its parts over
  /// fewer axes; appends all to `nodes`.
  unsigned addMap(State &next, StringRef name, Expr e, llvm::SmallBitVector axes, bool inLoop,
                  SmallVectorImpl<Node> &nodes);
  /// Makes the statement `stmt` of `next` a reduction of `e` over the loop's axis.
  void makeReduction(State &next, unsigned stmt, StringRef name, CombinerKind kind, Expr e,
                     llvm::SmallBitVector axes, SmallVectorImpl<Node> &nodes);
  unsigned getReductionPosition() const { return reductionPosition; }

private:
  Expr importRead(const Read &read);
  Expr importCoordinate(AffineExpr expr);
  AffineMap selectAxes(const llvm::SmallBitVector &axes) const;
  bool dependsOnFrontier(unsigned stmt);
  Expr hoist(State &next, StringRef name, Expr e, const llvm::SmallBitVector &axes, bool inLoop,
             SmallVectorImpl<Node> &nodes);
  Read getRead(Expr leaf, bool inLoop);
  /// A leaf that reads a statement made of `value`.
  Expr partLeaf(unsigned stmt, Expr value, const llvm::SmallBitVector &axes);
  /// Fills a statement's axes, reads and region for `e`.
  std::shared_ptr<Body> fillStatement(Statement &statement, Expr e,
                                      const llvm::SmallBitVector &axes, bool inLoop);

  const State &state;
  const Statement &target;
  unsigned reductionPosition = 0;
  ExprContext context;
  SmallVector<unsigned> frontier, path;
  llvm::DenseMap<unsigned, bool> depends;
  SmallVector<std::pair<Read, Expr>> leaves;
  SmallVector<std::string> dims;
  llvm::DenseMap<unsigned, unsigned> accumulators;
  llvm::DenseMap<unsigned, AffineMap> accumulatorMaps;
  Type argumentType; // of the read that is being imported
  std::string obstacle;
  Read count;
};

} // namespace mlir::nautilus::schedule

#endif

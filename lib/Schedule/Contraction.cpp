// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises contractions by the axes of their reads.

#include "nautilus/Schedule/Contraction.h"
#include "nautilus/Interfaces/Combiner.h"

using namespace mlir;
using namespace mlir::nautilus::schedule;

static bool walks(const Read &read, unsigned axis) {
  return llvm::any_of(read.map.getResults(),
                      [&](AffineExpr expr) { return expr.isFunctionOfDim(axis); });
}

/// The last axis of [begin, end) that `own` walks and `other` doesn't.
static std::optional<unsigned> findOwnAxis(const Read &own, const Read &other, unsigned end) {
  for (unsigned axis = end; axis-- > 0;)
    if (walks(own, axis) && !walks(other, axis))
      return axis;
  return std::nullopt;
}

std::optional<Contraction> mlir::nautilus::schedule::findContraction(const Statement &statement) {
  if (!statement.isReduce() || classifyCombiner(statement.body->getCombiner()) != CombinerKind::Add)
    return std::nullopt;
  for (const Read &a : statement.reads)
    for (const Read &b : statement.reads) {
      if (&b <= &a)
        continue;
      std::optional<unsigned> depth;
      for (unsigned axis = statement.numParallel; axis < statement.axes.size(); ++axis)
        if (walks(a, axis) && walks(b, axis))
          depth = axis;
      std::optional<unsigned> ofA = findOwnAxis(a, b, statement.numParallel);
      std::optional<unsigned> ofB = findOwnAxis(b, a, statement.numParallel);
      if (depth && ofA && ofB)
        return Contraction{std::min(*ofA, *ofB), std::max(*ofA, *ofB), *depth};
    }
  return std::nullopt;
}

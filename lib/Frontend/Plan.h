// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a checked kernel ready to be emitted: a reduction inside a formula becomes a statement of
// its own, every statement gets the axes of its result, and what no result needs is dropped.

#ifndef NAUTILUS_FRONTEND_PLAN_H
#define NAUTILUS_FRONTEND_PLAN_H

#include "Program.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::nautilus::frontend {

struct Plan {
  /// In the order of emission.
  std::vector<GeneratedStatement *> statements;
  /// The statement that a nested reduction became.
  llvm::DenseMap<const Node *, GeneratedStatement *> hoisted;
};

Plan planStatements(Program &program);

} // namespace mlir::nautilus::frontend

#endif

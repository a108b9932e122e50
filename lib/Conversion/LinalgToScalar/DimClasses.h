// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dims of a function's tensors are one and the same extent.
//
// linalg gives dims no names. Two tensor dims that one iteration dim of an op walks have one
// extent, and so have an op's result and its init; `tensor.empty` takes extents from `tensor.dim`.
// The classes that follow become the named dims of the kernel.

#ifndef NAUTILUS_LIB_CONVERSION_LINALGTOSCALAR_DIMCLASSES_H
#define NAUTILUS_LIB_CONVERSION_LINALGTOSCALAR_DIMCLASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlir::nautilus {

class DimClasses {
public:
  explicit DimClasses(func::FuncOp function);

  /// The number of the class of a tensor dim; numbers follow the order of first appearance.
  unsigned get(Value tensor, unsigned dim) { return number({tensor.getAsOpaquePointer(), dim}); }
  /// The class of an iteration dim of an op.
  unsigned get(linalg::LinalgOp op, unsigned loop) { return number({op.getOperation(), loop}); }
  /// The extent of a class, or ShapedType::kDynamic.
  int64_t getExtent(unsigned number) const { return extents[number]; }
  /// Whether an argument of the function has a dim of the class, so that a call tells its extent.
  bool isBound(unsigned number) const {
    return bound[number] || !ShapedType::isDynamic(extents[number]);
  }
  unsigned size() const { return extents.size(); }
  static std::string getName(unsigned number) { return "d" + std::to_string(number); }

private:
  using Node = std::pair<void *, unsigned>;
  void unify(Node a, Node b) { classes.unionSets(a, b); }
  void addTensor(Value tensor);
  void addOp(Operation *op);
  unsigned number(Node node);

  llvm::EquivalenceClasses<Node> classes;
  std::map<Node, unsigned> numbers; // by leader
  SmallVector<int64_t> extents;
  SmallVector<bool> bound;
};

} // namespace mlir::nautilus

#endif

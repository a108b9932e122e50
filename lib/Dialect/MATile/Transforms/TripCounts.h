// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the place of a tile in the grid changes the work of its loops, by evaluating their bounds at
// sample extents. Good enough to choose an order of tiles, which no result depends on.

#ifndef NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_TRIPCOUNTS_H
#define NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_TRIPCOUNTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace mlir::nautilus::matile {

/// Evaluates index arithmetic of a kernel for one place in the grid.
class IndexEvaluator {
public:
  /// The block at `origins` (by value), extents and other arguments at `sample`.
  IndexEvaluator(llvm::DenseMap<Value, int64_t> origins, int64_t sample)
      : known(std::move(origins)), sample(sample) {}

  std::optional<int64_t> evaluate(Value value);

private:
  std::optional<int64_t> compute(Value value);

  llvm::DenseMap<Value, int64_t> known;
  int64_t sample;
};

/// The axis of the grid along which the number of iterations changes most, and whether it grows.
struct WorkAxis {
  unsigned axis;
  bool grows;
};

/// Looks at all loops of the kernel except `items`; none if no bound depends on the place.
std::optional<WorkAxis> findWorkAxis(KernelOp kernel, OriginOp origin, Operation *items);

} // namespace mlir::nautilus::matile

#endif

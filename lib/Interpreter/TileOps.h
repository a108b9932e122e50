// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops of nautilus_vrtile do to host tensors. A tile is a row-major tensor of static shape.

#ifndef NAUTILUS_LIB_INTERPRETER_TILEOPS_H
#define NAUTILUS_LIB_INTERPRETER_TILEOPS_H

#include "BodyProgram.h"
#include "StructuredInterpreter.h"

namespace mlir::nautilus::interpreter {

/// Where a tile lies in memory: tile dim d runs along memory dim `walk[d]` from `indices[walk[d]]`,
/// and is cut to [0, `bounds[d]`) unless `bounds[d]` is negative (proven inside).
struct TileAccess {
  SmallVector<int64_t> indices, walk, bounds;
};

/// Each emits an error at `op` when an element inside the bounds lies outside the memory.
LogicalResult loadTile(Operation *op, const MemoryView &from, const TileAccess &access,
                       Element padding, Tensor &tile);
LogicalResult storeTile(Operation *op, const Tensor &tile, const TileAccess &access,
                        const MemoryView &to);

/// acc + lhs * rhs. In typed mode each sum is rounded to the accumulator's type.
Tensor dot(const Tensor &lhs, bool transposeLhs, const Tensor &rhs, bool transposeRhs,
           const Tensor &acc, Mode mode);

/// Combines tuples of elements along dim `dim`.
std::vector<Tensor> reduceTiles(ArrayRef<const Tensor *> inputs, int64_t dim,
                                ArrayRef<Element> identities, const BodyProgram &combiner);

/// Operand dim i becomes result dim `dims[i]`.
Tensor broadcastTile(const Tensor &source, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape);

/// Result dim i is operand dim `permutation[i]`.
Tensor transposeTile(const Tensor &source, ArrayRef<int64_t> permutation);

/// start + position along `dim`.
Tensor iota(ElementKind kind, ArrayRef<int64_t> shape, int64_t dim, int64_t start);

} // namespace mlir::nautilus::interpreter

#endif

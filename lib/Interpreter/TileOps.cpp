// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile operations on the host.

#include "TileOps.h"

using namespace mlir;
using namespace mlir::nautilus::interpreter;

namespace {

/// The part of a tile that an access touches: [low, high) per tile dim, and where it starts in
/// memory.
struct Touched {
  SmallVector<int64_t> low, high, strides;
  int64_t offset = 0; ///< Of tile index 0, which may itself lie outside the memory.
  bool isEmpty = false;
};

} // namespace

static FailureOr<Touched> findTouched(Operation *op, const MemoryView &memory,
                                      const TileAccess &access, ArrayRef<int64_t> tileShape) {
  Touched touched;
  SmallVector<int64_t> first(access.indices), last(access.indices);
  for (auto [d, walk, bound] : llvm::enumerate(access.walk, access.bounds)) {
    int64_t start = access.indices[walk], low = 0, high = tileShape[d];
    if (bound >= 0) {
      low = std::max<int64_t>(0, -start);
      high = std::min(high, bound - start);
    }
    touched.isEmpty |= low >= high;
    touched.low.push_back(low);
    touched.high.push_back(high);
    touched.strides.push_back(memory.strides[walk]);
    first[walk] = start + low;
    last[walk] = start + high - 1;
  }
  touched.offset = memory.offset;
  for (auto [index, stride] : llvm::zip(access.indices, memory.strides))
    touched.offset += index * stride;
  for (size_t d = 0; d < first.size() && !touched.isEmpty; ++d)
    for (int64_t index : {first[d], last[d]})
      if (index < 0 || index >= memory.shape[d])
        return op->emitError("expected an index of memory dim ")
               << d << " inside [0, " << memory.shape[d] << "), got " << index;
  return touched;
}

/// Calls `visit(tileOffset, memoryOffset)` for each touched element.
template <typename Visit>
static void forEachTouched(const Touched &touched, ArrayRef<int64_t> tileStrides, Visit visit) {
  if (touched.isEmpty)
    return;
  size_t rank = touched.low.size();
  SmallVector<int64_t> index(touched.low);
  while (true) {
    int64_t inTile = 0, inMemory = touched.offset;
    for (size_t d = 0; d < rank; ++d) {
      inTile += index[d] * tileStrides[d];
      inMemory += index[d] * touched.strides[d];
    }
    // The innermost dim without going through the odometer.
    int64_t run = rank ? touched.high[rank - 1] - touched.low[rank - 1] : 1;
    for (int64_t i = 0; i < run; ++i) {
      visit(inTile, inMemory);
      if (rank) {
        inTile += tileStrides[rank - 1];
        inMemory += touched.strides[rank - 1];
      }
    }
    size_t d = rank ? rank - 1 : 0;
    while (d > 0 && ++index[d - 1] == touched.high[d - 1]) {
      --d;
      index[d] = touched.low[d];
    }
    if (d == 0)
      return;
  }
}

LogicalResult mlir::nautilus::interpreter::loadTile(Operation *op, const MemoryView &from,
                                                    const TileAccess &access, Element padding,
                                                    Tensor &tile) {
  FailureOr<Touched> touched = findTouched(op, from, access, tile.shape);
  if (failed(touched))
    return failure();
  tile.fill(padding);
  const std::vector<Element> &memory = from.storage->data;
  forEachTouched(*touched, tile.strides,
                 [&](int64_t inTile, int64_t inMemory) { tile.data[inTile] = memory[inMemory]; });
  return success();
}

LogicalResult mlir::nautilus::interpreter::storeTile(Operation *op, const Tensor &tile,
                                                     const TileAccess &access,
                                                     const MemoryView &to) {
  FailureOr<Touched> touched = findTouched(op, to, access, tile.shape);
  if (failed(touched))
    return failure();
  std::vector<Element> &memory = to.storage->data;
  forEachTouched(*touched, tile.strides,
                 [&](int64_t inTile, int64_t inMemory) { memory[inMemory] = tile.data[inTile]; });
  return success();
}

Tensor nautilus::interpreter::dot(const Tensor &lhs, bool transposeLhs, const Tensor &rhs,
                                  bool transposeRhs, const Tensor &acc, Mode mode) {
  // The inner loop runs along a row of the right side.
  Tensor right = transposeRhs ? transposeTile(rhs, {1, 0}) : rhs;
  int64_t numRows = acc.shape[0], numCols = acc.shape[1], depth = right.shape[0];
  int64_t rowStride = lhs.strides[transposeLhs ? 1 : 0];
  int64_t depthStride = lhs.strides[transposeLhs ? 0 : 1];
  bool rounds = mode == Mode::Typed && acc.kind != ElementKind::F64;
  Tensor result = acc;
  for (int64_t i = 0; i < numRows; ++i) {
    Element *row = result.data.data() + i * numCols;
    for (int64_t k = 0; k < depth; ++k) {
      double left = lhs.data[i * rowStride + k * depthStride].f;
      const Element *from = right.data.data() + k * numCols;
      for (int64_t j = 0; j < numCols; ++j)
        row[j].f += left * from[j].f;
      if (rounds)
        narrowLanes(acc.kind, row, numCols);
    }
  }
  return result;
}

std::vector<Tensor> nautilus::interpreter::reduceTiles(ArrayRef<const Tensor *> inputs, int64_t dim,
                                                       ArrayRef<Element> identities,
                                                       const BodyProgram &combiner) {
  ArrayRef<int64_t> shape = inputs.front()->shape;
  SmallVector<int64_t> reduced(shape);
  reduced.erase(reduced.begin() + dim);
  int64_t extent = shape[dim], inner = inputs.front()->strides[dim];
  std::vector<Tensor> results;
  for (auto [input, identity] : llvm::zip(inputs, identities))
    results.emplace_back(input->kind, reduced).fill(identity);
  constexpr int64_t maxLanes = 256;
  int64_t numResults = results.front().data.size();
  size_t size = inputs.size();
  TupleCombiner tuples(combiner, maxLanes);
  std::vector<Element> gathered(size * maxLanes);
  SmallVector<Element *> into(size);
  SmallVector<const Element *> from(size);
  for (int64_t start = 0; start < numResults; start += maxLanes) {
    int64_t lanes = std::min(maxLanes, numResults - start);
    for (int64_t d = 0; d < extent; ++d) {
      for (size_t k = 0; k < size; ++k) {
        Element *to = gathered.data() + k * maxLanes;
        for (int64_t l = 0; l < lanes; ++l) {
          int64_t r = start + l; // Row-major among the dims before and after `dim`.
          to[l] = inputs[k]->data[(r / inner * extent + d) * inner + r % inner];
        }
        into[k] = results[k].data.data() + start;
        from[k] = to;
      }
      tuples.combine(into, from, lanes);
    }
  }
  return results;
}

/// A tile of `shape` whose element at an index is that of `source` at the same index under
/// `strides`.
static Tensor readStrided(const Tensor &source, ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> strides) {
  Tensor result(source.kind, shape);
  Touched all;
  all.low.assign(shape.size(), 0);
  all.high.assign(shape.begin(), shape.end());
  all.strides.assign(strides.begin(), strides.end());
  all.isEmpty = llvm::is_contained(shape, 0);
  forEachTouched(all, result.strides,
                 [&](int64_t to, int64_t from) { result.data[to] = source.data[from]; });
  return result;
}

Tensor nautilus::interpreter::broadcastTile(const Tensor &source, ArrayRef<int64_t> dims,
                                            ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 0);
  for (auto [dim, stride] : llvm::zip(dims, source.strides))
    strides[dim] = stride;
  return readStrided(source, shape, strides);
}

Tensor nautilus::interpreter::transposeTile(const Tensor &source, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape, strides;
  for (int64_t dim : permutation) {
    shape.push_back(source.shape[dim]);
    strides.push_back(source.strides[dim]);
  }
  return readStrided(source, shape, strides);
}

Tensor nautilus::interpreter::iota(ElementKind kind, ArrayRef<int64_t> shape, int64_t dim,
                                   int64_t start) {
  Tensor result(kind, shape);
  int64_t inner = result.strides[dim], extent = shape[dim];
  for (auto [i, element] : llvm::enumerate(result.data))
    element.i = wrapToKind(kind, start + static_cast<int64_t>(i) / inner % extent);
  return result;
}

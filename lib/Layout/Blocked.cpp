// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocked layouts: index bits are handed out to dims, each bit doubling what is covered of one.

#include "nautilus/Layout/Blocked.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace nautilus::layout;
using Basis = RegisterLayout::Basis;

namespace {
class BlockBuilder {
public:
  explicit BlockBuilder(llvm::ArrayRef<int64_t> shape)
      : limits(shape), shape(shape), covered(shape.size(), 1) {}

  bool hasRoom(unsigned dim) const { return covered[dim] < limits[dim]; }
  /// The next bit of `bases` doubles what is covered of `dim`.
  void give(llvm::SmallVectorImpl<Basis> &bases, unsigned dim) {
    bases.push_back(Basis(shape.size(), 0));
    bases.back()[dim] = covered[dim];
    covered[dim] *= 2;
  }
  void repeat(llvm::SmallVectorImpl<Basis> &bases) { bases.push_back(Basis(shape.size(), 0)); }
  /// `count` indices along one dim; those without room repeat the data.
  void giveAll(llvm::SmallVectorImpl<Basis> &bases, int64_t count, unsigned dim) {
    for (; count > 1; count /= 2)
      hasRoom(dim) ? give(bases, dim) : repeat(bases);
  }
  /// `count` indices along the first dims that have room.
  template <typename Dims>
  void spread(llvm::SmallVectorImpl<Basis> &bases, int64_t count, const Dims &dims) {
    for (unsigned dim : dims)
      for (; count > 1 && hasRoom(dim); count /= 2)
        give(bases, dim);
    for (; count > 1; count /= 2)
      repeat(bases);
  }
  void fill(llvm::ArrayRef<unsigned> order) {
    for (unsigned dim : order)
      while (hasRoom(dim))
        give(registers, dim);
  }
  RegisterLayout build() const { return RegisterLayout(shape, registers, lanes, warps); }

  llvm::SmallVector<Basis> registers, lanes, warps;
  llvm::SmallVector<int64_t> limits; // how much of each dim may be covered for now

private:
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<int64_t> covered; // by bits given out so far, a power of two
};
} // namespace

RegisterLayout nautilus::layout::blocked(llvm::ArrayRef<int64_t> shape,
                                         llvm::ArrayRef<int64_t> sizePerThread,
                                         llvm::ArrayRef<int64_t> threadsPerWarp,
                                         llvm::ArrayRef<int64_t> warpsPerBlock,
                                         llvm::ArrayRef<unsigned> order) {
  BlockBuilder builder(shape);
  for (unsigned dim : order)
    for (int64_t size = 1; size < sizePerThread[dim] && builder.hasRoom(dim); size *= 2)
      builder.give(builder.registers, dim);
  for (unsigned dim : order)
    builder.giveAll(builder.lanes, threadsPerWarp[dim], dim);
  for (unsigned dim : order)
    builder.giveAll(builder.warps, warpsPerBlock[dim], dim);
  builder.fill(order);
  return builder.build();
}

/// A dim that `parts` groups of warps (no power of two) can share evenly: padded to a power of two
/// and cut into as many pieces as there are padded groups, the missing groups' pieces lie outside.
/// Outermost first; the size of a piece is 0 if there is no such dim.
static std::pair<unsigned, int64_t> findOddDim(llvm::ArrayRef<int64_t> shape, int64_t parts,
                                               llvm::ArrayRef<unsigned> order) {
  for (unsigned dim : llvm::reverse(order)) {
    int64_t piece = llvm::PowerOf2Ceil(shape[dim]) / llvm::PowerOf2Ceil(parts);
    if (piece > 0 && llvm::divideCeil(shape[dim], piece) == uint64_t(parts))
      return {dim, piece};
  }
  return {0, 0};
}

RegisterLayout nautilus::layout::blockedFor(llvm::ArrayRef<int64_t> shape, int64_t numWarps,
                                            int64_t elementBytes, unsigned contiguousDim) {
  // The contiguous dim first, then the others from the last one outwards; for warps the other way
  // round.
  llvm::SmallVector<unsigned> order;
  if (!shape.empty())
    order.push_back(contiguousDim);
  for (unsigned dim = shape.size(); dim-- > 0;)
    if (dim != contiguousDim)
      order.push_back(dim);
  int64_t group = numWarps & -numWarps, groups = numWarps / group;
  BlockBuilder builder(shape);
  auto [oddDim, piece] = findOddDim(shape, groups, order);
  if (groups > 1 && piece)
    builder.limits[oddDim] = piece;
  if (!shape.empty()) {
    int64_t count = std::min<int64_t>(16 / elementBytes, builder.limits[contiguousDim]);
    for (; count > 1; count /= 2)
      builder.give(builder.registers, contiguousDim);
  }
  builder.spread(builder.lanes, 32, order);
  builder.spread(builder.warps, groups > 1 && piece ? group : numWarps, llvm::reverse(order));
  builder.fill(order);
  if (groups > 1 && piece) {
    builder.limits[oddDim] = shape[oddDim];
    while (builder.hasRoom(oddDim))
      builder.give(builder.warps, oddDim);
  }
  return builder.build();
}

int64_t nautilus::layout::vectorWidth(const RegisterLayout &layout, unsigned dim) {
  int64_t width = 1;
  for (size_t bit = 0; bit < layout.registerBases().size(); ++bit, width *= 2) {
    Basis unit(layout.rank(), 0);
    unit[dim] = width;
    auto isMultiple = [&](const Basis &basis) { return basis[dim] % (2 * width) == 0; };
    if (layout.registerBases()[bit] != unit || layout.shape()[dim] % (2 * width) ||
        !llvm::all_of(layout.registerBases().drop_front(bit + 1), isMultiple) ||
        !llvm::all_of(layout.laneBases(), isMultiple) ||
        !llvm::all_of(layout.warpBases(), isMultiple))
      break;
  }
  return width;
}

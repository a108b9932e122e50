// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts that hardware and memory ask for.
//
// Sources: PTX ISA, fragments of wgmma.mma_async (accumulator D and register operand A).

#include "nautilus/Layout/Layout.h"
#include "llvm/Support/MathExtras.h"

using namespace nautilus::layout;
using Basis = RegisterLayout::Basis;

/// Warps down the rows, 16 rows each; repetitions of the whole group after them.
static void addRowBases(int64_t m, int64_t warps, llvm::SmallVectorImpl<Basis> &registers,
                        llvm::SmallVectorImpl<Basis> &warpBases) {
  for (int64_t warp = 1; warp < warps; warp *= 2)
    warpBases.push_back({int32_t(16 * warp), 0});
  for (int64_t row = 16 * int64_t(llvm::PowerOf2Ceil(warps)); row < m; row *= 2)
    registers.push_back({int32_t(row), 0});
}

static llvm::SmallVector<Basis> quadLanes() { return {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}; }

RegisterLayout nautilus::layout::wgmmaAccumulator(int64_t m, int64_t n, int64_t warps) {
  llvm::SmallVector<Basis> registers{{0, 1}, {8, 0}}, warpBases;
  for (int64_t column = 8; column < n; column *= 2)
    registers.push_back({0, int32_t(column)});
  addRowBases(m, warps, registers, warpBases);
  return RegisterLayout({m, n}, registers, quadLanes(), warpBases);
}

RegisterLayout nautilus::layout::wgmmaOperandA(int64_t m, int64_t k, int64_t elementBits,
                                               int64_t warps) {
  assert(elementBits == 16 && "other widths have another fragment");
  return wgmmaAccumulator(m, k, warps);
}

RegisterLayout nautilus::layout::blockedFor(llvm::ArrayRef<int64_t> shape, int64_t numWarps,
                                            int64_t elementBytes, unsigned contiguousDim) {
  size_t rank = shape.size();
  llvm::SmallVector<int64_t> covered(rank, 1); // by bits given out so far, a power of two
  llvm::SmallVector<Basis> registers, lanes, warps;
  auto give = [&](llvm::SmallVectorImpl<Basis> &bases, unsigned dim) {
    Basis basis(rank, 0);
    basis[dim] = covered[dim];
    covered[dim] *= 2;
    bases.push_back(basis);
  };
  // The contiguous dim first, then the others from the last one outwards; for warps the other way
  // round.
  llvm::SmallVector<unsigned> order;
  if (rank > 0)
    order.push_back(contiguousDim);
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != contiguousDim)
      order.push_back(dim);
  auto spread = [&](llvm::SmallVectorImpl<Basis> &bases, int64_t count, auto dims) {
    for (unsigned dim : dims)
      for (; count > 1 && covered[dim] < shape[dim]; count /= 2)
        give(bases, dim);
    for (; count > 1; count /= 2)
      bases.push_back(Basis(rank, 0));
  };
  if (rank > 0)
    for (int64_t bytes = elementBytes;
         bytes < 16 && covered[contiguousDim] * 2 <= shape[contiguousDim]; bytes *= 2)
      give(registers, contiguousDim);
  spread(lanes, 32, order);
  spread(warps, numWarps, llvm::reverse(order));
  for (unsigned dim : order)
    while (covered[dim] < shape[dim])
      give(registers, dim);
  return RegisterLayout(shape, registers, lanes, warps);
}

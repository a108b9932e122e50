// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gaussian elimination over GF(2) on vectors of coordinates.

#include "LinearSpan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace nautilus::layout;

uint64_t LinearSpan::reduce(Vector &vector) const {
  uint64_t tag = 0;
  for (const Row &row : rows)
    if (vector[row.dim] & row.lead) {
      for (size_t dim = 0; dim < vector.size(); ++dim)
        vector[dim] ^= row.vector[dim];
      tag ^= row.tag;
    }
  return tag;
}

bool LinearSpan::insert(Vector vector, uint64_t tag) {
  tag ^= reduce(vector);
  const auto *nonZero = llvm::find_if(vector, [](int32_t x) { return x != 0; });
  if (nonZero == vector.end())
    return false;
  int32_t lead = int32_t(1) << llvm::Log2_32(*nonZero);
  unsigned dim = nonZero - vector.begin();
  rows.push_back({std::move(vector), tag, dim, lead});
  return true;
}

std::optional<uint64_t> LinearSpan::solve(Vector vector) const {
  uint64_t tag = reduce(vector);
  if (llvm::any_of(vector, [](int32_t x) { return x != 0; }))
    return std::nullopt;
  return tag;
}

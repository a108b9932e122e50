// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host tensors: indexing, filling, comparing.

#include "nautilus/Interpreter/Tensor.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::nautilus::interpreter;

Tensor::Tensor(ElementKind kind, ArrayRef<int64_t> shape) : kind(kind), shape(shape) {
  strides.resize(shape.size());
  int64_t size = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = size;
    size *= shape[d];
  }
  Element zero;
  zero.i = 0; // All bits zero is 0.0 as well.
  data.assign(size, zero);
}

int64_t Tensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t Tensor::offsetOf(ArrayRef<int64_t> index) const {
  int64_t offset = 0;
  for (auto [i, stride] : llvm::zip(index, strides))
    offset += i * stride;
  return offset;
}

Element nautilus::interpreter::poisonOf(ElementKind kind) {
  Element poison;
  if (isFloat(kind))
    poison.f = std::numeric_limits<double>::quiet_NaN();
  else
    poison.i = wrapToKind(kind, 0x5A5A5A5A5A5A5A5B);
  return poison;
}

/// Calls `visit` with each index of `shape`, last dim fastest.
template <typename Visit> static void forEachIndex(ArrayRef<int64_t> shape, Visit visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(ArrayRef<int64_t>(index));
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

Tensor nautilus::interpreter::packed(const Tensor &tensor) {
  Tensor dense(tensor.kind, tensor.shape);
  size_t next = 0;
  forEachIndex(tensor.shape,
               [&](ArrayRef<int64_t> index) { dense.data[next++] = tensor.at(index); });
  return dense;
}

/// A well-mixed 64-bit hash of (seed, counter): splitmix64 (Steele, Lea, Flood 2014).
static uint64_t hash(uint64_t seed, uint64_t counter) {
  uint64_t z = seed * 0xD1342543DE82EF95u + (counter + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void nautilus::interpreter::fillRandom(Tensor &tensor, uint64_t seed) {
  uint64_t counter = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    uint64_t bits = hash(seed, counter++);
    Element &element = tensor.at(index);
    if (tensor.isFloat()) {
      // The top 53 bits as a fraction of 2^52, minus 1: uniform in [-1, 1).
      double uniform = static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
      element.f = roundToKind(tensor.kind, uniform);
    } else {
      element.i = tensor.kind == ElementKind::I1 ? static_cast<int64_t>(bits >> 63)
                                                 : static_cast<int64_t>(bits >> 60) - 8;
    }
  });
}

Comparison nautilus::interpreter::compare(const Tensor &actual, const Tensor &expected,
                                          double tolerance) {
  Comparison result;
  if (actual.shape != expected.shape || actual.isFloat() != expected.isFloat()) {
    result.sameShape = false;
    return result;
  }
  double errorSquared = 0, normSquared = 0;
  forEachIndex(expected.shape, [&](ArrayRef<int64_t> index) {
    Element a = actual.at(index), e = expected.at(index);
    double x = actual.isFloat() ? a.f : static_cast<double>(a.i);
    double y = expected.isFloat() ? e.f : static_cast<double>(e.i);
    bool mismatch;
    if (std::isfinite(x) && std::isfinite(y)) {
      double error = std::fabs(x - y);
      result.maxAbs = std::max(result.maxAbs, error);
      errorSquared += error * error;
      normSquared += y * y;
      mismatch =
          error > tolerance * std::max(1.0, std::fabs(y)) || (!actual.isFloat() && a.i != e.i);
    } else {
      mismatch = !(std::isnan(x) && std::isnan(y)) && x != y;
      result.numNonFinite += mismatch;
    }
    if (mismatch && !result.firstMismatch) {
      result.firstMismatch = llvm::to_vector(index);
      result.mismatchActual = x;
      result.mismatchExpected = y;
    }
  });
  result.relL2 = std::sqrt(errorSquared) / (normSquared > 0 ? std::sqrt(normSquared) : 1.0);
  return result;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host tensors of the interpreter. Every float element is held as a float64 and every integer as an
// int64, whatever its element type: the type says how values round and how they look as bytes. So
// `real` mode can carry more precision than the type has.

#ifndef NAUTILUS_INTERPRETER_TENSOR_H
#define NAUTILUS_INTERPRETER_TENSOR_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::nautilus::interpreter {

enum class ElementKind { F64, F32, F16, BF16, F8E4M3FN, F8E5M2, I1, I8, I16, I32, I64, Index };

bool isFloat(ElementKind kind);
/// Width in bits; Index has 64.
unsigned bitWidth(ElementKind kind);
/// Width in memory: i1 takes one byte.
unsigned byteWidth(ElementKind kind);
llvm::StringRef stringify(ElementKind kind);
/// The kind of an element type, or nothing for a type that the interpreter does not know.
std::optional<ElementKind> getElementKind(Type type);

/// `value` rounded to nearest even in `kind`. Overflow gives infinity, except in 8-bit floats,
/// where it saturates (also from infinity); NaN stays NaN.
double roundToKind(ElementKind kind, double value);
/// `value` modulo 2^width, sign-extended; i1 becomes 0 or 1.
int64_t wrapToKind(ElementKind kind, int64_t value);

/// One element: `f` for float kinds, `i` for the others.
union Element {
  double f;
  int64_t i;
};

/// A strided tensor. A copy is deep.
struct Tensor {
  ElementKind kind = ElementKind::F32;
  SmallVector<int64_t> shape;
  SmallVector<int64_t> strides; ///< In elements, one per dim.
  std::vector<Element> data;

  Tensor() = default;
  /// Row-major, all elements zero.
  Tensor(ElementKind kind, ArrayRef<int64_t> shape);

  int64_t getNumElements() const;
  bool isFloat() const { return interpreter::isFloat(kind); }
  /// Position in `data` of the element at `index`.
  int64_t offsetOf(ArrayRef<int64_t> index) const;
  Element &at(ArrayRef<int64_t> index) { return data[offsetOf(index)]; }
  const Element &at(ArrayRef<int64_t> index) const { return data[offsetOf(index)]; }
  /// Sets every element, also those that no index reaches.
  void fill(Element value) { std::fill(data.begin(), data.end(), value); }
};

/// The value that marks an element nobody computed: NaN, or an unlikely integer.
Element poisonOf(ElementKind kind);

/// The same values in row-major order without gaps.
Tensor packed(const Tensor &tensor);

/// Fills with values that depend on `seed` and the position alone. Floats are uniform in [-1, 1)
/// and exact in the element type; integers are in [-8, 8) (bits in {0, 1}).
void fillRandom(Tensor &tensor, uint64_t seed);

/// The elements in row-major order as the bytes that a device buffer would hold (little endian).
std::vector<uint8_t> toBytes(const Tensor &tensor);
/// Inverse of `toBytes`; nothing if the size does not fit the shape.
std::optional<Tensor> fromBytes(ElementKind kind, ArrayRef<int64_t> shape, ArrayRef<uint8_t> bytes);

/// How far `actual` is from `expected`. Elements that are NaN or the same infinity in both are
/// equal; one that is not finite in only one of them counts in `numNonFinite` and not in the
/// errors.
struct Comparison {
  bool sameShape = true;
  double maxAbs = 0; ///< max |actual - expected|
  double relL2 =
      0; ///< ||actual - expected|| / ||expected||, or the numerator for a zero expectation
  int64_t numNonFinite = 0;
  /// Row-major index of the first element that differs by more than the tolerance given.
  std::optional<SmallVector<int64_t>> firstMismatch;
  double mismatchActual = 0, mismatchExpected = 0;

  /// Shapes agree, every non-finite element agrees, and `relL2` is at most `tolerance`.
  bool isWithin(double tolerance) const {
    return sameShape && numNonFinite == 0 && relL2 <= tolerance;
  }
};

/// An element mismatches when |actual - expected| > tolerance * max(1, |expected|).
Comparison compare(const Tensor &actual, const Tensor &expected, double tolerance);

} // namespace mlir::nautilus::interpreter

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types: their widths, how values round in them, and their bytes.

#include "nautilus/Interpreter/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::nautilus::interpreter;

namespace {
/// A binary float format narrower than float32. `maxFinite` tells formats without infinity apart.
struct NarrowFormat {
  int mantissaBits;
  int minExponent; ///< Of the smallest normal number.
  double maxFinite;
  bool saturates;
  bool hasInfinity;
  unsigned width;
};
} // namespace

// Sources: IEEE 754-2019 binary16; bfloat16 as the upper half of binary32; OCP 8-bit floating point
// specification 1.0 (E4M3 without infinities, E5M2).
static const NarrowFormat &formatOf(ElementKind kind) {
  static const NarrowFormat f16 = {10, -14, 65504.0, false, true, 16};
  static const NarrowFormat bf16 = {7, -126, 0x1.FEp127, false, true, 16};
  static const NarrowFormat e4m3 = {3, -6, 448.0, true, false, 8};
  static const NarrowFormat e5m2 = {2, -14, 57344.0, true, true, 8};
  switch (kind) {
  case ElementKind::F16:
    return f16;
  case ElementKind::BF16:
    return bf16;
  case ElementKind::F8E4M3FN:
    return e4m3;
  default:
    return e5m2;
  }
}

bool nautilus::interpreter::isFloat(ElementKind kind) { return kind <= ElementKind::F8E5M2; }

unsigned nautilus::interpreter::bitWidth(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
  case ElementKind::I64:
  case ElementKind::Index:
    return 64;
  case ElementKind::F32:
  case ElementKind::I32:
    return 32;
  case ElementKind::F16:
  case ElementKind::BF16:
  case ElementKind::I16:
    return 16;
  case ElementKind::F8E4M3FN:
  case ElementKind::F8E5M2:
  case ElementKind::I8:
    return 8;
  case ElementKind::I1:
    return 1;
  }
  return 64;
}

unsigned nautilus::interpreter::byteWidth(ElementKind kind) { return (bitWidth(kind) + 7) / 8; }

StringRef nautilus::interpreter::stringify(ElementKind kind) {
  static const StringRef names[] = {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2",
                                    "i1",  "i8",  "i16", "i32",  "i64",      "index"};
  return names[static_cast<int>(kind)];
}

std::optional<ElementKind> nautilus::interpreter::getElementKind(Type type) {
  using Result = std::optional<ElementKind>;
  return llvm::TypeSwitch<Type, Result>(type)
      .Case([](Float64Type) { return ElementKind::F64; })
      .Case([](Float32Type) { return ElementKind::F32; })
      .Case([](Float16Type) { return ElementKind::F16; })
      .Case([](BFloat16Type) { return ElementKind::BF16; })
      .Case([](Float8E4M3FNType) { return ElementKind::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return ElementKind::F8E5M2; })
      .Case([](IndexType) { return ElementKind::Index; })
      .Case([](IntegerType integer) -> Result {
        switch (integer.getWidth()) {
        case 1:
          return ElementKind::I1;
        case 8:
          return ElementKind::I8;
        case 16:
          return ElementKind::I16;
        case 32:
          return ElementKind::I32;
        case 64:
          return ElementKind::I64;
        default:
          return std::nullopt;
        }
      })
      .Default([](Type) { return std::nullopt; });
}

static uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// 2^exponent for a normal exponent of float64.
static double powerOfTwo(int exponent) {
  uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The exponent of the unit in the last place of `value` in a format, `value` finite and not zero.
static int quantumExponent(const NarrowFormat &format, double value) {
  int exponent = static_cast<int>((bitsOf(value) >> 52) & 0x7FF) - 1023;
  return std::max(exponent, format.minExponent) - format.mantissaBits;
}

double nautilus::interpreter::roundToKind(ElementKind kind, double value) {
  if (kind == ElementKind::F64 || std::isnan(value) || value == 0)
    return value;
  if (kind == ElementKind::F32)
    return static_cast<float>(value);
  const NarrowFormat &format = formatOf(kind);
  double overflow = std::copysign(
      format.saturates ? format.maxFinite : std::numeric_limits<double>::infinity(), value);
  if (std::isinf(value))
    return overflow;
  int quantum = quantumExponent(format, value);
  // Both scalings are exact: the scaled value is below 2^53, and the result has few bits. The
  // default rounding mode of nearbyint is to nearest, ties to even.
  double rounded = std::nearbyint(value * powerOfTwo(-quantum)) * powerOfTwo(quantum);
  return std::fabs(rounded) > format.maxFinite ? overflow : rounded;
}

int64_t nautilus::interpreter::wrapToKind(ElementKind kind, int64_t value) {
  unsigned width = bitWidth(kind);
  if (width == 64)
    return value;
  if (width == 1)
    return value & 1;
  unsigned shift = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// The bit pattern of a value that is exact in the format (or NaN or infinite).
static uint64_t encodeNarrow(ElementKind kind, double value) {
  const NarrowFormat &format = formatOf(kind);
  uint64_t sign = static_cast<uint64_t>(std::signbit(value)) << (format.width - 1);
  int exponentBits = format.width - 1 - format.mantissaBits;
  uint64_t exponentOnes = ((uint64_t{1} << exponentBits) - 1) << format.mantissaBits;
  if (std::isnan(value)) {
    uint64_t mantissa = format.hasInfinity ? uint64_t{1} << (format.mantissaBits - 1)
                                           : (uint64_t{1} << format.mantissaBits) - 1;
    return sign | exponentOnes | mantissa;
  }
  if (std::isinf(value))
    return sign | exponentOnes;
  if (value == 0)
    return sign;
  int quantum = quantumExponent(format, value);
  auto units = static_cast<uint64_t>(std::fabs(value) * powerOfTwo(-quantum));
  // For a normal number `units` has the implicit one, which adds 1 to the biased exponent.
  auto binade = static_cast<uint64_t>(quantum + format.mantissaBits - format.minExponent);
  return sign | ((binade << format.mantissaBits) + units);
}

static double decodeNarrow(ElementKind kind, uint64_t bits) {
  const NarrowFormat &format = formatOf(kind);
  bool negative = (bits >> (format.width - 1)) & 1;
  uint64_t mantissaMask = (uint64_t{1} << format.mantissaBits) - 1;
  uint64_t mantissa = bits & mantissaMask;
  uint64_t exponentMask = (uint64_t{1} << (format.width - 1 - format.mantissaBits)) - 1;
  uint64_t exponent = (bits >> format.mantissaBits) & exponentMask;
  double magnitude;
  if (exponent == exponentMask && format.hasInfinity)
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == exponentMask && mantissa == mantissaMask)
    magnitude = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = mantissa * powerOfTwo(format.minExponent - format.mantissaBits);
  else
    magnitude =
        (mantissa + mantissaMask + 1) *
        powerOfTwo(format.minExponent - format.mantissaBits + static_cast<int>(exponent) - 1);
  return negative ? -magnitude : magnitude;
}

/// The bits of an element in memory.
static uint64_t encode(ElementKind kind, Element element) {
  if (!isFloat(kind))
    return static_cast<uint64_t>(element.i);
  if (kind == ElementKind::F64)
    return bitsOf(element.f);
  if (kind == ElementKind::F32) {
    auto narrow = static_cast<float>(element.f);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof(bits));
    return bits;
  }
  // Storing is no cast: infinity stays what it is where the format has it.
  bool keeps = std::isinf(element.f) && formatOf(kind).hasInfinity;
  return encodeNarrow(kind, keeps ? element.f : roundToKind(kind, element.f));
}

static Element decode(ElementKind kind, uint64_t bits) {
  Element element;
  if (!isFloat(kind)) {
    element.i = wrapToKind(kind, static_cast<int64_t>(bits));
  } else if (kind == ElementKind::F64) {
    std::memcpy(&element.f, &bits, sizeof(bits));
  } else if (kind == ElementKind::F32) {
    auto low = static_cast<uint32_t>(bits);
    float narrow;
    std::memcpy(&narrow, &low, sizeof(low));
    element.f = narrow;
  } else {
    element.f = decodeNarrow(kind, bits);
  }
  return element;
}

std::vector<uint8_t> nautilus::interpreter::toBytes(const Tensor &tensor) {
  std::vector<uint8_t> bytes;
  unsigned width = byteWidth(tensor.kind);
  Tensor dense = packed(tensor);
  bytes.reserve(dense.data.size() * width);
  for (Element element : dense.data) {
    uint64_t bits = encode(tensor.kind, element);
    for (unsigned b = 0; b < width; ++b)
      bytes.push_back(static_cast<uint8_t>(bits >> (8 * b)));
  }
  return bytes;
}

std::optional<Tensor> nautilus::interpreter::fromBytes(ElementKind kind, ArrayRef<int64_t> shape,
                                                       ArrayRef<uint8_t> bytes) {
  Tensor tensor(kind, shape);
  unsigned width = byteWidth(kind);
  if (bytes.size() != tensor.data.size() * width)
    return std::nullopt;
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    uint64_t bits = 0;
    for (unsigned b = 0; b < width; ++b)
      bits |= static_cast<uint64_t>(bytes[i * width + b]) << (8 * b);
    tensor.data[i] = decode(kind, bits);
  }
  return tensor;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types against LLVM's APFloat, and the tensor class.

#include "nautilus/Interpreter/Tensor.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::nautilus::interpreter;

namespace {

struct Format {
  ElementKind kind;
  const llvm::fltSemantics &semantics;
  bool saturates;
  double maxFinite;
};

const Format formats[] = {
    {ElementKind::F16, llvm::APFloat::IEEEhalf(), false, 65504},
    {ElementKind::BF16, llvm::APFloat::BFloat(), false, 0x1.FEp127},
    {ElementKind::F8E4M3FN, llvm::APFloat::Float8E4M3FN(), true, 448},
    {ElementKind::F8E5M2, llvm::APFloat::Float8E5M2(), true, 57344},
};

/// Rounding through APFloat, with the saturation that the language has for 8-bit floats.
double roundByApFloat(const Format &format, double value) {
  if (format.saturates && std::fabs(value) > format.maxFinite)
    return std::copysign(format.maxFinite, value);
  llvm::APFloat x(value);
  bool losesInfo;
  x.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  x.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return x.convertToDouble();
}

TEST(ElementKindTest, RoundsLikeApFloat) {
  Tensor uniform(ElementKind::F64, {20000});
  fillRandom(uniform, 1);
  for (const Format &format : formats)
    for (size_t i = 0; i < uniform.data.size(); ++i) {
      // All binades from below the least subnormal to above the greatest finite value.
      double value = std::ldexp(uniform.data[i].f, static_cast<int>(i % 300) - 150);
      ASSERT_EQ(roundToKind(format.kind, value), roundByApFloat(format, value))
          << stringify(format.kind).str() << " " << value;
    }
}

TEST(ElementKindTest, SpecialValues) {
  double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(roundToKind(ElementKind::F16, 1e6), inf);
  EXPECT_EQ(roundToKind(ElementKind::F16, -inf), -inf);
  EXPECT_EQ(roundToKind(ElementKind::F8E4M3FN, 1e6), 448);
  EXPECT_EQ(roundToKind(ElementKind::F8E4M3FN, -inf), -448);
  EXPECT_EQ(roundToKind(ElementKind::F8E5M2, inf), 57344);
  EXPECT_TRUE(std::isnan(roundToKind(ElementKind::F8E4M3FN, NAN)));
  EXPECT_TRUE(std::signbit(roundToKind(ElementKind::BF16, -0.0)));
  EXPECT_EQ(wrapToKind(ElementKind::I8, 200), -56);
  EXPECT_EQ(wrapToKind(ElementKind::I1, 3), 1);
}

/// Every bit pattern of the narrow formats decodes as APFloat says and encodes back to itself.
TEST(ElementKindTest, BytesOfEveryPattern) {
  for (const Format &format : formats) {
    unsigned width = bitWidth(format.kind);
    for (uint64_t bits = 0; bits < (uint64_t{1} << width); ++bits) {
      std::vector<uint8_t> bytes;
      for (unsigned b = 0; b < width / 8; ++b)
        bytes.push_back(static_cast<uint8_t>(bits >> (8 * b)));
      std::optional<Tensor> tensor = fromBytes(format.kind, {1}, bytes);
      ASSERT_TRUE(tensor);
      llvm::APFloat expected(format.semantics, llvm::APInt(width, bits));
      bool losesInfo;
      expected.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      if (expected.isNaN()) {
        ASSERT_TRUE(std::isnan(tensor->data[0].f));
        continue;
      }
      ASSERT_EQ(tensor->data[0].f, expected.convertToDouble());
      ASSERT_EQ(toBytes(*tensor), bytes) << stringify(format.kind).str() << " " << bits;
    }
  }
}

TEST(TensorTest, BytesOfIntegersAndFloats) {
  for (ElementKind kind : {ElementKind::I1, ElementKind::I8, ElementKind::I32, ElementKind::I64,
                           ElementKind::F32, ElementKind::F64, ElementKind::F16}) {
    Tensor tensor(kind, {3, 5});
    fillRandom(tensor, 7);
    std::vector<uint8_t> bytes = toBytes(tensor);
    EXPECT_EQ(bytes.size(), 15 * byteWidth(kind));
    std::optional<Tensor> back = fromBytes(kind, {3, 5}, bytes);
    ASSERT_TRUE(back);
    Comparison comparison = compare(*back, tensor, 0);
    EXPECT_FALSE(comparison.firstMismatch) << stringify(kind).str();
  }
  EXPECT_FALSE(fromBytes(ElementKind::F32, {2}, {1, 2, 3}));
}

TEST(TensorTest, PackedFollowsStrides) {
  Tensor tensor(ElementKind::I64, {4, 3});
  for (int64_t i = 0; i < 12; ++i)
    tensor.data[i].i = i;
  std::swap(tensor.shape[0], tensor.shape[1]);
  std::swap(tensor.strides[0], tensor.strides[1]);
  Tensor transposed = packed(tensor);
  EXPECT_EQ(transposed.at({2, 1}).i, 5);
  EXPECT_EQ(transposed.strides[0], 4);
}

TEST(TensorTest, FillIsDeterministicAndInRange) {
  Tensor a(ElementKind::F16, {100}), b(ElementKind::F16, {100}), c(ElementKind::F16, {100});
  fillRandom(a, 3);
  fillRandom(b, 3);
  fillRandom(c, 4);
  EXPECT_EQ(compare(a, b, 0).maxAbs, 0);
  EXPECT_GT(compare(a, c, 0).maxAbs, 0.1);
  for (Element element : a.data) {
    EXPECT_LE(std::fabs(element.f), 1.0);
    EXPECT_EQ(roundToKind(ElementKind::F16, element.f), element.f);
  }
}

TEST(TensorTest, CompareCountsNonFinite) {
  Tensor expected(ElementKind::F32, {2, 2}), actual(ElementKind::F32, {2, 2});
  expected.at({0, 0}).f = actual.at({0, 0}).f = NAN;
  expected.at({0, 1}).f = actual.at({0, 1}).f = -INFINITY;
  expected.at({1, 0}).f = 2;
  actual.at({1, 0}).f = 2.5;
  Comparison comparison = compare(actual, expected, 1e-3);
  EXPECT_EQ(comparison.numNonFinite, 0);
  EXPECT_EQ(comparison.maxAbs, 0.5);
  EXPECT_EQ(comparison.relL2, 0.25);
  ASSERT_TRUE(comparison.firstMismatch);
  EXPECT_EQ((*comparison.firstMismatch)[0], 1);
  actual.at({1, 0}).f = NAN;
  EXPECT_EQ(compare(actual, expected, 1).numNonFinite, 1);
  EXPECT_FALSE(compare(actual, Tensor(ElementKind::F32, {4}), 1).sameShape);
}

} // namespace

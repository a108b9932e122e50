// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments against the manifest: every rule of a call has a case that breaks it and the message
// that says so.

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace nautilus::runtime;

namespace {
/// Q[B, G*R, M, D] and K[B, G, N, D] with D = 128, out O[B, G*R, M].
class BindingTest : public testing::Test {
protected:
  void SetUp() override {
    Status status = parseManifest(
        makeManifest(
            R"({"name":"B","size":-1},{"name":"G","size":-1},{"name":"R","size":-1},{"name":"M","size":-1},
               {"name":"N","size":-1},{"name":"D","size":128})",
            R"({"name":"Q","dtype":"f16","dims":[["B"],["G","R"],["M"],["D"]]},
               {"name":"K","dtype":"f16","dims":[["B"],["G"],["N"],["D"]]},
               {"name":"O","dtype":"f16","dims":[["B"],["G","R"],["M"]],"out":true})",
            "", ""),
        manifest);
    ASSERT_TRUE(status.ok()) << status.getMessage();
  }

  Status bind(BindMode mode = BindMode::Run) {
    const NautilusTensor *tensors[] = {&q.tensor, &k.tensor, &o.tensor};
    return bindArguments(manifest, tensors, 3, mode, binding);
  }
  std::string message() { return bind().getMessage(); }

  Manifest manifest;
  Binding binding;
  TestTensor q{{2, 32, 100, 128}}, k{{2, 8, 77, 128}}, o{{2, 32, 100}};
};
} // namespace

TEST_F(BindingTest, SolvesProducts) {
  ASSERT_TRUE(bind().ok()) << message();
  EXPECT_EQ(binding.dims, (std::vector<int64_t>{2, 8, 4, 100, 77, 128}));
  EXPECT_EQ(binding.addresses[0], 0x10000u);
  EXPECT_EQ(binding.strides[binding.strideBegin[1] + 1], 77 * 128)
      << "dense strides when none are given";
}

TEST_F(BindingTest, ByteOffsetIsPartOfTheAddress) {
  q.tensor.byte_offset = 48;
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(binding.addresses[0], 0x10030u);
}

TEST_F(BindingTest, StridesOfSingleElementsAreDense) {
  int64_t strides[] = {7, 3, 128, 1};
  k.tensor.strides = strides;
  k.tensor.shape[0] = q.tensor.shape[0] = o.tensor.shape[0] = 1;
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(binding.strides[binding.strideBegin[1]], 8 * 3);
  EXPECT_EQ(binding.strides[binding.strideBegin[1] + 1], 3);
}

TEST_F(BindingTest, EmptyProductsTakeAnyFactor) {
  q.tensor.shape[1] = k.tensor.shape[1] = o.tensor.shape[1] = 0;
  ASSERT_TRUE(bind().ok()) << message();
  EXPECT_EQ(binding.dims[1], 0);
  EXPECT_EQ(binding.dims[2], 1);
  o.tensor.shape[1] = 3;
  EXPECT_FALSE(bind().ok());
}

TEST_F(BindingTest, DisagreeingDimsNameBothArguments) {
  k.tensor.shape[0] = 3;
  EXPECT_EQ(message(), "argument 'K' dim 0 (B) is 3, expected 2: B is 2 in argument 'Q' dim 0 (B)");
}

TEST_F(BindingTest, StaticDims) {
  k.tensor.shape[3] = 64;
  EXPECT_EQ(message(), "argument 'K' dim 3 (D) is 64, expected 128: D is 128 in every call");
}

TEST_F(BindingTest, ProductsMustDivide) {
  q.tensor.shape[1] = 30;
  EXPECT_EQ(message(), "argument 'Q' dim 1 (G*R) is 30, which is not a multiple of the known part: "
                       "G is 8 in argument 'K' dim 1 (G)");
  q.tensor.shape[1] = 32;
  o.tensor.shape[1] = 16;
  EXPECT_EQ(message(),
            "argument 'O' dim 1 (G*R) is 16, expected 32: G is 8 in argument 'K' dim 1 (G), "
            "R is 4 in argument 'Q' dim 1 (G*R)");
}

TEST_F(BindingTest, RankDTypeAndNull) {
  k.tensor.ndim = 3;
  EXPECT_EQ(message(), "argument 'K': expected rank 4, got 3");
  k.tensor.ndim = 4;
  k.tensor.dtype_code = 4;
  EXPECT_EQ(message(), "argument 'K': expected dtype f16, got bf16");
  k.tensor.dtype_code = 0;
  EXPECT_EQ(message(), "argument 'K': expected dtype f16, got i16");
  k.tensor.dtype_code = 200;
  EXPECT_EQ(message(), "argument 'K': expected dtype f16, got type 200 of bits 16");
  k.tensor.dtype_code = 2;
  k.tensor.shape[2] = -1;
  EXPECT_EQ(message(), "argument 'K' dim 2 (N) is negative");
  const NautilusTensor *tensors[] = {&q.tensor, nullptr, &o.tensor};
  EXPECT_EQ(bindArguments(manifest, tensors, 3, BindMode::Run, binding).getMessage(),
            "argument 'K': expected a tensor, got null");
}

TEST_F(BindingTest, Devices) {
  q.tensor.device_type = 1;
  EXPECT_EQ(message(), "argument 'Q': expected a CUDA tensor, got one on the CPU");
  EXPECT_TRUE(bind(BindMode::Shapes).ok()) << "shapes can be asked about anywhere";
  q.tensor.device_type = 2;
  o.tensor.device_id = 1;
  EXPECT_EQ(message(), "argument 'O' is on CUDA device 1, but argument 'Q' is on device 0");
}

TEST_F(BindingTest, DataAndOverlap) {
  k.tensor.data = nullptr;
  EXPECT_EQ(message(), "argument 'K': has elements but no data");
  k.tensor.shape[2] = 0;
  EXPECT_TRUE(bind().ok()) << "an empty tensor needs no data";
  int64_t strides[] = {0, 100, 1};
  o.tensor.strides = strides;
  EXPECT_EQ(message(), "argument 'O' dim 0 (B): an output may not have stride 0");
}

TEST_F(BindingTest, Count) {
  const NautilusTensor *tensors[] = {&q.tensor, &k.tensor, &o.tensor};
  EXPECT_EQ(bindArguments(manifest, tensors, 2, BindMode::Run, binding).getMessage(),
            "'test': expected 3 arguments (2 inputs, 1 outputs), got 2");
  EXPECT_TRUE(bindArguments(manifest, tensors, 2, BindMode::Shapes, binding).ok());
  EXPECT_EQ(binding.dims[2], 4);
  EXPECT_FALSE(bindArguments(manifest, nullptr, 3, BindMode::Run, binding).ok());
}

TEST_F(BindingTest, Extents) {
  int64_t dims[] = {2, 8, 4, 100, 77, 128}, extent = 0;
  ASSERT_TRUE(getExtent(manifest, 0, 1, dims, extent).ok());
  EXPECT_EQ(extent, 32);
  dims[1] = int64_t(1) << 62;
  EXPECT_FALSE(getExtent(manifest, 0, 1, dims, extent).ok());
}

TEST(BindingPlanTest, OutputsMayBeNeeded) {
  Manifest manifest;
  ASSERT_TRUE(
      parseManifest(makeManifest(R"({"name":"N","size":-1})",
                                 R"({"name":"O","dtype":"f16","dims":[["N"]],"out":true})", "", ""),
                    manifest)
          .ok());
  Binding binding;
  EXPECT_EQ(bindArguments(manifest, nullptr, 0, BindMode::Shapes, binding).getMessage(),
            "the dim 'N' does not follow from the inputs: give the outputs too");
}

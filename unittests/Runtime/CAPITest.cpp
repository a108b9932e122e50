// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C ABI as the shared library shows it.

#include "nautilus-c/Runtime.h"

#include "TestManifest.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace nautilus::runtime;

namespace {
class CAPITest : public testing::Test {
protected:
  void SetUp() override {
    std::string bytes;
    ASSERT_TRUE(serializeBundle(makeBundle(makeMatmulManifest()), bytes).ok());
    ASSERT_EQ(nautilus_bundle_load_memory(bytes.data(), bytes.size(), &bundle), NAUTILUS_OK);
  }
  void TearDown() override { nautilus_bundle_free(bundle); }

  NautilusBundle *bundle = nullptr;
};
} // namespace

TEST_F(CAPITest, Queries) {
  EXPECT_EQ(nautilus_abi_version(), 1);
  EXPECT_STREQ(nautilus_bundle_entry(bundle), "test");
  EXPECT_EQ(std::strlen(nautilus_bundle_digest(bundle)), 64u);
  EXPECT_EQ(std::string(nautilus_bundle_manifest(bundle)), makeMatmulManifest());
  EXPECT_EQ(nautilus_bundle_num_dims(bundle), 3);
  EXPECT_EQ(nautilus_bundle_num_args(bundle), 3);
  EXPECT_EQ(nautilus_bundle_num_inputs(bundle), 2);
  EXPECT_EQ(nautilus_bundle_num_kernels(bundle), 2);
  NautilusDimInfo dim;
  ASSERT_EQ(nautilus_bundle_dim(bundle, 0, &dim), NAUTILUS_OK);
  EXPECT_STREQ(dim.name, "M");
  EXPECT_EQ(dim.size, -1);
  EXPECT_EQ(dim.hint, 4096);
  NautilusArgInfo arg;
  ASSERT_EQ(nautilus_bundle_arg(bundle, 2, &arg), NAUTILUS_OK);
  EXPECT_STREQ(arg.name, "C");
  EXPECT_STREQ(arg.dtype, "f16");
  EXPECT_EQ(arg.rank, 2);
  EXPECT_EQ(arg.is_output, 1);
  NautilusKernelInfo kernel;
  ASSERT_EQ(nautilus_bundle_kernel(bundle, 0, &kernel), NAUTILUS_OK);
  EXPECT_STREQ(kernel.name, "fast");
  EXPECT_EQ(kernel.threads, 384);
  EXPECT_EQ(kernel.registers, 168);
  EXPECT_EQ(kernel.shared_bytes, 164864);
  EXPECT_EQ(nautilus_bundle_kernel(bundle, 2, &kernel), NAUTILUS_INVALID_ARGUMENT);
  EXPECT_STREQ(nautilus_last_error(), "no kernel 2");
}

TEST_F(CAPITest, Shapes) {
  TestTensor a({100, 64}, 0), b({64, 8}, 0), c({100, 8}, 0);
  const NautilusTensor *tensors[] = {&a.tensor, &b.tensor, &c.tensor};
  int64_t dims[3], shape[2];
  ASSERT_EQ(nautilus_infer_dims(bundle, tensors, 2, dims), NAUTILUS_OK);
  ASSERT_EQ(nautilus_arg_shape(bundle, 2, dims, shape), NAUTILUS_OK);
  EXPECT_EQ(shape[0], 100);
  EXPECT_EQ(shape[1], 8);
  uint64_t bytes = 0;
  ASSERT_EQ(nautilus_workspace_bytes(bundle, tensors, 3, &bytes), NAUTILUS_OK);
  EXPECT_EQ(bytes, 512u);
}

TEST_F(CAPITest, ErrorsAreTextsPerThread) {
  TestTensor a({100, 64}), b({64, 8}), c({100, 8});
  a.tensor.device_type = 1;
  const NautilusTensor *tensors[] = {&a.tensor, &b.tensor, &c.tensor};
  EXPECT_EQ(nautilus_run(bundle, tensors, 3, nullptr, 0, nullptr), NAUTILUS_INVALID_ARGUMENT);
  EXPECT_STREQ(nautilus_last_error(), "argument 'A': expected a CUDA tensor, got one on the CPU");
  NautilusBundle *none = nullptr;
  EXPECT_EQ(nautilus_bundle_load("/nonexistent.naub", &none), NAUTILUS_ENVIRONMENT);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(nautilus_bundle_load_memory("junk", 4, &none), NAUTILUS_INVALID_ARGUMENT);
}

TEST_F(CAPITest, NullIsAnError) {
  int64_t number;
  EXPECT_EQ(nautilus_bundle_load(nullptr, &bundle), NAUTILUS_INVALID_ARGUMENT);
  EXPECT_EQ(nautilus_run(nullptr, nullptr, 0, nullptr, 0, nullptr), NAUTILUS_INVALID_ARGUMENT);
  EXPECT_EQ(nautilus_infer_dims(bundle, nullptr, 3, &number), NAUTILUS_INVALID_ARGUMENT);
  EXPECT_EQ(nautilus_bundle_dim(bundle, 0, nullptr), NAUTILUS_INVALID_ARGUMENT);
  EXPECT_EQ(nautilus_bundle_num_args(nullptr), 0);
  nautilus_bundle_free(nullptr);
}

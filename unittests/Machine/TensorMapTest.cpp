// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule of tensor maps, broken once.

#include "nautilus/Machine/Machine.h"
#include <gtest/gtest.h>
#include <vector>

using namespace nautilus::machine;

namespace {
/// A legal request: 16-bit elements, 80 columns in a box of 64, swizzle 128.
struct Request {
  int64_t elementBytes = 2, alignment = 16, swizzle = 128;
  std::vector<int64_t> extents{80, 4096, 16}, strides{160, 160 * 4096}, box{64, 128, 1};

  std::string fault(llvm::StringRef arch = "sm_90a") const {
    std::string why;
    bool legal = lookup(arch)->isLegalTensorMap(
        {elementBytes, alignment, extents, strides, box, swizzle}, &why);
    EXPECT_EQ(legal, why.empty());
    return why;
  }
};
} // namespace

TEST(TensorMap, Legal) {
  Request request;
  EXPECT_EQ(request.fault(), "");
  request.extents = {0, 0, 0};
  request.strides = {0, 0};
  EXPECT_EQ(request.fault(), "") << "not known until launch";
  EXPECT_EQ(request.fault("sm_120a"), "");
  EXPECT_EQ(request.fault("sm_80"), "sm_80 has no TMA");
}

TEST(TensorMap, EachRule) {
  auto broken = [](auto change) {
    Request request;
    change(request);
    return request.fault();
  };
  EXPECT_EQ(broken([](Request &r) { r.alignment = 8; }),
            "expected an address aligned to 16 bytes, got 8");
  EXPECT_EQ(broken([](Request &r) { r.strides[0] = 200; }),
            "expected strides of multiples of 16 bytes below 2^40, got 200 in dim 1");
  EXPECT_EQ(broken([](Request &r) { r.strides[1] = int64_t(1) << 40; }),
            "expected strides of multiples of 16 bytes below 2^40, got 1099511627776 in dim 2");
  EXPECT_EQ(broken([](Request &r) { r.extents[1] = (int64_t(1) << 32) + 1; }),
            "expected extents up to 2^32, got 4294967297 in dim 1");
  EXPECT_EQ(broken([](Request &r) { r.box[1] = 257; }),
            "expected box extents from 1 to 256, got 257 in dim 1");
  EXPECT_EQ(broken([](Request &r) { r.box[0] = 4; }),
            "expected box rows of multiples of 16 bytes, got 8");
  EXPECT_EQ(broken([](Request &r) { r.box[0] = 80; }),
            "expected box rows within the swizzle of 128 bytes, got 160");
  EXPECT_EQ(broken([](Request &r) { r.swizzle = 16; }),
            "expected a swizzle of 0, 32, 64 or 128 bytes, got 16");
  EXPECT_EQ(broken([](Request &r) { r.elementBytes = 3; }),
            "expected elements of 1, 2, 4 or 8 bytes, got 3");
  EXPECT_EQ(broken([](Request &r) {
              r.extents.resize(6, 1);
              r.strides.resize(5, 16);
              r.box.resize(6, 1);
            }),
            "expected 1 to 5 dims, got 6");
  EXPECT_EQ(broken([](Request &r) { r.strides.pop_back(); }),
            "expected 2 strides and 3 box extents, got 1 and 3");
}

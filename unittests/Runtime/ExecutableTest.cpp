// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole runs of a bundle on a fake driver: what is launched, with which parameters, and that
// nothing is launched when something is wrong.

#include "FakeDriver.h"
#include "TestManifest.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

using namespace nautilus::runtime;

namespace {
class ExecutableTest : public testing::Test {
protected:
  void SetUp() override {
    driver = resetFakeDriver();
    state.paramSizes = {{"fast", {128, 128, 8, 4, 4}}, {"general", {8, 8, 8, 8, 8}}};
    create(makeBundle(makeMatmulManifest()));
  }

  void create(Bundle bundle) {
    executable.reset();
    Status status = Executable::create(std::move(bundle), &driver, executable);
    ASSERT_TRUE(status.ok()) << status.getMessage();
  }

  Status run(int64_t m = 256, int64_t n = 96, uint64_t address = 0x10000,
             uint64_t workspace = 0x900000) {
    TestTensor a({m, 64}, address), b({64, n}, 0x20000), c({m, n}, 0x30000);
    return run(a, b, c, workspace);
  }

  Status run(TestTensor &a, TestTensor &b, TestTensor &c, uint64_t workspace = 0x900000) {
    const NautilusTensor *tensors[] = {&a.tensor, &b.tensor, &c.tensor};
    return executable->run(tensors, 3, reinterpret_cast<void *>(workspace), 1 << 20,
                           reinterpret_cast<CUstream>(0x77));
  }

  Driver driver;
  FakeState &state = getFakeState();
  std::unique_ptr<Executable> executable;
};

int64_t asInteger(const std::string &bytes) {
  int64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min<size_t>(bytes.size(), 8));
  return value;
}
} // namespace

TEST_F(ExecutableTest, FastVariant) {
  Status status = run();
  ASSERT_TRUE(status.ok()) << status.getMessage();
  ASSERT_EQ(state.launches.size(), 1u);
  const FakeLaunch &launch = state.launches[0];
  EXPECT_EQ(launch.kernel, "fast");
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{4, 1, 1}));
  EXPECT_EQ(launch.block, (std::array<unsigned, 3>{384, 1, 1}));
  EXPECT_EQ(launch.cluster, (std::array<unsigned, 3>{2, 1, 1}));
  EXPECT_EQ(launch.sharedBytes, 164864u);
  EXPECT_EQ(launch.stream, reinterpret_cast<void *>(0x77));
  EXPECT_EQ(asInteger(launch.params[0]), 1) << "the map of A";
  EXPECT_EQ(asInteger(launch.params[1]), 2) << "the map of B";
  EXPECT_EQ(asInteger(launch.params[2]), 0x30000);
  EXPECT_EQ(asInteger(launch.params[3]), 96);
  float scale;
  std::memcpy(&scale, launch.params[4].data(), 4);
  EXPECT_EQ(scale, 0.125f);
  EXPECT_EQ((state.attributes[{"fast", functionMaxDynamicShared}]), 164864);
  EXPECT_EQ(state.images, std::vector<std::string>{"cubin bytes"})
      << "a fitting cubin goes before PTX";
  ASSERT_EQ(state.memsets.size(), 1u);
  EXPECT_EQ(state.memsets[0], (std::array<uint64_t, 3>{0x900000, 0, 1024}));
}

TEST_F(ExecutableTest, GridOfTheDevicesMultiprocessors) {
  std::string manifest = makeMatmulManifest();
  const std::string count = R"({"op":"ceildiv","id":24,"a":0,"b":{"const":16}})";
  manifest.replace(manifest.find(count), count.size() + 1, R"({"op":"multiprocessors","id":24},)");
  create(makeBundle(manifest));
  state.multiprocessors = 78;
  ASSERT_TRUE(run(256, 96, 0x10002).ok());
  ASSERT_TRUE(run(256, 96, 0x10002).ok());
  ASSERT_EQ(state.launches.size(), 2u);
  EXPECT_EQ(state.launches[1].grid, (std::array<unsigned, 3>{78, 3, 1}));
}

TEST_F(ExecutableTest, TensorMapArguments) {
  ASSERT_TRUE(run().ok());
  ASSERT_EQ(state.tensorMaps.size(), 2u);
  const FakeTensorMap &a = state.tensorMaps[0], &b = state.tensorMaps[1];
  EXPECT_EQ(a.dataType, 6) << "CU_TENSOR_MAP_DATA_TYPE_FLOAT16";
  EXPECT_EQ(a.address, 0x10000u);
  EXPECT_EQ(a.dims, (std::vector<uint64_t>{64, 256}));
  EXPECT_EQ(a.strides, (std::vector<uint64_t>{128}));
  EXPECT_EQ(a.box, (std::vector<uint32_t>{64, 128}));
  EXPECT_EQ(a.elementStrides, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(a.swizzle, 3);
  EXPECT_EQ(a.l2Promotion, 2);
  EXPECT_EQ(a.oobFill, 0);
  EXPECT_EQ(a.interleave, 0);
  EXPECT_EQ(b.swizzle, 2);
  EXPECT_EQ(b.l2Promotion, 0);
  EXPECT_EQ(b.oobFill, 1);
}

TEST_F(ExecutableTest, TensorMapsAreCached) {
  ASSERT_TRUE(run().ok());
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(state.tensorMaps.size(), 2u);
  EXPECT_EQ(state.launches[1].params, state.launches[0].params);
  ASSERT_TRUE(run(512).ok());
  EXPECT_EQ(state.tensorMaps.size(), 3u) << "only A has changed";
  for (int64_t m = 1; m <= 100; ++m)
    ASSERT_TRUE(run(m).ok());
  size_t encoded = state.tensorMaps.size();
  ASSERT_TRUE(run(100).ok());
  EXPECT_EQ(state.tensorMaps.size(), encoded);
  ASSERT_TRUE(run(1).ok());
  EXPECT_EQ(state.tensorMaps.size(), encoded + 1) << "the least recently used has left";
  EXPECT_EQ(state.images.size(), 1u) << "code is loaded once";
  EXPECT_EQ(state.functions.size(), 1u);
}

TEST_F(ExecutableTest, MisalignedPointerTakesTheGeneralVariant) {
  ASSERT_TRUE(run(33, 96, 0x10002).ok());
  ASSERT_EQ(state.launches.size(), 1u);
  const FakeLaunch &launch = state.launches[0];
  EXPECT_EQ(launch.kernel, "general");
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{3, 3, 1}));
  EXPECT_EQ(launch.cluster, (std::array<unsigned, 3>{1, 1, 1}));
  EXPECT_EQ(asInteger(launch.params[0]), 0x10002);
  EXPECT_EQ(asInteger(launch.params[2]), 0x900000);
  EXPECT_EQ(asInteger(launch.params[3]), 64);
  EXPECT_EQ(asInteger(launch.params[4]), -7);
  EXPECT_TRUE(state.tensorMaps.empty());
}

TEST_F(ExecutableTest, MisalignedStrideTakesTheGeneralVariant) {
  ASSERT_TRUE(run(32, 97).ok());
  EXPECT_EQ(state.launches[0].kernel, "general");
  TestTensor a({32, 64}, 0x10000, {72, 1}), b({64, 96}), c({32, 96});
  ASSERT_TRUE(run(a, b, c).ok());
  EXPECT_EQ(state.launches[1].kernel, "fast") << "padded rows of 144 bytes are aligned";
}

TEST_F(ExecutableTest, EmptyTensors) {
  ASSERT_TRUE(run(0, 96).ok());
  EXPECT_TRUE(state.launches.empty());
  EXPECT_TRUE(state.memsets.empty());
  EXPECT_TRUE(state.images.empty()) << "nothing to do needs no code";
  TestTensor a({128, 64}), b({64, 0}, 0x20000, {96, 1}), c({128, 0});
  ASSERT_TRUE(run(a, b, c).ok());
  ASSERT_EQ(state.launches.size(), 1u);
  EXPECT_EQ(state.launches[0].params[1], std::string(128, '\0')) << "a map over no element is zero";
  EXPECT_EQ(state.tensorMaps.size(), 1u);
}

TEST_F(ExecutableTest, FailedChecksLaunchNothing) {
  Status status = run(1000001);
  EXPECT_EQ(status.getCode(), Code::Unsupported);
  EXPECT_EQ(status.getMessage(), "M is 1000001, more than 1000000");
  EXPECT_FALSE(run(256, 96, 0x10000, 0).ok());
  EXPECT_EQ(run(256, 96, 0x10000, 0).getMessage(),
            "'test': expected a workspace of 1024 bytes, got 0");
  EXPECT_EQ(run(256, 96, 0x10000, 0x900080).getMessage(),
            "'test': expected a 256-byte aligned workspace");
  EXPECT_TRUE(state.launches.empty());
  EXPECT_TRUE(state.memsets.empty());
}

TEST_F(ExecutableTest, WorkspaceBytes) {
  TestTensor a({100, 64}, 0), b({64, 8}, 0), c({100, 8}, 0);
  const NautilusTensor *tensors[] = {&a.tensor, &b.tensor, &c.tensor};
  uint64_t bytes = 0;
  ASSERT_TRUE(executable->getWorkspaceBytes(tensors, 3, bytes).ok());
  EXPECT_EQ(bytes, 512u);
  EXPECT_FALSE(executable->getWorkspaceBytes(tensors, 2, bytes).ok());
  int64_t dims[3];
  ASSERT_TRUE(executable->inferDims(tensors, 2, dims).ok());
  EXPECT_EQ(dims[0], 100);
  EXPECT_EQ(dims[1], 8);
}

TEST_F(ExecutableTest, DriverErrorsHaveWords) {
  state.results["launchKernelEx"] = 701;
  Status status = run();
  EXPECT_EQ(status.getCode(), Code::LaunchFailed);
  EXPECT_EQ(status.getMessage(), "launching the kernel 'fast' with a grid of 4x1x1 blocks failed: "
                                 "CUDA_ERROR_FAKE (701): a fake error");
  state.results = {{"tensorMapEncodeTiled", 1}};
  EXPECT_EQ(run(8).getMessage(),
            "encoding the tensor map of 'A' failed: CUDA_ERROR_FAKE (1): a fake error");
  state.results = {};
  EXPECT_TRUE(run(8).ok()) << "a failed encoding is not kept";
}

TEST_F(ExecutableTest, CompileLogIsInTheError) {
  state.results["moduleLoadDataEx"] = 218;
  state.jitLog = "line 7: bad instruction";
  Status status = run();
  EXPECT_EQ(status.getCode(), Code::LaunchFailed);
  EXPECT_NE(status.getMessage().find("line 7: bad instruction"), std::string::npos);
  EXPECT_EQ(state.images.size(), 2u) << "PTX is tried after the cubin";
  EXPECT_TRUE(state.launches.empty() && state.memsets.empty());
}

TEST_F(ExecutableTest, DeviceMustFit) {
  state.major = 8;
  Status status = run();
  EXPECT_EQ(status.getCode(), Code::Unsupported);
  EXPECT_EQ(status.getMessage(), "the kernel 'fast' is compiled for sm_90a, but device 0 is sm_80");
  state.major = 10;
  EXPECT_EQ(run().getCode(), Code::Unsupported) << "sm_90a code runs on 9.0 only";
  state.major = 9;
  state.maxShared = 100000;
  EXPECT_EQ(run().getMessage(),
            "the kernel 'fast' needs 164864 bytes of shared memory per block, but "
            "device 0 has 100000");
}

TEST_F(ExecutableTest, PortablePTXRunsOnNewerDevices) {
  Bundle bundle = makeBundle(makeMatmulManifest());
  for (CodeModule &module : bundle.modules)
    module.name = "sm_80";
  for (size_t at; (at = bundle.manifest.find("\"module\":\"sm_90a\"")) != std::string::npos;)
    bundle.manifest.replace(at, 17, "\"module\":\"sm_80\"");
  create(bundle);
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(state.images, std::vector<std::string>{"ptx text"});
}

TEST_F(ExecutableTest, MissingModule) {
  Bundle bundle = makeBundle(makeMatmulManifest());
  bundle.modules.clear();
  create(bundle);
  EXPECT_EQ(run().getMessage(), "the bundle has no module 'sm_90a' for the kernel 'fast'");
}

TEST_F(ExecutableTest, OldDriver) {
  driver.tensorMapEncodeTiled = nullptr;
  EXPECT_EQ(run().getCode(), Code::Environment);
  driver.launchKernelEx = nullptr;
  EXPECT_EQ(run(8, 97).getCode(), Code::Ok) << "the general variant needs neither";
}

TEST_F(ExecutableTest, ContextOfTheTensorsDevice) {
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(state.pushes, 0) << "the current context is used where it fits";
  state.currentDevice = 1;
  ASSERT_TRUE(run().ok());
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(state.pushes, 2);
  EXPECT_EQ(state.pops, 2);
  EXPECT_EQ(state.retains, 1);
  state.hasContext = false;
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(state.pops, 3);
}

TEST_F(ExecutableTest, ContextAtTheSameAddressIsNotTheSame) {
  ASSERT_TRUE(run().ok());
  state.contextId = 2;
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(state.images.size(), 2u);
}

TEST_F(ExecutableTest, UnloadsOnDestruction) {
  ASSERT_TRUE(run().ok());
  executable.reset();
  EXPECT_EQ(state.unloads, 1);
}

TEST_F(ExecutableTest, ThreadsShareABundle) {
  // The fake records without a lock, so only runs that reach no driver function are concurrent
  // here.
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        good += run(0, 96).ok() + !run(1000001).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 1600);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording driver's functions; see the header.

#include "FakeDriver.h"

#include <cstring>
#include <deque>

using namespace nautilus::runtime;

FakeState &getFakeState() {
  static FakeState state;
  return state;
}

static int resultOf(const char *name) {
  auto it = getFakeState().results.find(name);
  return it == getFakeState().results.end() ? 0 : it->second;
}

/// A function handle points at its name.
static std::deque<std::string> &getHandles() {
  static std::deque<std::string> handles;
  return handles;
}

static const std::string &nameOf(CUfunction function) {
  return *reinterpret_cast<const std::string *>(function);
}

static void record(CUfunction function, std::array<unsigned, 3> grid, std::array<unsigned, 3> block,
                   std::array<unsigned, 3> cluster, unsigned shared, CUstream stream,
                   void **params) {
  FakeLaunch launch = {nameOf(function), grid, block, cluster, shared, stream, {}};
  size_t i = 0;
  for (size_t size : getFakeState().paramSizes[launch.kernel])
    launch.params.emplace_back(static_cast<const char *>(params[i++]), size);
  getFakeState().launches.push_back(launch);
}

static CUcontext fakeContext() { return reinterpret_cast<CUcontext>(uintptr_t(0x1000)); }

const Driver &resetFakeDriver() {
  getFakeState() = FakeState();
  static Driver table = {};
  table.init = [](unsigned) { return 0; };
  table.deviceGet = [](CUdevice *device, int ordinal) {
    *device = ordinal;
    return resultOf("deviceGet");
  };
  table.deviceGetAttribute = [](int *value, int attribute, CUdevice) {
    const FakeState &state = getFakeState();
    *value = attribute == attributeComputeMajor      ? state.major
             : attribute == attributeComputeMinor    ? state.minor
             : attribute == attributeMultiprocessors ? state.multiprocessors
                                                     : state.maxShared;
    return 0;
  };
  table.primaryCtxRetain = [](CUcontext *context, CUdevice) {
    ++getFakeState().retains;
    *context = fakeContext();
    return 0;
  };
  table.ctxGetCurrent = [](CUcontext *context) {
    *context = getFakeState().hasContext ? fakeContext() : nullptr;
    return 0;
  };
  table.ctxGetDevice = [](CUdevice *device) {
    *device = getFakeState().currentDevice;
    return 0;
  };
  table.ctxPushCurrent = [](CUcontext) {
    ++getFakeState().pushes;
    return 0;
  };
  table.ctxPopCurrent = [](CUcontext *) {
    ++getFakeState().pops;
    return 0;
  };
  table.ctxSynchronize = []() { return 0; };
  table.moduleLoadDataEx = [](CUmodule *module, const void *image, unsigned count, int *options,
                              void **values) {
    FakeState &state = getFakeState();
    state.images.push_back(static_cast<const char *>(image));
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), state.jitLog.c_str());
    *module = reinterpret_cast<CUmodule>(state.images.size());
    return resultOf("moduleLoadDataEx");
  };
  table.moduleUnload = [](CUmodule) {
    ++getFakeState().unloads;
    return 0;
  };
  table.moduleGetFunction = [](CUfunction *function, CUmodule, const char *name) {
    getFakeState().functions.push_back(name);
    getHandles().push_back(name);
    *function = reinterpret_cast<CUfunction>(&getHandles().back());
    return resultOf("moduleGetFunction");
  };
  table.funcSetAttribute = [](CUfunction function, int attribute, int value) {
    getFakeState().attributes[{nameOf(function), attribute}] = value;
    return 0;
  };
  table.launchKernel = [](CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params,
                          void **) {
    record(function, {gx, gy, gz}, {bx, by, bz}, {1, 1, 1}, shared, stream, params);
    return resultOf("launchKernel");
  };
  table.memsetD8Async = [](CUdeviceptr address, unsigned char byte, size_t bytes, CUstream) {
    getFakeState().memsets.push_back({address, byte, bytes});
    return 0;
  };
  table.getErrorName = [](CUresult, const char **name) {
    *name = "CUDA_ERROR_FAKE";
    return 0;
  };
  table.getErrorString = [](CUresult, const char **words) {
    *words = "a fake error";
    return 0;
  };
  table.launchKernelEx = [](const LaunchConfig *c, CUfunction function, void **params, void **) {
    std::array<unsigned, 3> cluster = {1, 1, 1};
    for (unsigned i = 0; i < c->numAttributes; ++i)
      if (c->attributes[i].id == launchAttributeCluster)
        cluster = {c->attributes[i].value.cluster.x, c->attributes[i].value.cluster.y,
                   c->attributes[i].value.cluster.z};
    record(function, {c->gridX, c->gridY, c->gridZ}, {c->blockX, c->blockY, c->blockZ}, cluster,
           c->sharedBytes, c->stream, params);
    return resultOf("launchKernelEx");
  };
  table.tensorMapEncodeTiled = [](TensorMap *map, int dataType, uint32_t rank, void *address,
                                  const uint64_t *dims, const uint64_t *strides,
                                  const uint32_t *box, const uint32_t *elementStrides,
                                  int interleave, int swizzle, int l2Promotion, int oobFill) {
    FakeState &state = getFakeState();
    state.tensorMaps.push_back({dataType,
                                interleave,
                                swizzle,
                                l2Promotion,
                                oobFill,
                                uint64_t(reinterpret_cast<uintptr_t>(address)),
                                {dims, dims + rank},
                                {strides, strides + rank - 1},
                                {box, box + rank},
                                {elementStrides, elementStrides + rank}});
    // A map is told from others by the number of its encoding.
    *map = TensorMap();
    map->words[0] = state.tensorMaps.size();
    return resultOf("tensorMapEncodeTiled");
  };
  table.ctxGetId = [](CUcontext, unsigned long long *id) {
    *id = getFakeState().contextId;
    return 0;
  };
  return table;
}

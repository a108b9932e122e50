// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake driver as a libcuda.so.1, so that the shared runtime and the Python package can be
// tested through their own loading path without a GPU. `fake_*` functions set it up and read its
// records.

#include "FakeDriver.h"

using namespace nautilus::runtime;

#define NAUTILUS_FAKE extern "C" __attribute__((visibility("default")))

static const Driver &getTable() {
  static const Driver &table = resetFakeDriver();
  return table;
}

/// Clears the records.
NAUTILUS_FAKE void fake_reset() { getTable(), resetFakeDriver(); }

/// Appends one parameter of that many bytes to the kernel of that name.
NAUTILUS_FAKE void fake_add_param(const char *kernel, int bytes) {
  getTable();
  getFakeState().paramSizes[kernel].push_back(size_t(bytes));
}

/// Makes the function of that name in Driver.h fail with `result`.
NAUTILUS_FAKE void fake_set_result(const char *function, int result) {
  getTable();
  getFakeState().results[function] = result;
}

NAUTILUS_FAKE int fake_num_launches() { return int(getFakeState().launches.size()); }
NAUTILUS_FAKE int fake_num_unloads() { return getFakeState().unloads; }
NAUTILUS_FAKE const char *fake_launch_kernel(int launch) {
  return getFakeState().launches[launch].kernel.c_str();
}
NAUTILUS_FAKE uint64_t fake_launch_stream(int launch) {
  return uint64_t(reinterpret_cast<uintptr_t>(getFakeState().launches[launch].stream));
}
NAUTILUS_FAKE unsigned fake_launch_grid(int launch, int dim) {
  return getFakeState().launches[launch].grid[dim];
}
NAUTILUS_FAKE const char *fake_launch_param(int launch, int param) {
  return getFakeState().launches[launch].params[param].data();
}

NAUTILUS_FAKE CUresult cuInit(unsigned flags) { return getTable().init(flags); }
NAUTILUS_FAKE CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return getTable().deviceGet(device, ordinal);
}
NAUTILUS_FAKE CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  return getTable().deviceGetAttribute(value, attribute, device);
}
NAUTILUS_FAKE CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return getTable().primaryCtxRetain(context, device);
}
NAUTILUS_FAKE CUresult cuCtxGetCurrent(CUcontext *context) {
  return getTable().ctxGetCurrent(context);
}
NAUTILUS_FAKE CUresult cuCtxGetDevice(CUdevice *device) { return getTable().ctxGetDevice(device); }
NAUTILUS_FAKE CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return getTable().ctxPushCurrent(context);
}
NAUTILUS_FAKE CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  return getTable().ctxPopCurrent(context);
}
NAUTILUS_FAKE CUresult cuCtxSynchronize() { return getTable().ctxSynchronize(); }
NAUTILUS_FAKE CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                          int *options, void **values) {
  return getTable().moduleLoadDataEx(module, image, count, options, values);
}
NAUTILUS_FAKE CUresult cuModuleUnload(CUmodule module) { return getTable().moduleUnload(module); }
NAUTILUS_FAKE CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                           const char *name) {
  return getTable().moduleGetFunction(function, module, name);
}
NAUTILUS_FAKE CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return getTable().funcSetAttribute(function, attribute, value);
}
NAUTILUS_FAKE CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                      unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                      CUstream stream, void **params, void **extra) {
  return getTable().launchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}
NAUTILUS_FAKE CUresult cuLaunchKernelEx(const LaunchConfig *config, CUfunction function,
                                        void **params, void **extra) {
  return getTable().launchKernelEx(config, function, params, extra);
}
NAUTILUS_FAKE CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char byte, size_t bytes,
                                       CUstream stream) {
  return getTable().memsetD8Async(address, byte, bytes, stream);
}
NAUTILUS_FAKE CUresult cuGetErrorName(CUresult result, const char **name) {
  return getTable().getErrorName(result, name);
}
NAUTILUS_FAKE CUresult cuGetErrorString(CUresult result, const char **words) {
  return getTable().getErrorString(result, words);
}
NAUTILUS_FAKE CUresult cuTensorMapEncodeTiled(TensorMap *map, int dataType, uint32_t rank,
                                              void *address, const uint64_t *dims,
                                              const uint64_t *strides, const uint32_t *box,
                                              const uint32_t *elementStrides, int interleave,
                                              int swizzle, int l2Promotion, int oobFill) {
  return getTable().tensorMapEncodeTiled(map, dataType, rank, address, dims, strides, box,
                                         elementStrides, interleave, swizzle, l2Promotion, oobFill);
}

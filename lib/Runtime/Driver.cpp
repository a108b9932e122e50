// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the CUDA driver at first use and fills the function table; words for driver errors.

#include "nautilus/Runtime/Driver.h"

#include <dlfcn.h>
#include <mutex>

using namespace nautilus::runtime;

template <typename Function> static bool resolve(void *library, const char *name, Function &out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

/// Returns the name of a missing required function, or null.
static const char *fillTable(void *library, Driver &driver) {
  struct Required {
    const char *name;
    bool found;
  };
  const Required required[] = {
      {"cuInit", resolve(library, "cuInit", driver.init)},
      {"cuDeviceGet", resolve(library, "cuDeviceGet", driver.deviceGet)},
      {"cuDeviceGetAttribute", resolve(library, "cuDeviceGetAttribute", driver.deviceGetAttribute)},
      {"cuDevicePrimaryCtxRetain",
       resolve(library, "cuDevicePrimaryCtxRetain", driver.primaryCtxRetain)},
      {"cuCtxGetCurrent", resolve(library, "cuCtxGetCurrent", driver.ctxGetCurrent)},
      {"cuCtxGetDevice", resolve(library, "cuCtxGetDevice", driver.ctxGetDevice)},
      {"cuCtxPushCurrent", resolve(library, "cuCtxPushCurrent_v2", driver.ctxPushCurrent)},
      {"cuCtxPopCurrent", resolve(library, "cuCtxPopCurrent_v2", driver.ctxPopCurrent)},
      {"cuCtxSynchronize", resolve(library, "cuCtxSynchronize", driver.ctxSynchronize)},
      {"cuModuleLoadDataEx", resolve(library, "cuModuleLoadDataEx", driver.moduleLoadDataEx)},
      {"cuModuleUnload", resolve(library, "cuModuleUnload", driver.moduleUnload)},
      {"cuModuleGetFunction", resolve(library, "cuModuleGetFunction", driver.moduleGetFunction)},
      {"cuFuncSetAttribute", resolve(library, "cuFuncSetAttribute", driver.funcSetAttribute)},
      {"cuLaunchKernel", resolve(library, "cuLaunchKernel", driver.launchKernel)},
      {"cuMemsetD8Async", resolve(library, "cuMemsetD8Async", driver.memsetD8Async)},
      {"cuGetErrorName", resolve(library, "cuGetErrorName", driver.getErrorName)},
      {"cuGetErrorString", resolve(library, "cuGetErrorString", driver.getErrorString)},
  };
  for (const Required &function : required)
    if (!function.found)
      return function.name;
  resolve(library, "cuLaunchKernelEx", driver.launchKernelEx);
  resolve(library, "cuTensorMapEncodeTiled", driver.tensorMapEncodeTiled);
  resolve(library, "cuCtxGetId", driver.ctxGetId);
  return nullptr;
}

static Status openDriver(Driver &driver) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char *reason = dlerror();
    return Status(Code::Environment,
                  std::string("no CUDA driver: ") + (reason ? reason : "libcuda.so.1 not found"));
  }
  if (const char *missing = fillTable(library, driver))
    return Status(Code::Environment,
                  std::string("the CUDA driver is too old: it has no ") + missing);
  return checkDriver(driver, driver.init(0), Code::Environment, "starting the CUDA driver");
}

Status nautilus::runtime::getSystemDriver(const Driver *&driver) {
  static std::mutex mutex;
  static Driver table = {};
  static bool open = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (!open) {
    if (Status status = openDriver(table); !status.ok())
      return status;
    open = true;
  }
  driver = &table;
  return Status();
}

Status nautilus::runtime::checkDriver(const Driver &driver, CUresult result, Code code,
                                      const std::string &what) {
  if (result == 0)
    return Status();
  const char *name = nullptr, *words = nullptr;
  if (driver.getErrorName(result, &name) != 0 || !name)
    name = "unknown error";
  if (driver.getErrorString(result, &words) != 0 || !words)
    words = "no description";
  return Status(code, what + " failed: " + name + " (" + std::to_string(result) + "): " + words);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a bundle's code into a CUDA context: chooses the module that fits the device, keeps the
// driver's compile log for the error text, and prepares each kernel once.

#include "ModuleTable.h"

#include <cstdlib>

using namespace nautilus::runtime;

// Values of cuda.h.
static constexpr int jitErrorLogBuffer = 5;     // CU_JIT_ERROR_LOG_BUFFER
static constexpr int jitErrorLogBufferSize = 6; // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
static constexpr int portableClusterLimit = 8;

/// Whether code for `arch` (`sm_90`, `sm_90a`, `sm_100f`) runs on a device of this compute
/// capability.
static bool fits(const std::string &arch, CodeKind kind, int major, int minor) {
  size_t digits = arch.find_first_of("0123456789");
  if (digits == std::string::npos)
    return true; // Not an architecture: let the driver judge.
  char *end = nullptr;
  long number = std::strtol(arch.c_str() + digits, &end, 10);
  long codeMajor = number / 10, codeMinor = number % 10;
  if (*end == 'a')
    return codeMajor == major && codeMinor == minor;
  if (kind == CodeKind::Cubin || *end == 'f')
    return codeMajor == major && codeMinor <= minor;
  return number <= major * 10 + minor;
}

static Status loadImage(const Driver &driver, const CodeModule &code, CUmodule &module) {
  std::string log(16384, '\0');
  int options[] = {jitErrorLogBuffer, jitErrorLogBufferSize};
  void *values[] = {&log[0], reinterpret_cast<void *>(uintptr_t(log.size()))};
  // PTX has to end with a zero byte, which std::string guarantees.
  CUresult result = driver.moduleLoadDataEx(&module, code.code.c_str(), 2, options, values);
  Status status =
      checkDriver(driver, result, Code::LaunchFailed, "loading the module '" + code.name + "'");
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  if (status.ok() || log.empty())
    return status;
  return Status(status.getCode(), status.getMessage() + "\n" + log);
}

Status ModuleTable::loadModule(const Driver &driver, CUdevice device, const KernelInfo &kernel,
                               CUmodule &module) {
  int major = 0, minor = 0;
  for (auto [attribute, value] :
       {std::pair(attributeComputeMajor, &major), std::pair(attributeComputeMinor, &minor)})
    if (Status status = checkDriver(driver, driver.deviceGetAttribute(value, attribute, device),
                                    Code::Environment, "asking the device's compute capability");
        !status.ok())
      return status;
  std::string there;
  Status failure;
  for (CodeKind kind : {CodeKind::Cubin, CodeKind::PTX}) {
    for (const CodeModule &code : bundle.modules) {
      if (code.kind != kind || code.name != kernel.module)
        continue;
      there = code.name;
      if (!fits(code.name, kind, major, minor))
        continue;
      failure = loadImage(driver, code, module);
      if (failure.ok())
        return failure;
    }
  }
  if (!failure.ok())
    return failure;
  if (there.empty())
    return invalidArgument("the bundle has no module '" + kernel.module + "' for the kernel '" +
                           kernel.name + "'");
  return unsupported("the kernel '" + kernel.name + "' is compiled for " + there + ", but device " +
                     std::to_string(device) + " is sm_" + std::to_string(major) +
                     std::to_string(minor));
}

Status ModuleTable::getModule(const Driver &driver, Context &context, CUdevice device,
                              const KernelInfo &kernel, CUmodule &module) {
  for (auto &[name, loaded] : context.modules) {
    module = loaded;
    if (name == kernel.module)
      return Status();
  }
  Status status = loadModule(driver, device, kernel, module);
  if (status.ok())
    context.modules.emplace_back(kernel.module, module);
  return status;
}

static Status checkShared(const Driver &driver, CUdevice device, const KernelInfo &kernel) {
  int limit = 0;
  CUresult result = driver.deviceGetAttribute(&limit, attributeMaxSharedBytesOptin, device);
  if (result != 0 || kernel.sharedBytes <= limit)
    return Status();
  return unsupported("the kernel '" + kernel.name + "' needs " +
                     std::to_string(kernel.sharedBytes) +
                     " bytes of shared memory per block, but device " + std::to_string(device) +
                     " has " + std::to_string(limit));
}

static Status prepareFunction(const Driver &driver, CUdevice device, const KernelInfo &kernel,
                              CUfunction function) {
  if (Status status = checkShared(driver, device, kernel); !status.ok())
    return status;
  if (Status status = checkDriver(
          driver,
          driver.funcSetAttribute(function, functionMaxDynamicShared, int(kernel.sharedBytes)),
          Code::LaunchFailed, "setting the shared memory of the kernel '" + kernel.name + "'");
      !status.ok())
    return status;
  int blocks = kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2];
  if (blocks <= portableClusterLimit)
    return Status();
  return checkDriver(driver, driver.funcSetAttribute(function, functionNonPortableCluster, 1),
                     Code::LaunchFailed, "allowing a cluster of " + std::to_string(blocks));
}

CUresult ModuleTable::getPrimaryContext(const Driver &driver, CUdevice device, CUcontext &context) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto [known, primary] : primaries) {
    context = primary;
    if (known == device)
      return 0;
  }
  CUresult result = driver.primaryCtxRetain(&context, device);
  if (result == 0)
    primaries.emplace_back(device, context);
  return result;
}

Status ModuleTable::getMultiprocessors(const Driver &driver, int deviceId, int64_t &count) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto [known, number] : multiprocessors) {
    count = number;
    if (known == deviceId)
      return Status();
  }
  CUdevice device;
  int number = 0;
  CUresult result = driver.deviceGet(&device, deviceId);
  if (result == 0)
    result = driver.deviceGetAttribute(&number, attributeMultiprocessors, device);
  if (Status status =
          checkDriver(driver, result, Code::Environment,
                      "asking for the multiprocessors of CUDA device " + std::to_string(deviceId));
      !status.ok())
    return status;
  count = number;
  multiprocessors.emplace_back(deviceId, count);
  return Status();
}

ModuleTable::Context &ModuleTable::getContext(const Driver &driver, CUcontext context) {
  unsigned long long id = 0;
  if (driver.ctxGetId && driver.ctxGetId(context, &id) != 0)
    id = 0;
  for (std::unique_ptr<Context> &known : contexts) {
    if (known->context != context)
      continue;
    if (known->id != id) // The old context is gone, and its modules with it.
      *known = {context, id, {}, std::vector<CUfunction>(manifest.kernels.size(), nullptr)};
    return *known;
  }
  contexts.push_back(std::make_unique<Context>(
      Context{context, id, {}, std::vector<CUfunction>(manifest.kernels.size(), nullptr)}));
  return *contexts.back();
}

Status ModuleTable::getFunction(const Driver &driver, CUcontext context, CUdevice device,
                                int kernel, CUfunction &function) {
  std::lock_guard<std::mutex> lock(mutex);
  Context &loaded = getContext(driver, context);
  function = loaded.functions[kernel];
  if (function)
    return Status();
  const KernelInfo &info = manifest.kernels[kernel];
  CUmodule module;
  if (Status status = getModule(driver, loaded, device, info, module); !status.ok())
    return status;
  Status status =
      checkDriver(driver, driver.moduleGetFunction(&function, module, info.name.c_str()),
                  Code::LaunchFailed, "finding the kernel '" + info.name + "'");
  if (status.ok())
    status = prepareFunction(driver, device, info, function);
  if (status.ok())
    loaded.functions[kernel] = function;
  return status;
}

void ModuleTable::unload(const Driver &driver) {
  for (std::unique_ptr<Context> &loaded : contexts) {
    if (driver.ctxPushCurrent(loaded->context) != 0)
      continue;
    driver.ctxSynchronize();
    for (auto &[name, module] : loaded->modules)
      driver.moduleUnload(module);
    CUcontext popped;
    driver.ctxPopCurrent(&popped);
  }
  contexts.clear();
}

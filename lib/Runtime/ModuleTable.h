// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device code of a bundle, loaded per CUDA context at the first launch there, and its kernels
// made ready (shared memory limit, cluster size).

#ifndef NAUTILUS_LIB_RUNTIME_MODULETABLE_H
#define NAUTILUS_LIB_RUNTIME_MODULETABLE_H

#include "nautilus/Runtime/Bundle.h"
#include "nautilus/Runtime/Driver.h"
#include "nautilus/Runtime/Manifest.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace nautilus::runtime {

class ModuleTable {
public:
  ModuleTable(const Bundle &bundle, const Manifest &manifest)
      : bundle(bundle), manifest(manifest) {}

  /// The primary context of a device, the one that the CUDA runtime library and so every framework
  /// uses; retained once.
  CUresult getPrimaryContext(const Driver &driver, CUdevice device, CUcontext &context);

  /// The multiprocessors of a device; asked once.
  Status getMultiprocessors(const Driver &driver, int deviceId, int64_t &count);

  /// The kernel in the current context, which is `context` on `device`.
  Status getFunction(const Driver &driver, CUcontext context, CUdevice device, int kernel,
                     CUfunction &function);

  /// Waits for the contexts and unloads. Errors do not matter any more: at exit the driver may be
  /// gone.
  void unload(const Driver &driver);

private:
  struct Context {
    CUcontext context;
    /// Distinguishes a context from an earlier one at the same address; 0 if the driver cannot
    /// tell.
    unsigned long long id;
    std::vector<std::pair<std::string, CUmodule>> modules;
    /// By kernel; null until first used.
    std::vector<CUfunction> functions;
  };

  Context &getContext(const Driver &driver, CUcontext context);
  Status getModule(const Driver &driver, Context &context, CUdevice device,
                   const KernelInfo &kernel, CUmodule &module);
  Status loadModule(const Driver &driver, CUdevice device, const KernelInfo &kernel,
                    CUmodule &module);

  const Bundle &bundle;
  const Manifest &manifest;
  std::mutex mutex;
  std::vector<std::unique_ptr<Context>> contexts;
  std::vector<std::pair<CUdevice, CUcontext>> primaries;
  std::vector<std::pair<int, int64_t>> multiprocessors;
};

} // namespace nautilus::runtime

#endif // NAUTILUS_LIB_RUNTIME_MODULETABLE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime: a loaded bundle that checks its arguments at each call and launches on the caller's
// stream. It stands on nothing of the compiler, only on libc and, at the first run, the CUDA
// driver. The C ABI (nautilus-c/Runtime.h) is a thin layer over this header.

#ifndef NAUTILUS_RUNTIME_RUNTIME_H
#define NAUTILUS_RUNTIME_RUNTIME_H

#include "nautilus-c/Runtime.h"
#include "nautilus/Runtime/Bundle.h"
#include "nautilus/Runtime/Driver.h"
#include "nautilus/Runtime/Manifest.h"
#include "nautilus/Runtime/Status.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace nautilus::runtime {

class ModuleTable;
class TensorMapCache;

class Executable {
public:
  /// Takes a bundle apart and verifies its manifest. `driver` null means the system's, opened at
  /// the first run.
  static Status create(Bundle bundle, const Driver *driver,
                       std::unique_ptr<Executable> &executable);
  ~Executable();

  const Bundle &getBundle() const { return bundle; }
  const Manifest &getManifest() const { return manifest; }

  /// Sizes of the named dims, from the inputs or from all arguments.
  Status inferDims(const NautilusTensor *const *tensors, int count, int64_t *dims) const;

  /// Bytes of workspace that a run with these arguments needs.
  Status getWorkspaceBytes(const NautilusTensor *const *tensors, int count, uint64_t &bytes) const;

  /// Checks everything, then launches; nothing is launched if a check fails.
  Status run(const NautilusTensor *const *tensors, int count, void *workspace,
             uint64_t workspaceBytes, CUstream stream);

private:
  Executable();
  /// The driver, opened at the first need.
  Status getDriver(const Driver *&active);
  Status prepare(const Driver &active, const Evaluation &evaluation, CUcontext context,
                 CUdevice device);
  Status launchAll(const Evaluation &evaluation, int deviceId, CUstream stream);

  Bundle bundle;
  Manifest manifest;
  std::atomic<const Driver *> driver = {nullptr};
  std::unique_ptr<ModuleTable> modules;
  std::unique_ptr<TensorMapCache> tensorMaps;
};

} // namespace nautilus::runtime

#endif // NAUTILUS_RUNTIME_RUNTIME_H

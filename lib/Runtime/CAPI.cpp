// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C ABI over Executable: handles, statuses and the thread's last error. Null pointers from the
// caller are errors, not crashes.

#include "nautilus-c/Runtime.h"

#include "nautilus/Runtime/Binding.h"
#include "nautilus/Runtime/Runtime.h"

using namespace nautilus::runtime;

struct NautilusBundle {
  std::unique_ptr<Executable> executable;
};

static std::string &lastError() {
  static thread_local std::string text;
  return text;
}

static int report(const Status &status) {
  if (!status.ok())
    lastError() = status.getMessage();
  return int(status.getCode());
}

static int reportNull(const char *what) {
  return report(invalidArgument(std::string("expected ") + what + ", got null"));
}

static int createFrom(Status status, Bundle bundle, NautilusBundle **result) {
  std::unique_ptr<Executable> executable;
  if (status.ok())
    status = Executable::create(std::move(bundle), nullptr, executable);
  if (status.ok())
    *result = new NautilusBundle{std::move(executable)};
  return report(status);
}

static const Manifest &getManifest(const NautilusBundle *bundle) {
  return bundle->executable->getManifest();
}

template <typename List> static bool inRange(const List &list, int32_t index) {
  return index >= 0 && size_t(index) < list.size();
}

int nautilus_abi_version(void) { return 1; }

const char *nautilus_last_error(void) { return lastError().c_str(); }

int nautilus_bundle_load(const char *path, NautilusBundle **result) {
  if (!path || !result)
    return reportNull("a path and a place for the bundle");
  *result = nullptr;
  Bundle bundle;
  Status status = readBundleFile(path, bundle);
  return createFrom(std::move(status), std::move(bundle), result);
}

int nautilus_bundle_load_memory(const void *data, size_t size, NautilusBundle **result) {
  if (!data || !result)
    return reportNull("data and a place for the bundle");
  *result = nullptr;
  Bundle bundle;
  Status status = parseBundle(data, size, bundle);
  return createFrom(std::move(status), std::move(bundle), result);
}

void nautilus_bundle_free(NautilusBundle *bundle) { delete bundle; }

const char *nautilus_bundle_manifest(const NautilusBundle *bundle) {
  return bundle ? bundle->executable->getBundle().manifest.c_str() : "";
}

const char *nautilus_bundle_entry(const NautilusBundle *bundle) {
  return bundle ? getManifest(bundle).entry.c_str() : "";
}

const char *nautilus_bundle_digest(const NautilusBundle *bundle) {
  return bundle ? bundle->executable->getBundle().digest.c_str() : "";
}

int32_t nautilus_bundle_num_dims(const NautilusBundle *bundle) {
  return bundle ? int32_t(getManifest(bundle).dims.size()) : 0;
}

int32_t nautilus_bundle_num_args(const NautilusBundle *bundle) {
  return bundle ? int32_t(getManifest(bundle).args.size()) : 0;
}

int32_t nautilus_bundle_num_inputs(const NautilusBundle *bundle) {
  return bundle ? getManifest(bundle).numInputs : 0;
}

int32_t nautilus_bundle_num_kernels(const NautilusBundle *bundle) {
  return bundle ? int32_t(getManifest(bundle).kernels.size()) : 0;
}

int nautilus_bundle_dim(const NautilusBundle *bundle, int32_t index, NautilusDimInfo *info) {
  if (!bundle || !info)
    return reportNull("a bundle and a place for the result");
  if (!inRange(getManifest(bundle).dims, index))
    return report(invalidArgument("no dim " + std::to_string(index)));
  const DimInfo &dim = getManifest(bundle).dims[index];
  *info = {dim.name.c_str(), dim.size, dim.hint};
  return NAUTILUS_OK;
}

int nautilus_bundle_arg(const NautilusBundle *bundle, int32_t index, NautilusArgInfo *info) {
  if (!bundle || !info)
    return reportNull("a bundle and a place for the result");
  if (!inRange(getManifest(bundle).args, index))
    return report(invalidArgument("no argument " + std::to_string(index)));
  const ArgInfo &arg = getManifest(bundle).args[index];
  *info = {arg.name.c_str(), arg.dtype->name, int32_t(arg.dims.size()), arg.isOutput};
  return NAUTILUS_OK;
}

int nautilus_bundle_kernel(const NautilusBundle *bundle, int32_t index, NautilusKernelInfo *info) {
  if (!bundle || !info)
    return reportNull("a bundle and a place for the result");
  if (!inRange(getManifest(bundle).kernels, index))
    return report(invalidArgument("no kernel " + std::to_string(index)));
  const KernelInfo &kernel = getManifest(bundle).kernels[index];
  *info = {kernel.name.c_str(), kernel.module.c_str(),
           kernel.threads,      kernel.registers,
           kernel.sharedBytes,  {kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]}};
  return NAUTILUS_OK;
}

int nautilus_infer_dims(const NautilusBundle *bundle, const NautilusTensor *const *tensors,
                        int32_t count, int64_t *dims) {
  if (!bundle || !dims)
    return reportNull("a bundle and a place for the result");
  return report(bundle->executable->inferDims(tensors, count, dims));
}

int nautilus_arg_shape(const NautilusBundle *bundle, int32_t arg, const int64_t *dims,
                       int64_t *shape) {
  if (!bundle || !dims || !shape)
    return reportNull("a bundle, dims and a place for the result");
  const Manifest &manifest = getManifest(bundle);
  if (!inRange(manifest.args, arg))
    return report(invalidArgument("no argument " + std::to_string(arg)));
  for (size_t dim = 0; dim < manifest.args[arg].dims.size(); ++dim)
    if (Status status = getExtent(manifest, arg, int(dim), dims, shape[dim]); !status.ok())
      return report(status);
  return NAUTILUS_OK;
}

int nautilus_workspace_bytes(const NautilusBundle *bundle, const NautilusTensor *const *tensors,
                             int32_t count, uint64_t *bytes) {
  if (!bundle || !bytes)
    return reportNull("a bundle and a place for the result");
  return report(bundle->executable->getWorkspaceBytes(tensors, count, *bytes));
}

int nautilus_run(NautilusBundle *bundle, const NautilusTensor *const *tensors, int32_t count,
                 void *workspace, uint64_t workspaceBytes, void *stream) {
  if (!bundle)
    return reportNull("a bundle");
  return report(bundle->executable->run(tensors, count, workspace, workspaceBytes,
                                        static_cast<CUstream>(stream)));
}

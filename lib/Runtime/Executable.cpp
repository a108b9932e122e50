// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded bundle. A run binds the arguments, evaluates the host program, and only when both have
// passed, makes the tensor maps and launches.

#include "nautilus/Runtime/Runtime.h"

#include "ModuleTable.h"
#include "TensorMapCache.h"

#include "nautilus/Runtime/Binding.h"

using namespace nautilus::runtime;

static constexpr uint64_t workspaceAlignment = 256;

namespace {

/// Buffers of a call, kept per thread so that a call does not allocate.
struct Scratch {
  Binding binding;
  Evaluation evaluation;
  std::vector<TensorMap> maps;
  std::vector<CUfunction> functions;
  std::vector<void *> params;
};

Scratch &getScratch() {
  static thread_local Scratch scratch;
  return scratch;
}

/// Makes the tensors' device current for a scope.
class CurrentDevice {
public:
  explicit CurrentDevice(const Driver &driver) : driver(driver) {}
  ~CurrentDevice() {
    CUcontext popped;
    if (pushed)
      driver.ctxPopCurrent(&popped);
  }

  Status enter(ModuleTable &modules, int deviceId) {
    if (driver.ctxGetCurrent(&context) == 0 && context && driver.ctxGetDevice(&device) == 0 &&
        device == deviceId)
      return Status();
    const std::string what = "using CUDA device " + std::to_string(deviceId);
    CUresult result = driver.deviceGet(&device, deviceId);
    if (result == 0)
      result = modules.getPrimaryContext(driver, device, context);
    if (result == 0)
      result = driver.ctxPushCurrent(context);
    pushed = result == 0;
    return checkDriver(driver, result, Code::Environment, what);
  }

  CUcontext context = nullptr;
  CUdevice device = 0;

private:
  const Driver &driver;
  bool pushed = false;
};

} // namespace

Executable::Executable() = default;

Executable::~Executable() {
  if (const Driver *active = driver.load())
    modules->unload(*active);
}

Status Executable::create(Bundle bundle, const Driver *driver,
                          std::unique_ptr<Executable> &executable) {
  std::unique_ptr<Executable> result(new Executable());
  if (Status status = parseManifest(bundle.manifest, result->manifest); !status.ok())
    return status;
  result->bundle = std::move(bundle);
  result->modules = std::make_unique<ModuleTable>(result->bundle, result->manifest);
  result->tensorMaps = std::make_unique<TensorMapCache>();
  result->driver = driver;
  executable = std::move(result);
  return Status();
}

Status Executable::inferDims(const NautilusTensor *const *tensors, int count, int64_t *dims) const {
  Binding &binding = getScratch().binding;
  if (Status status = bindArguments(manifest, tensors, count, BindMode::Shapes, binding);
      !status.ok())
    return status;
  for (size_t dim = 0; dim < binding.dims.size(); ++dim)
    dims[dim] = binding.dims[dim];
  return Status();
}

Status Executable::getWorkspaceBytes(const NautilusTensor *const *tensors, int count,
                                     uint64_t &bytes) const {
  Scratch &scratch = getScratch();
  if (count != int(manifest.args.size()))
    return invalidArgument("'" + manifest.entry + "': expected all " +
                           std::to_string(manifest.args.size()) + " arguments, got " +
                           std::to_string(count));
  Status status = bindArguments(manifest, tensors, count, BindMode::Shapes, scratch.binding);
  if (status.ok())
    status = evaluate(manifest, scratch.binding, 0, scratch.evaluation);
  bytes = status.ok() ? scratch.evaluation.workspaceBytes : 0;
  return status;
}

static Status checkWorkspace(const Manifest &manifest, const Evaluation &evaluation,
                             uint64_t address, uint64_t bytes) {
  if (evaluation.workspaceBytes == 0)
    return Status();
  if (address == 0 || bytes < evaluation.workspaceBytes)
    return invalidArgument("'" + manifest.entry + "': expected a workspace of " +
                           std::to_string(evaluation.workspaceBytes) + " bytes, got " +
                           std::to_string(address == 0 ? 0 : bytes));
  if (address % workspaceAlignment != 0)
    return invalidArgument("'" + manifest.entry + "': expected a 256-byte aligned workspace");
  return Status();
}

Status Executable::run(const NautilusTensor *const *tensors, int count, void *workspace,
                       uint64_t workspaceBytes, CUstream stream) {
  Scratch &scratch = getScratch();
  if (Status status = bindArguments(manifest, tensors, count, BindMode::Run, scratch.binding);
      !status.ok())
    return status;
  if (manifest.program.usesDevice) {
    const Driver *active;
    Status status = getDriver(active);
    if (status.ok())
      status = modules->getMultiprocessors(*active, scratch.binding.deviceId,
                                           scratch.binding.multiprocessors);
    if (!status.ok())
      return status;
  }
  uint64_t address = uint64_t(reinterpret_cast<uintptr_t>(workspace));
  Status status = evaluate(manifest, scratch.binding, address, scratch.evaluation);
  if (status.ok())
    status = checkWorkspace(manifest, scratch.evaluation, address, workspaceBytes);
  if (!status.ok() || scratch.evaluation.actions.empty())
    return status;
  return launchAll(scratch.evaluation, scratch.binding.deviceId, stream);
}

static Status launchOne(const Driver &driver, const KernelInfo &kernel, const LaunchInfo &launch,
                        const int64_t *values, CUfunction function, CUstream stream,
                        void **params) {
  unsigned grid[3];
  for (int d = 0; d < 3; ++d)
    grid[d] = unsigned(values[launch.grid[d]]);
  CUresult result;
  if (kernel.cluster == std::array<int, 3>{1, 1, 1}) {
    result = driver.launchKernel(function, grid[0], grid[1], grid[2], unsigned(kernel.threads), 1,
                                 1, unsigned(kernel.sharedBytes), stream, params, nullptr);
  } else if (driver.launchKernelEx) {
    LaunchAttribute attribute = {};
    attribute.id = launchAttributeCluster;
    attribute.value.cluster = {unsigned(kernel.cluster[0]), unsigned(kernel.cluster[1]),
                               unsigned(kernel.cluster[2])};
    LaunchConfig config = {
        grid[0], grid[1],    grid[2], unsigned(kernel.threads), 1, 1, unsigned(kernel.sharedBytes),
        stream,  &attribute, 1};
    result = driver.launchKernelEx(&config, function, params, nullptr);
  } else {
    return Status(Code::Environment, "the CUDA driver is too old for clusters (needs 11.8)");
  }
  if (result == 0)
    return Status();
  return checkDriver(driver, result, Code::LaunchFailed,
                     "launching the kernel '" + kernel.name + "' with a grid of " +
                         std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" +
                         std::to_string(grid[2]) + " blocks");
}

/// Everything that can fail for another reason than the launch itself: functions and tensor maps.
Status Executable::prepare(const Driver &active, const Evaluation &evaluation, CUcontext context,
                           CUdevice device) {
  Scratch &scratch = getScratch();
  const Program &program = manifest.program;
  const int64_t *values = evaluation.values.data();
  scratch.maps.resize(program.tensorMaps.size());
  scratch.functions.resize(program.launches.size());
  for (Action action : evaluation.actions) {
    if (action.kind != Action::Launch)
      continue;
    const LaunchInfo &launch = program.launches[action.index];
    const KernelInfo &kernel = manifest.kernels[launch.kernel];
    if (Status status = modules->getFunction(active, context, device, launch.kernel,
                                             scratch.functions[action.index]);
        !status.ok())
      return status;
    for (size_t i = 0; i < launch.args.size(); ++i) {
      if (kernel.params[i] != ParamKind::TensorMap)
        continue;
      int64_t map = values[launch.args[i]];
      if (Status status =
              tensorMaps->get(active, program.tensorMaps[map], values, scratch.maps[map]);
          !status.ok())
        return status;
    }
  }
  return Status();
}

static Status performAction(const Driver &driver, const Manifest &manifest, Action action,
                            const Evaluation &evaluation, Scratch &scratch, CUstream stream) {
  const int64_t *values = evaluation.values.data();
  if (action.kind == Action::Memset) {
    const MemsetInfo &memset = manifest.program.memsets[action.index];
    CUresult result = driver.memsetD8Async(CUdeviceptr(values[memset.address]), memset.byte,
                                           size_t(values[memset.bytes]), stream);
    return checkDriver(driver, result, Code::LaunchFailed, "filling memory");
  }
  const LaunchInfo &launch = manifest.program.launches[action.index];
  const KernelInfo &kernel = manifest.kernels[launch.kernel];
  scratch.params.clear();
  // The driver copies as many bytes as the kernel's parameter has, from little-endian 64-bit
  // values.
  for (size_t i = 0; i < launch.args.size(); ++i)
    scratch.params.push_back(kernel.params[i] == ParamKind::TensorMap
                                 ? static_cast<void *>(&scratch.maps[values[launch.args[i]]])
                                 : const_cast<int64_t *>(&values[launch.args[i]]));
  return launchOne(driver, kernel, launch, values, scratch.functions[action.index], stream,
                   scratch.params.data());
}

Status Executable::getDriver(const Driver *&active) {
  active = driver.load(std::memory_order_acquire);
  if (active)
    return Status();
  if (Status status = getSystemDriver(active); !status.ok())
    return status;
  driver.store(active, std::memory_order_release);
  return Status();
}

Status Executable::launchAll(const Evaluation &evaluation, int deviceId, CUstream stream) {
  const Driver *active;
  if (Status status = getDriver(active); !status.ok())
    return status;
  CurrentDevice current(*active);
  if (Status status = current.enter(*modules, deviceId); !status.ok())
    return status;
  if (Status status = prepare(*active, evaluation, current.context, current.device); !status.ok())
    return status;
  for (Action action : evaluation.actions)
    if (Status status = performAction(*active, manifest, action, evaluation, getScratch(), stream);
        !status.ok())
      return status;
  return Status();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the tensors of one call and finds the named dims. Input is the caller's tensors, output a
// Binding or one sentence that names the argument and, where two disagree, both.

#include "nautilus/Runtime/Binding.h"

#include <algorithm>

using namespace nautilus::runtime;

static constexpr int deviceCUDA = 2;         // DLPack's kDLCUDA
static constexpr int deviceCUDAManaged = 13; // kDLCUDAManaged

static std::string nameArg(const Manifest &manifest, int arg) {
  return "argument '" + manifest.args[arg].name + "'";
}

static std::string nameTensorDim(const Manifest &manifest, int arg, int dim) {
  std::string text = nameArg(manifest, arg) + " dim " + std::to_string(dim) + " (";
  const std::vector<int> &factors = manifest.args[arg].dims[dim];
  for (size_t i = 0; i < factors.size(); ++i)
    text += (i ? "*" : "") + manifest.dims[factors[i]].name;
  return text + (factors.empty() ? "1)" : ")");
}

/// Where the sizes of the factors come from; written only when something disagrees.
static std::string explainFactors(const Manifest &manifest, const std::vector<BindStep> &steps,
                                  const BindStep &at, const int64_t *dims) {
  std::string text;
  for (int factor : manifest.args[at.arg].dims[at.dim]) {
    if (factor == at.solve)
      continue;
    const DimInfo &dim = manifest.dims[factor];
    text += (text.empty() ? "" : ", ") + dim.name + " is " + std::to_string(dims[factor]);
    if (dim.size >= 0)
      text += " in every call";
    for (const BindStep &step : steps)
      if (step.solve == factor)
        text += " in " + nameTensorDim(manifest, step.arg, step.dim);
  }
  return text;
}

static std::string nameDType(int code, int bits, int lanes) {
  const char *kinds[] = {"i", "u", "f", "opaque", "bf", "complex", "bool"};
  for (const char *name : {"f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2", "bool"})
    if (const DType *dtype = lookupDType(name);
        dtype->code == code && dtype->bits == bits && lanes == 1)
      return name;
  std::string text = code < 7 ? kinds[code] : "type " + std::to_string(code) + " of bits ";
  text += std::to_string(bits);
  return lanes == 1 ? text : text + "x" + std::to_string(lanes);
}

static Status checkTensor(const Manifest &manifest, int arg, const NautilusTensor *tensor) {
  const ArgInfo &info = manifest.args[arg];
  if (!tensor)
    return invalidArgument(nameArg(manifest, arg) + ": expected a tensor, got null");
  if (tensor->ndim != int(info.dims.size()))
    return invalidArgument(nameArg(manifest, arg) + ": expected rank " +
                           std::to_string(info.dims.size()) + ", got " +
                           std::to_string(tensor->ndim));
  if (tensor->ndim > 0 && !tensor->shape)
    return invalidArgument(nameArg(manifest, arg) + ": has no shape");
  if (tensor->dtype_code != info.dtype->code || tensor->dtype_bits != info.dtype->bits ||
      tensor->dtype_lanes != 1)
    return invalidArgument(nameArg(manifest, arg) + ": expected dtype " + info.dtype->name +
                           ", got " +
                           nameDType(tensor->dtype_code, tensor->dtype_bits, tensor->dtype_lanes));
  for (int dim = 0; dim < tensor->ndim; ++dim)
    if (tensor->shape[dim] < 0)
      return invalidArgument(nameTensorDim(manifest, arg, dim) + " is negative");
  return Status();
}

static bool isEmpty(const NautilusTensor &tensor) {
  return std::any_of(tensor.shape, tensor.shape + tensor.ndim, [](int64_t n) { return n == 0; });
}

/// What only matters if the data is touched: device, address, and that an output's elements are
/// distinct.
static Status checkData(const Manifest &manifest, int arg, const NautilusTensor *const *tensors) {
  const NautilusTensor &tensor = *tensors[arg];
  if (tensor.device_type != deviceCUDA && tensor.device_type != deviceCUDAManaged)
    return invalidArgument(nameArg(manifest, arg) + ": expected a CUDA tensor, got one on " +
                           (tensor.device_type == 1
                                ? "the CPU"
                                : "DLPack device type " + std::to_string(tensor.device_type)));
  if (tensor.device_id != tensors[0]->device_id)
    return invalidArgument(nameArg(manifest, arg) + " is on CUDA device " +
                           std::to_string(tensor.device_id) + ", but " + nameArg(manifest, 0) +
                           " is on device " + std::to_string(tensors[0]->device_id));
  if (isEmpty(tensor))
    return Status();
  if (!tensor.data)
    return invalidArgument(nameArg(manifest, arg) + ": has elements but no data");
  if (manifest.args[arg].isOutput && tensor.strides)
    for (int dim = 0; dim < tensor.ndim; ++dim)
      if (tensor.strides[dim] == 0 && tensor.shape[dim] > 1)
        return invalidArgument(nameTensorDim(manifest, arg, dim) +
                               ": an output may not have stride 0");
  return Status();
}

/// Uses one tensor dim: its extent must be the product of the known factors, times the one to solve
/// for.
static Status applyStep(const Manifest &manifest, const std::vector<BindStep> &steps,
                        const BindStep &step, int64_t extent, int64_t *dims) {
  int64_t known = 1;
  bool overflow = false;
  for (int factor : manifest.args[step.arg].dims[step.dim])
    if (factor != step.solve)
      overflow |= __builtin_mul_overflow(known, dims[factor], &known);
  if (step.solve < 0) {
    if (!overflow && extent == known)
      return Status();
    return invalidArgument(nameTensorDim(manifest, step.arg, step.dim) + " is " +
                           std::to_string(extent) + ", expected " +
                           (overflow ? "more than 64 bits hold" : std::to_string(known)) + ": " +
                           explainFactors(manifest, steps, step, dims));
  }
  // 0 = 0 * R holds for every R: take 1.
  if (!overflow && known == 0 && extent == 0) {
    dims[step.solve] = 1;
    return Status();
  }
  if (overflow || known == 0 || extent % known != 0)
    return invalidArgument(nameTensorDim(manifest, step.arg, step.dim) + " is " +
                           std::to_string(extent) +
                           ", which is not a multiple of the known part: " +
                           explainFactors(manifest, steps, step, dims));
  dims[step.solve] = extent / known;
  return Status();
}

/// A stride of a dim with one element or none means nothing: it gets the value of a dense tensor,
/// so that it cannot keep the program from the fast variant. The unsigned product is for sizes that
/// only a wrong tensor has.
static void appendTensor(const NautilusTensor &tensor, Binding &binding) {
  binding.addresses.push_back(uint64_t(reinterpret_cast<uintptr_t>(tensor.data)) +
                              tensor.byte_offset);
  size_t begin = binding.strides.size();
  binding.strideBegin.push_back(int(begin));
  binding.strides.resize(begin + tensor.ndim);
  uint64_t dense = 1;
  for (int dim = tensor.ndim - 1; dim >= 0; --dim) {
    bool meaningful = tensor.strides && tensor.shape[dim] > 1;
    int64_t stride = meaningful ? tensor.strides[dim] : int64_t(dense);
    binding.strides[begin + dim] = stride;
    dense = uint64_t(stride) * uint64_t(std::max<int64_t>(tensor.shape[dim], 1));
  }
}

static Status checkCount(const Manifest &manifest, int count, BindMode mode) {
  int all = int(manifest.args.size());
  if (count == all)
    return Status();
  if (mode == BindMode::Shapes && count == manifest.numInputs) {
    if (manifest.missingInput < 0)
      return Status();
    return invalidArgument("the dim '" + manifest.dims[manifest.missingInput].name +
                           "' does not follow from the inputs: give the outputs too");
  }
  return invalidArgument("'" + manifest.entry + "': expected " + std::to_string(all) +
                         " arguments (" + std::to_string(manifest.numInputs) + " inputs, " +
                         std::to_string(all - manifest.numInputs) + " outputs), got " +
                         std::to_string(count));
}

Status nautilus::runtime::bindArguments(const Manifest &manifest,
                                        const NautilusTensor *const *tensors, int count,
                                        BindMode mode, Binding &binding) {
  if (Status status = checkCount(manifest, count, mode); !status.ok())
    return status;
  if (count > 0 && !tensors)
    return invalidArgument("expected a list of tensors, got null");
  binding.addresses.clear();
  binding.strideBegin.clear();
  binding.strides.clear();
  for (int arg = 0; arg < count; ++arg) {
    if (Status status = checkTensor(manifest, arg, tensors[arg]); !status.ok())
      return status;
    if (mode == BindMode::Run)
      if (Status status = checkData(manifest, arg, tensors); !status.ok())
        return status;
    appendTensor(*tensors[arg], binding);
  }
  binding.deviceId = count > 0 ? tensors[0]->device_id : 0;
  binding.dims.resize(manifest.dims.size());
  for (size_t dim = 0; dim < manifest.dims.size(); ++dim)
    binding.dims[dim] = manifest.dims[dim].size;
  const std::vector<BindStep> &steps =
      count == int(manifest.args.size()) ? manifest.binding : manifest.inputBinding;
  for (const BindStep &step : steps)
    if (Status status = applyStep(manifest, steps, step, tensors[step.arg]->shape[step.dim],
                                  binding.dims.data());
        !status.ok())
      return status;
  return Status();
}

Status nautilus::runtime::getExtent(const Manifest &manifest, int arg, int dim, const int64_t *dims,
                                    int64_t &extent) {
  extent = 1;
  for (int factor : manifest.args[arg].dims[dim])
    if (__builtin_mul_overflow(extent, dims[factor], &extent))
      return invalidArgument(nameTensorDim(manifest, arg, dim) + " does not fit 64 bits");
  return Status();
}

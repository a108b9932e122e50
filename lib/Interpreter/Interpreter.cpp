// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks inputs against what the entry declares, binds dims, and runs the level asked for.

#include "nautilus/Interpreter/Interpreter.h"

#include "HostInterpreter.h"
#include "ScalarInterpreter.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

/// Takes one extent of a dim, from its declaration, the caller or an input; all must agree.
static LogicalResult bindDim(Operation *entry, DimBindings &bound, StringRef name, int64_t extent,
                             const Twine &source) {
  if (extent < 0)
    return entry->emitError("expected an extent >= 0 of dim ")
           << name << " from " << source << ", got " << extent;
  auto [it, isNew] = bound.try_emplace(name, extent);
  if (!isNew && it->second != extent)
    return entry->emitError("expected extent ")
           << it->second << " of dim " << name << " from " << source << ", got " << extent;
  return success();
}

FailureOr<DimBindings> mlir::nautilus::interpreter::bindDims(Operation *entry, ArrayAttr declared,
                                                             ArrayRef<scalar::TensorAttr> tensors,
                                                             ArrayRef<Tensor> inputs,
                                                             const DimBindings &given) {
  DimBindings bound;
  for (auto dim : declared.getAsRange<scalar::DimAttr>()) {
    StringRef name = dim.getName().getValue();
    if (!dim.isDynamic() && failed(bindDim(entry, bound, name, dim.getSize(), "its declaration")))
      return failure();
    if (auto it = given.find(name); it != given.end())
      if (failed(bindDim(entry, bound, name, it->second, "the caller")))
        return failure();
  }
  for (auto [tensor, input] : llvm::zip(tensors, inputs)) {
    SmallVector<StringAttr> dims = tensor.getFlatDims();
    StringRef name = tensor.getName().getValue();
    if (input.shape.size() != dims.size())
      return entry->emitError("expected rank ")
             << dims.size() << " of input " << name << ", got " << input.shape.size();
    for (auto [dim, extent] : llvm::zip(dims, input.shape))
      if (failed(bindDim(entry, bound, dim.getValue(), extent, "input " + name)))
        return failure();
  }
  for (auto dim : declared.getAsRange<scalar::DimAttr>())
    if (!bound.contains(dim.getName().getValue()))
      return entry->emitError("expected an extent of dim ") << dim.getName();
  return bound;
}

/// Checks number and element types of inputs, then binds dims.
static FailureOr<DimBindings> checkInputs(Operation *entry, ArrayAttr declared,
                                          ArrayRef<scalar::TensorAttr> tensors, TypeRange types,
                                          ArrayRef<Tensor> inputs, const DimBindings &dims) {
  if (inputs.size() != tensors.size())
    return entry->emitError("expected ") << tensors.size() << " inputs, got " << inputs.size();
  for (auto [tensor, tensorType, input] : llvm::zip(tensors, types, inputs)) {
    Type type = cast<RankedTensorType>(tensorType).getElementType();
    if (getElementKind(type) != input.kind)
      return entry->emitError("expected elements of type ")
             << type << " in input " << tensor.getName() << ", got " << stringify(input.kind);
  }
  return bindDims(entry, declared, tensors, inputs, dims);
}

static FailureOr<std::vector<Tensor>> runScalar(scalar::KernelOp kernel, Mode mode,
                                                ArrayRef<Tensor> inputs, const DimBindings &dims) {
  SmallVector<scalar::TensorAttr> tensors(kernel.getArguments().getAsRange<scalar::TensorAttr>());
  FailureOr<DimBindings> bound = checkInputs(kernel, kernel.getDims(), tensors,
                                             kernel.getBody().getArgumentTypes(), inputs, dims);
  if (failed(bound))
    return failure();
  return runScalarKernel(kernel, mode, inputs, *bound);
}

static FailureOr<std::vector<Tensor>> runHost(host::EntryOp entry, Mode mode,
                                              ArrayRef<Tensor> inputs, const DimBindings &dims,
                                              const DeviceModel &device) {
  size_t numInputs = entry.getTensors().size() - entry.getNumResults();
  auto tensors = llvm::to_vector(entry.getTensors().getAsRange<scalar::TensorAttr>());
  auto types = llvm::to_vector(entry.getTypes().getAsValueRange<TypeAttr>());
  tensors.truncate(numInputs);
  FailureOr<DimBindings> bound =
      checkInputs(entry, entry.getDims(), tensors, ArrayRef<Type>(types), inputs, dims);
  if (failed(bound))
    return failure();
  return runHostEntry(entry, mode, inputs, *bound, device);
}

FailureOr<std::vector<Tensor>> mlir::nautilus::interpreter::run(ModuleOp module, StringRef entry,
                                                                Level level, Mode mode,
                                                                ArrayRef<Tensor> inputs,
                                                                const DimBindings &dims,
                                                                const DeviceModel &device) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, entry);
  if (!symbol)
    return module.emitError("expected an entry named ") << entry << ", got none";
  if (auto kernel = dyn_cast<scalar::KernelOp>(symbol); kernel && level == Level::Scalar)
    return runScalar(kernel, mode, inputs, dims);
  if (auto host = dyn_cast<host::EntryOp>(symbol); host && level != Level::Scalar)
    return runHost(host, mode, inputs, dims, device);
  return symbol->emitError("expected ")
         << (level == Level::Scalar ? "a nautilus_scalar.kernel" : "a nautilus_host.entry")
         << " at this level";
}

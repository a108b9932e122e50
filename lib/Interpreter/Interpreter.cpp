// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks inputs against what the entry declares, binds dims, and runs the level asked for.

#include "nautilus/Interpreter/Interpreter.h"

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

FailureOr<DimBindings> nautilus::interpreter::bindDims(Operation *entry, ArrayAttr declared,
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

static FailureOr<std::vector<Tensor>> runScalar(scalar::KernelOp kernel, Mode mode,
                                                ArrayRef<Tensor> inputs, const DimBindings &dims) {
  SmallVector<scalar::TensorAttr> tensors(kernel.getArguments().getAsRange<scalar::TensorAttr>());
  if (inputs.size() != tensors.size())
    return kernel.emitError("expected ") << tensors.size() << " inputs, got " << inputs.size();
  for (auto [tensor, argument, input] :
       llvm::zip(tensors, kernel.getBody().getArguments(), inputs)) {
    Type type = cast<RankedTensorType>(argument.getType()).getElementType();
    if (getElementKind(type) != input.kind)
      return kernel.emitError("expected elements of type ")
             << type << " in input " << tensor.getName() << ", got " << stringify(input.kind);
  }
  FailureOr<DimBindings> bound = bindDims(kernel, kernel.getDims(), tensors, inputs, dims);
  if (failed(bound))
    return failure();
  return runScalarKernel(kernel, mode, inputs, *bound);
}

FailureOr<std::vector<Tensor>> nautilus::interpreter::run(ModuleOp module, StringRef entry,
                                                          Level level, Mode mode,
                                                          ArrayRef<Tensor> inputs,
                                                          const DimBindings &dims) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, entry);
  if (!symbol)
    return module.emitError("expected an entry named ") << entry << ", got none";
  if (level == Level::Scalar) {
    if (auto kernel = dyn_cast<scalar::KernelOp>(symbol))
      return runScalar(kernel, mode, inputs, dims);
    return symbol->emitError("expected a nautilus_scalar.kernel");
  }
  return symbol->emitError("expected a level that the interpreter runs");
}

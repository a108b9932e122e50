// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of nautilus_host. Addresses are made up: tensor t lies at (t + 1) << 40, workspace after
// all tensors, so that alignment checks see aligned addresses and no two objects meet.

#include "HostInterpreter.h"

#include "MATileInterpreter.h"
#include "TensorMap.h"
#include "VRTileInterpreter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;

namespace {

class HostInterpreter : public StructuredInterpreter {
public:
  HostInterpreter(host::EntryOp entry, Mode mode, const DimBindings &dims,
                  const DeviceModel &device)
      : StructuredInterpreter(mode), entry(entry), dims(dims), device(device) {}

  FailureOr<std::vector<Tensor>> run(ArrayRef<Tensor> inputs);

private:
  std::optional<LogicalResult> runLevelOp(Operation &op) override;
  LogicalResult runCheck(host::CheckOp op);
  LogicalResult runView(host::ViewOp op);
  LogicalResult runMakeTensorMap(host::MakeTensorMapOp op);
  /// The tensor that starts at an address, or null.
  std::shared_ptr<Tensor> tensorAt(int64_t address);
  LogicalResult runLaunch(host::LaunchOp op);
  FailureOr<std::shared_ptr<Tensor>> workspaceAt(host::ViewOp op, int64_t address,
                                                 ArrayRef<int64_t> extents);
  int64_t addressOf(int64_t object) { return (object + 1) << 40; }

  /// A piece of workspace, and the tensors that views have made of it by address.
  struct Workspace {
    int64_t numBytes;
    std::map<int64_t, std::shared_ptr<Tensor>> tensors;
  };

  host::EntryOp entry;
  const DimBindings &dims;
  const DeviceModel &device;
  std::vector<std::shared_ptr<Tensor>> tensors;
  std::map<int64_t, Workspace> workspaces; ///< By address.
};

} // namespace

LogicalResult HostInterpreter::runCheck(host::CheckOp op) {
  if (integer(op.getCondition()))
    return success();
  std::string message = op.getMessage().str();
  for (auto [i, operand] : llvm::enumerate(op.getValues())) {
    std::string hole = "{" + std::to_string(i) + "}";
    if (size_t at = message.find(hole); at != std::string::npos)
      message.replace(at, hole.size(), std::to_string(integer(operand)));
  }
  return op.emitError(message);
}

/// The dense tensor at an address of the workspace. A second view of the same place sees the same
/// elements.
FailureOr<std::shared_ptr<Tensor>> HostInterpreter::workspaceAt(host::ViewOp op, int64_t address,
                                                                ArrayRef<int64_t> extents) {
  std::optional<ElementKind> kind = getElementKind(getElementTypeOrSelf(op.getType()));
  if (!kind)
    return op.emitError("the interpreter does not know the type ") << op.getType();
  auto it = workspaces.upper_bound(address);
  if (it == workspaces.begin())
    return op.emitError("expected an address of the workspace, got ") << address;
  auto &[start, workspace] = *--it;
  Tensor made(*kind, extents);
  int64_t end = address - start + made.getNumElements() * byteWidth(*kind);
  if (end > workspace.numBytes)
    return op.emitError("expected a view inside ")
           << workspace.numBytes << " bytes of workspace, got one that ends at byte " << end;
  std::shared_ptr<Tensor> &tensor = workspace.tensors[address];
  if (!tensor) {
    made.fill(poisonOf(*kind));
    tensor = std::make_shared<Tensor>(std::move(made));
  }
  if (tensor->kind != *kind || tensor->shape != ArrayRef(extents))
    return op.emitError("expected the view of the workspace that was made before at this address");
  return tensor;
}

LogicalResult HostInterpreter::runView(host::ViewOp op) {
  auto view = std::make_shared<MemoryView>();
  if (op.getTensor()) {
    int64_t position = entry.lookupTensor(*op.getTensor());
    if (position < 0)
      return op.emitError("expected a tensor of the entry, got ") << *op.getTensor();
    view->storage = tensors[position];
    view->shape = view->storage->shape;
    view->strides = view->storage->strides;
  } else {
    for (Value extent : op.getExtents())
      view->shape.push_back(integer(extent));
    FailureOr<std::shared_ptr<Tensor>> tensor =
        workspaceAt(op, integer(op.getAddress()), view->shape);
    if (failed(tensor))
      return failure();
    view->storage = *tensor;
    view->strides = Tensor((*tensor)->kind, view->shape).strides;
  }
  if (static_cast<int64_t>(view->shape.size()) != cast<MemRefType>(op.getType()).getRank())
    return op.emitError("expected a view of rank ") << view->shape.size();
  value(op.getResult()).memory = std::move(view);
  return success();
}

std::shared_ptr<Tensor> HostInterpreter::tensorAt(int64_t address) {
  for (auto [t, tensor] : llvm::enumerate(tensors))
    if (addressOf(t) == address)
      return tensor;
  auto it = workspaces.upper_bound(address);
  if (it == workspaces.begin())
    return nullptr;
  auto &places = std::prev(it)->second.tensors;
  auto place = places.find(address);
  return place == places.end() ? nullptr : place->second;
}

/// The hardware's rules are those of cuTensorMapEncodeTiled; what is constant has been verified.
LogicalResult HostInterpreter::runMakeTensorMap(host::MakeTensorMapOp op) {
  auto map = std::make_shared<TensorMap>();
  int64_t address = integer(op.getAddress());
  map->storage = tensorAt(address);
  if (!map->storage || map->storage->kind != *getElementKind(op.getElementType()))
    return op.emitError("expected the address of a tensor of ") << op.getElementType();
  if (address % 16)
    return op.emitError("expected an address that is a multiple of 16, got ") << address;
  for (Value extent : op.getDims()) {
    map->dims.push_back(integer(extent));
    if (map->dims.back() < 1 || map->dims.back() > int64_t(1) << 32)
      return op.emitError("expected extents of 1 to 2^32, got ") << map->dims.back();
  }
  for (Value stride : op.getStrides()) {
    map->strides.push_back(integer(stride));
    if (map->strides.back() % 16 || map->strides.back() < 0 ||
        map->strides.back() >= int64_t(1) << 40)
      return op.emitError("expected strides in multiples of 16 bytes below 2^40, got ")
             << map->strides.back();
  }
  map->box.assign(op.getBox().begin(), op.getBox().end());
  map->swizzle = op.getSwizzle();
  if (map->box[0] * byteWidth(map->storage->kind) % 16)
    return op.emitError("expected rows of a multiple of 16 bytes in the box");
  value(op.getResult()).map = std::move(map);
  return success();
}

LogicalResult HostInterpreter::runLaunch(host::LaunchOp op) {
  Operation *kernel = SymbolTable::lookupNearestSymbolFrom(entry, op.getKernel());
  auto function = dyn_cast_if_present<FunctionOpInterface>(kernel);
  if (!isa_and_present<vrtile::KernelOp, matile::KernelOp>(kernel))
    return op.emitError(
               "expected a nautilus_vrtile.kernel or nautilus_matile.kernel to launch, got ")
           << op.getKernel();
  SmallVector<RuntimeValue> arguments;
  for (Value argument : op.getArgs())
    arguments.push_back(value(argument));
  if (arguments.size() != function.getNumArguments())
    return op.emitError("expected ")
           << function.getNumArguments() << " arguments, got " << arguments.size();
  for (auto [argument, type] : llvm::zip(arguments, function.getArgumentTypes()))
    if (isa<MemRefType>(type) != (argument.memory != nullptr) ||
        isa<host::TensorMapType>(type) != (argument.map != nullptr))
      return op.emitError("expected an argument of type ") << type;
  int64_t numBlocks = integer(op.getGrid());
  if (auto matileKernel = dyn_cast<matile::KernelOp>(kernel))
    return runMATileKernel(matileKernel, mode, arguments, numBlocks, device);
  return runVRTileKernel(cast<vrtile::KernelOp>(kernel), mode, arguments, numBlocks);
}

std::optional<LogicalResult> HostInterpreter::runLevelOp(Operation &op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](host::DimOp dim) {
        integer(dim.getResult()) = dims.lookup(dim.getDim());
        return success();
      })
      .Case([&](host::MultiprocessorsOp op) {
        integer(op.getResult()) = device.multiprocessors;
        return success();
      })
      .Case([&](host::AddressOp address) {
        integer(address.getResult()) = addressOf(entry.lookupTensor(address.getTensor()));
        return success();
      })
      .Case([&](host::StrideOp stride) {
        const Tensor &tensor = *tensors[entry.lookupTensor(stride.getTensor())];
        integer(stride.getResult()) = tensor.strides[stride.getIndex()];
        return success();
      })
      .Case([&](host::WorkspaceOp workspace) {
        int64_t address = addressOf(tensors.size() + workspaces.size());
        workspaces[address].numBytes = integer(workspace.getBytes());
        integer(workspace.getAddress()) = address;
        return success();
      })
      .Case([&](host::MakeTensorMapOp map) { return runMakeTensorMap(map); })
      .Case([&](host::CheckOp check) { return runCheck(check); })
      .Case([&](host::ViewOp view) { return runView(view); })
      .Case([&](host::LaunchOp launch) { return runLaunch(launch); })
      .Default([](Operation *) { return std::nullopt; });
}

FailureOr<std::vector<Tensor>> HostInterpreter::run(ArrayRef<Tensor> inputs) {
  for (const Tensor &input : inputs)
    tensors.push_back(std::make_shared<Tensor>(input));
  for (size_t t = inputs.size(); t < entry.getTensors().size(); ++t) {
    auto declared = cast<scalar::TensorAttr>(entry.getTensors()[t]);
    auto type = cast<RankedTensorType>(cast<TypeAttr>(entry.getTypes()[t]).getValue());
    std::optional<ElementKind> kind = getElementKind(type.getElementType());
    if (!kind)
      return entry.emitError("the interpreter does not know the type ") << type;
    SmallVector<int64_t> shape;
    for (StringAttr dim : declared.getFlatDims())
      shape.push_back(dims.lookup(dim.getValue()));
    tensors.push_back(std::make_shared<Tensor>(*kind, shape));
    tensors.back()->fill(poisonOf(*kind));
  }
  // The entry has no terminator, so that its last op is run like any other.
  for (Operation &op : entry.getBody().front())
    if (failed(runOp(op)))
      return failure();
  std::vector<Tensor> results;
  for (const std::shared_ptr<Tensor> &tensor : ArrayRef(tensors).drop_front(inputs.size()))
    results.push_back(packed(*tensor));
  return results;
}

FailureOr<std::vector<Tensor>>
mlir::nautilus::interpreter::runHostEntry(host::EntryOp entry, Mode mode, ArrayRef<Tensor> inputs,
                                          const DimBindings &dims, const DeviceModel &device) {
  return HostInterpreter(entry, mode, dims, device).run(inputs);
}

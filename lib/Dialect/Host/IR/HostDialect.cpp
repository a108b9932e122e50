// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the nautilus_host dialect; verifiers of its ops.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::host;

#include "nautilus/Dialect/Host/IR/HostDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "nautilus/Dialect/Host/IR/HostTypes.cpp.inc"

#define GET_OP_CLASSES
#include "nautilus/Dialect/Host/IR/HostOps.cpp.inc"

void HostDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "nautilus/Dialect/Host/IR/HostTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "nautilus/Dialect/Host/IR/HostOps.cpp.inc"
      >();
}

int64_t EntryOp::lookupTensor(StringRef name) {
  for (auto [i, tensor] : llvm::enumerate(getTensors().getAsRange<scalar::TensorAttr>()))
    if (tensor.getName() == name)
      return i;
  return -1;
}

bool EntryOp::hasDim(StringRef name) {
  return llvm::any_of(getDims().getAsRange<scalar::DimAttr>(),
                      [&](scalar::DimAttr dim) { return dim.getName() == name; });
}

LogicalResult EntryOp::verify() {
  if (getTensors().size() != getTypes().size() || getNumResults() > getTensors().size()) // C1
    return emitOpError("expected one type per tensor and at most that many results");
  llvm::StringSet<> names, dims;
  for (auto dim : getDims().getAsRange<scalar::DimAttr>())
    if (!dims.insert(dim.getName()).second) // C2
      return emitOpError("expected distinct dim names, got '")
             << dim.getName().getValue() << "' twice";
  for (auto tensor : getTensors().getAsRange<scalar::TensorAttr>()) {
    if (!names.insert(tensor.getName()).second) // C2
      return emitOpError("expected distinct tensor names, got '")
             << tensor.getName().getValue() << "' twice";
    for (StringAttr dim : tensor.getFlatDims())
      if (!dims.contains(dim)) // C3
        return emitOpError("expected a declared dim, got '") << dim.getValue() << "'";
  }
  return success();
}

/// The entry that encloses an op, checked for a tensor of that name.
static LogicalResult verifyTensor(Operation *op, StringRef name) {
  auto entry = op->getParentOfType<EntryOp>();
  if (!entry)
    return op->emitOpError("expected to stand in a nautilus_host.entry");
  if (entry.lookupTensor(name) < 0)
    return op->emitOpError("expected a tensor of the entry, got '") << name << "'";
  return success();
}

LogicalResult DimOp::verify() {
  auto entry = (*this)->getParentOfType<EntryOp>();
  if (!entry || !entry.hasDim(getDim()))
    return emitOpError("expected a dim of the entry, got '") << getDim() << "'";
  return success();
}

LogicalResult AddressOp::verify() { return verifyTensor(*this, getTensor()); }

LogicalResult StrideOp::verify() {
  if (failed(verifyTensor(*this, getTensor())))
    return failure();
  auto entry = (*this)->getParentOfType<EntryOp>();
  auto tensor = cast<scalar::TensorAttr>(entry.getTensors()[entry.lookupTensor(getTensor())]);
  if (getIndex() >= tensor.getFlatDims().size())
    return emitOpError("expected a dim inside the tensor's rank, got ") << getIndex();
  return success();
}

LogicalResult MakeTensorMapOp::verify() {
  size_t rank = getDims().size();
  bool boxOk = getBox().size() == rank &&
               llvm::all_of(getBox(), [](int64_t b) { return b >= 1 && b <= 256; });
  if (rank < 1 || rank > 5 || getStrides().size() + 1 != rank || !boxOk) // C1
    return emitOpError(
        "expected rank 1 to 5, one stride per outer dim and box extents of 1 to 256");
  int64_t swizzle = getSwizzle();
  int64_t innerBytes = getBox()[0] * getElementType().getIntOrFloatBitWidth() / 8;
  if (swizzle != 0 && !(llvm::is_contained({32, 64, 128}, swizzle) && innerBytes <= swizzle)) // C2
    return emitOpError("expected swizzle 0, 32, 64 or 128 that spans the inner box of ")
           << innerBytes << " bytes";
  return success();
}

LogicalResult ViewOp::verify() {
  if (bool(getTensor()) == bool(getAddress())) // C1
    return emitOpError("expected a tensor name or an address with extents");
  if (getAddress() && getExtents().size() != size_t(cast<MemRefType>(getType()).getRank()))
    return emitOpError("expected one extent per dim");
  return getTensor() ? verifyTensor(*this, *getTensor()) : success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared checks behind the verifiers of statements and loops.

#include "ScalarVerifiers.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::nautilus::scalar;

LogicalResult checks::verifyAxes(Operation *op, ArrayRef<Attribute> axes) {
  KernelOp kernel = getKernel(op);
  if (!kernel)
    return op->emitOpError("expected to stand in a kernel");
  llvm::SmallDenseSet<StringAttr> seen;
  for (Attribute attr : axes) {
    auto axis = dyn_cast<AxisAttr>(attr);
    if (!axis)
      return op->emitOpError("expected an axis, got ") << attr;
    if (!seen.insert(axis.getName()).second)
      return op->emitOpError("expected distinct axis names, got ") << axis.getName() << " twice";
    if (!kernel.lookupDim(axis.getDim().getValue()))
      return op->emitOpError("expected a dim that the kernel declares for axis ")
             << axis.getName() << ", got " << axis.getDim();
  }
  return success();
}

LogicalResult checks::verifyOrigins(Operation *op, ArrayRef<Attribute> axes,
                                    ArrayRef<bool> originAxes, size_t numOrigins) {
  if (originAxes.size() != axes.size())
    return op->emitOpError("expected one origin_axes bit per axis (")
           << axes.size() << "), got " << originAxes.size();
  if (static_cast<size_t>(llvm::count(originAxes, true)) != numOrigins)
    return op->emitOpError("expected one origin per set bit of origin_axes (")
           << llvm::count(originAxes, true) << "), got " << numOrigins;
  for (auto [attr, hasOrigin] : llvm::zip(axes, originAxes))
    if (hasOrigin && cast<AxisAttr>(attr).getTile() == 0)
      return op->emitOpError("expected a tile for axis ")
             << cast<AxisAttr>(attr).getName() << ", which has an origin, got a whole dim";
  return success();
}

LogicalResult checks::verifyMaps(Operation *op, size_t numAxes, ArrayAttr maps, ValueRange inputs) {
  if (maps.size() != inputs.size())
    return op->emitOpError("expected one indexing map per input (")
           << inputs.size() << "), got " << maps.size();
  for (auto [i, attr, input] : llvm::enumerate(maps, inputs)) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
    if (map.getNumDims() != numAxes || map.getNumSymbols() != 0)
      return op->emitOpError("expected a map over ")
             << numAxes << " axes without symbols for input " << i << ", got "
             << AffineMapAttr::get(map);
    if (map.getNumResults() != rank)
      return op->emitOpError("expected ")
             << rank << " subscripts of input " << i << " (its rank), got " << map.getNumResults();
    if (!llvm::all_of(map.getResults(), [](AffineExpr e) { return e.isPureAffine(); }))
      return op->emitOpError("expected pure affine subscripts of input ")
             << i << ", got " << AffineMapAttr::get(map);
  }
  return success();
}

/// Prints `128` or `?`.
static std::string extentText(int64_t extent) {
  return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
}

LogicalResult checks::verifyExtents(Operation *op, ArrayRef<Attribute> axes, RankedTensorType type,
                                    const Twine &what) {
  if (type.getRank() != static_cast<int64_t>(axes.size()))
    return op->emitOpError("expected rank ")
           << axes.size() << " of " << what << " (one dim per axis), got " << type;
  KernelOp kernel = getKernel(op);
  for (auto [i, attr] : llvm::enumerate(axes)) {
    auto axis = cast<AxisAttr>(attr);
    int64_t expected = getAxisExtent(kernel, axis);
    if (type.getDimSize(i) != expected)
      return op->emitOpError("expected extent ")
             << extentText(expected) << " of " << what << " along axis " << axis.getName()
             << ", got " << extentText(type.getDimSize(i));
  }
  return success();
}

LogicalResult checks::verifyYield(Operation *op, Block &block, ArrayRef<Type> types,
                                  const Twine &what) {
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("expected ") << what << " to end in nautilus_scalar.yield";
  if (!llvm::equal(yield.getOperandTypes(), types))
    return op->emitOpError("expected ")
           << what << " to yield (" << types << "), got (" << yield.getOperandTypes() << ")";
  return success();
}

LogicalResult checks::verifyArguments(Operation *op, Block &block, ArrayRef<Type> types,
                                      const Twine &what) {
  if (!llvm::equal(block.getArgumentTypes(), types))
    return op->emitOpError("expected ") << what << " to have arguments (" << types << "), got ("
                                        << block.getArgumentTypes() << ")";
  return success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of a grid by what their loops read; see the header. The sizes are known at a call only,
// so the answer is computed by the host.

#include "CacheSections.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nautilus/Dialect/Scalar/IR/Scalar.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

namespace {
/// The axes of the grid that an index depends on, and whether it moves in a loop.
struct Dependence {
  llvm::SmallBitVector axes;
  bool onLoop = false;
};

/// Host arithmetic in front of a launch.
class HostSizes {
public:
  HostSizes(OpBuilder &b, host::LaunchOp launch) : b(b), launch(launch), loc(launch.getLoc()) {}

  Value constant(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value atLeastOne(Value x) { return arith::MaxSIOp::create(b, loc, x, constant(1)); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value floorDiv(Value x, Value y) { return arith::FloorDivSIOp::create(b, loc, x, y); }
  /// The extent of a dim of the tensor that the launch passes as that argument.
  Value extent(BlockArgument memref, unsigned dim);
  /// The tiles along an axis.
  Value count(OriginOp origin, unsigned axis);

private:
  OpBuilder &b;
  host::LaunchOp launch;
  Location loc;
};
} // namespace

Value HostSizes::extent(BlockArgument memref, unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  auto view = launch.getArgs()[memref.getArgNumber()].getDefiningOp<host::ViewOp>();
  if (!view)
    return constant(1);
  if (view.getAddress())
    return view.getExtents()[dim];
  auto entry = launch->getParentOfType<host::EntryOp>();
  auto tensor = cast<scalar::TensorAttr>(entry.getTensors()[entry.lookupTensor(*view.getTensor())]);
  return host::DimOp::create(b, loc, b.getI64Type(), tensor.getFlatDims()[dim]);
}

Value HostSizes::count(OriginOp origin, unsigned axis) {
  int64_t tile = origin.getTiles()[axis], extent = origin.getStaticExtents()[axis];
  if (!ShapedType::isDynamic(extent))
    return constant(llvm::divideCeil(extent, tile));
  unsigned position = llvm::count(origin.getStaticExtents().take_front(axis), ShapedType::kDynamic);
  auto arg = dyn_cast<BlockArgument>(origin.getExtents()[position]);
  Value size = arg ? launch.getArgs()[arg.getArgNumber()] : constant(1);
  return arith::CeilDivSIOp::create(b, loc, size, constant(tile));
}

static Dependence findDependence(Value index, OriginOp origin) {
  Dependence found{llvm::SmallBitVector(origin.getNumResults()), false};
  SmallVector<Value> worklist{index};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      found.onLoop |= isa<scf::ForOp>(arg.getOwner()->getParentOp());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (op == origin)
      found.axes.set(cast<OpResult>(value).getResultNumber());
    else if (seen.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
  return found;
}

/// Adds what `stage` reads of its tensor per position to `bytes`, unless that depends on `axis`;
/// the axes that choose the part go to `chosenBy`.
static void addStage(HostSizes &sizes, StageOp stage, OriginOp origin, unsigned axis, Value &bytes,
                     llvm::SmallBitVector &chosenBy) {
  auto memref = dyn_cast<BlockArgument>(stage.getSource());
  if (!memref)
    return;
  SmallVector<unsigned> whole;
  llvm::SmallBitVector axes(origin.getNumResults());
  for (auto [dim, index] : llvm::enumerate(stage.getIndices())) {
    Dependence dependence = findDependence(index, origin);
    axes |= dependence.axes;
    if (dependence.onLoop || llvm::is_contained(stage.getWalk(), int64_t(dim)))
      whole.push_back(dim);
  }
  if (axes.test(axis))
    return;
  int64_t width = cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
  Value part = sizes.constant(std::max<int64_t>(width, 1));
  for (unsigned dim : whole)
    part = sizes.mul(part, sizes.extent(memref, dim));
  bytes = bytes ? sizes.add(bytes, part) : part;
  chosenBy |= axes;
}

Value matile::countCachedPositions(OpBuilder &b, KernelOp kernel, OriginOp origin, unsigned axis,
                                   host::LaunchOp launch, int64_t cacheBytes) {
  HostSizes sizes(b, launch);
  Value bytes, all = sizes.constant(1);
  llvm::SmallBitVector chosenBy(origin.getNumResults());
  llvm::SmallPtrSet<Value, 4> seen;
  kernel.getBody().walk([&](StageOp stage) {
    if (stage->getBlock() != origin->getBlock() && seen.insert(stage.getSource()).second)
      addStage(sizes, stage, origin, axis, bytes, chosenBy);
  });
  for (unsigned other = 0; other < origin.getNumResults(); ++other)
    if (other != axis)
      all = sizes.mul(all, sizes.count(origin, other));
  all = sizes.atLeastOne(all);
  if (!bytes)
    return all;
  Value section =
      sizes.atLeastOne(sizes.floorDiv(sizes.constant(cacheBytes), sizes.atLeastOne(bytes)));
  // Positions along the last axes that choose nothing read the same.
  for (int64_t other = origin.getNumResults() - 1; other >= 0; --other) {
    if (other == axis)
      continue;
    if (chosenBy.test(other))
      break;
    section = sizes.mul(section, sizes.atLeastOne(sizes.count(origin, other)));
  }
  return sizes.min(section, all);
}

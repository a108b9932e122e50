// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses which tile of the grid a block, or an item of a persistent block, works on: long ones
// first, or neighbours together.
//
// Stands after kernels are made persistent, so that both kinds of kernel have one number to map,
// and before channels are made, so that both roles map it alike.

#include "CacheSections.h"
#include "TripCounts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"
#include "nautilus/Machine/Machine.h"
#include <cmath>

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_ORDERITEMSPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;
namespace machine = ::nautilus::machine;

namespace {
/// Items in the order in which they are started: positions along all other axes go in sections, and
/// within a section `axis` is walked slowest, from its end if `reversed`.
struct ItemOrder {
  unsigned axis;
  bool reversed;
  Value section; // index: positions of the other axes
};

/// Index arithmetic of the mapping.
class NumberBuilder {
public:
  NumberBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivUIOp::create(b, loc, x, y); }
  Value rem(Value x, Value y) { return arith::RemUIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinUIOp::create(b, loc, x, y); }

private:
  OpBuilder &b;
  Location loc;
};
} // namespace

/// The tiles along each axis.
static SmallVector<Value> countTiles(NumberBuilder &n, OriginOp origin) {
  SmallVector<Value> counts;
  auto extents = origin.getExtents().begin();
  for (auto [tile, extent] : llvm::zip(origin.getTiles(), origin.getStaticExtents()))
    counts.push_back(ShapedType::isDynamic(extent)
                         ? n.div(n.add(*extents++, n.constant(tile - 1)), n.constant(tile))
                         : n.constant(llvm::divideCeil(extent, tile)));
  return counts;
}

/// Has `origin` stand where item number `item` is in that order.
static void mapOrigin(OriginOp origin, Operation *outermost, const ItemOrder &order) {
  OpBuilder b(outermost);
  NumberBuilder n(b, origin.getLoc());
  SmallVector<Value> counts = countTiles(n, origin);
  Value others = n.constant(1), inner = n.constant(1), count = counts[order.axis];
  for (auto [axis, tiles] : llvm::enumerate(counts)) {
    if (axis == order.axis)
      continue;
    others = n.mul(others, tiles);
    if (axis > order.axis)
      inner = n.mul(inner, tiles);
  }
  Value perSection = n.mul(order.section, count);
  b.setInsertionPoint(origin);
  Value item = origin.getBlock();
  if (!item)
    item = BlockOp::create(b, origin.getLoc()).getNumber();
  Value first = n.mul(n.div(item, perSection), order.section);
  Value within = n.rem(item, perSection);
  Value size = n.min(order.section, n.sub(others, first)); // the last section may be smaller
  Value place = n.div(within, size), other = n.add(first, n.rem(within, size));
  if (order.reversed)
    place = n.sub(n.sub(count, n.constant(1)), place);
  Value number = n.add(n.mul(n.div(other, inner), count), place);
  number = n.add(n.mul(number, inner), n.rem(other, inner));
  origin.getBlockMutable().assign(number);
}

/// Rows and columns that a wave of blocks computes read least when its region is a square: the
/// positions of the axis before `axis` that are worked on together.
static int64_t getGroup(OriginOp origin, unsigned axis, unsigned before,
                        const machine::Machine &target) {
  double tiles = double(target.device().multiprocessors) * double(origin.getTiles()[axis]) /
                 double(origin.getTiles()[before]);
  return std::max<int64_t>(1, std::llround(std::sqrt(tiles)));
}

namespace {
struct OrderItems : matile::impl::OrderItemsPassBase<OrderItems> {
  using OrderItemsPassBase::OrderItemsPassBase;

  void runOnOperation() override;

private:
  bool orderByLength(KernelOp kernel, OriginOp origin, ArrayRef<host::LaunchOp> launches);
  bool orderByGroups(OriginOp origin);
  /// The loop over items of a persistent kernel, else the origin itself.
  static Operation *getOutermost(KernelOp kernel, OriginOp origin);
};
} // namespace

Operation *OrderItems::getOutermost(KernelOp kernel, OriginOp origin) {
  return kernel.getBody().front().findAncestorOpInBlock(*origin);
}

static void refuse(Operation *op, const Twine &reason) {
  remark::missed(op->getLoc(), remark::RemarkOpts::name("ItemOrder").category("Pipelining"))
      << ("tiles are started as they are numbered: " + reason).str();
}

bool OrderItems::orderByLength(KernelOp kernel, OriginOp origin,
                               ArrayRef<host::LaunchOp> launches) {
  Operation *outermost = getOutermost(kernel, origin);
  std::optional<WorkAxis> work = findWorkAxis(kernel, origin, outermost);
  if (!work) {
    refuse(kernel, "no loop is longer for one tile than for another");
    return false;
  }
  if (launches.empty()) {
    refuse(kernel, "no host entry launches it");
    return false;
  }
  int64_t cache = machine::lookup(arch)->device().l2Bytes / 3 * 2;
  Block &body = kernel.getBody().front();
  Value section = body.addArgument(IndexType::get(&getContext()), kernel.getLoc());
  kernel.setFunctionType(FunctionType::get(&getContext(), body.getArgumentTypes(), {}));
  for (host::LaunchOp launch : launches) {
    OpBuilder b(launch);
    launch.getArgsMutable().append(
        countCachedPositions(b, kernel, origin, work->axis, launch, cache));
  }
  mapOrigin(origin, outermost, {work->axis, work->grows, section});
  return true;
}

bool OrderItems::orderByGroups(OriginOp origin) {
  SmallVector<unsigned> wide;
  for (auto [axis, extent] : llvm::enumerate(origin.getStaticExtents()))
    if (ShapedType::isDynamic(extent) || extent > origin.getTiles()[axis])
      wide.push_back(axis);
  auto kernel = origin->getParentOfType<KernelOp>();
  if (wide.size() < 2) {
    refuse(kernel, "its grid has fewer than two axes to group");
    return false;
  }
  unsigned axis = wide.back();
  int64_t group = getGroup(origin, axis, wide[wide.size() - 2], *machine::lookup(arch));
  Operation *outermost = getOutermost(kernel, origin);
  OpBuilder b(outermost);
  Value section = arith::ConstantIndexOp::create(b, origin.getLoc(), group);
  mapOrigin(origin, outermost, {axis, /*reversed=*/false, section});
  return true;
}

void OrderItems::runOnOperation() {
  if (!machine::lookup(arch)) {
    getOperation().emitError("expected one of ") << machine::listNames() << ", got " << arch;
    return signalPassFailure();
  }
  llvm::StringMap<SmallVector<host::LaunchOp>> launches;
  getOperation().walk([&](host::LaunchOp launch) {
    launches[launch.getKernel().getLeafReference()].push_back(launch);
  });
  for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
    scalar::GridOrder wanted = order;
    if (auto options = scalar::LaunchAttr::lookup(kernel);
        options && options.getOrder() != scalar::GridOrder::Natural)
      wanted = options.getOrder();
    if (wanted == scalar::GridOrder::Natural)
      continue;
    OriginOp origin;
    kernel.getBody().walk([&](OriginOp op) { origin = op; });
    if (!origin) {
      refuse(kernel, "it has no grid");
      continue;
    }
    bool done = wanted == scalar::GridOrder::LongestFirst
                    ? orderByLength(kernel, origin, launches[kernel.getSymName()])
                    : orderByGroups(origin);
    numOrdered += done;
  }
}

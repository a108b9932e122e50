// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a kernel of one tile per block into one whose blocks loop over tiles, and bounds the grid
// at the launch.
//
// Stands before channels are made: a stage in the loop over items is a stage in a loop like any
// other, so that channels, their counts and the split into roles need not know of items.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Dialect/MATile/Transforms/Passes.h"

namespace mlir::nautilus::matile {
#define GEN_PASS_DEF_MAKEPERSISTENTPASS
#include "nautilus/Dialect/MATile/Transforms/Passes.h.inc"
} // namespace mlir::nautilus::matile

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::matile;

/// Item numbers are 32 bits on the device, and the last one plus the number of blocks must not
/// overflow.
static constexpr int64_t maxItems = (int64_t(1) << 31) - (int64_t(1) << 16);

/// The one op that says where the block stands, or null.
static OriginOp getOrigin(KernelOp kernel) {
  auto origins = kernel.getBody().getOps<OriginOp>();
  return llvm::hasSingleElement(origins) ? *origins.begin() : OriginOp();
}

/// Why `kernel` stays as it is, or an empty string.
static StringRef getObstacle(KernelOp kernel, ArrayRef<host::LaunchOp> launches) {
  bool stages = false;
  kernel.getBody().walk([&](StageOp) { stages = true; });
  if (!stages)
    return "it stages no tile, so that no copy could run ahead";
  if (!getOrigin(kernel))
    return "it has no grid";
  if (launches.empty())
    return "no host entry launches it";
  return "";
}

/// The number of blocks of the grid that `origin` numbers.
static Value countItems(OpBuilder &b, OriginOp origin) {
  Location loc = origin.getLoc();
  auto constant = [&](int64_t v) { return arith::ConstantIndexOp::create(b, loc, v).getResult(); };
  int64_t known = 1;
  Value items;
  auto extents = origin.getExtents().begin();
  for (auto [tile, extent] : llvm::zip(origin.getTiles(), origin.getStaticExtents())) {
    if (!ShapedType::isDynamic(extent)) {
      known *= llvm::divideCeil(extent, tile);
      continue;
    }
    Value count = *extents++;
    if (tile != 1) {
      count = arith::AddIOp::create(b, loc, count, constant(tile - 1));
      count = arith::DivUIOp::create(b, loc, count, constant(tile));
    }
    items = items ? arith::MulIOp::create(b, loc, items, count).getResult() : count;
  }
  if (!items)
    return constant(known);
  return known == 1 ? items : arith::MulIOp::create(b, loc, items, constant(known)).getResult();
}

/// Whether an op stays in front of the loop over items: scalar work and constants that do not
/// depend on the item.
static bool staysOutside(Operation &op, Block &body) {
  if (!isMemoryEffectFree(&op) || op.getNumRegions() > 0)
    return false;
  bool scalar = llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
  return (scalar || op.hasTrait<OpTrait::ConstantLike>()) &&
         llvm::all_of(op.getOperands(),
                      [&](Value operand) { return operand.getParentBlock() == &body; });
}

/// Moves the body into a loop over the items of this block.
static void loopOverItems(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  OriginOp origin = getOrigin(kernel);
  OpBuilder b(origin);
  Location loc = origin.getLoc();
  auto block = BlockOp::create(b, loc);
  Value items = countItems(b, origin);
  b.setInsertionPoint(body.getTerminator());
  auto loop = scf::ForOp::create(b, loc, block.getNumber(), items, block.getCount());
  Operation *end = loop.getBody()->getTerminator();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (&op == loop)
      break;
    if (&op == origin || !staysOutside(op, body))
      op.moveBefore(end);
  }
  origin.getBlockMutable().assign(loop.getInductionVar());
}

/// At most one block per multiprocessor: the roles' registers, and mostly the slots too, leave no
/// room for a second one.
static void boundGrid(host::LaunchOp launch) {
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  Value items = launch.getGrid();
  Value most = arith::ConstantIntOp::create(b, loc, maxItems, 64);
  Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, items, most);
  host::CheckOp::create(b, loc, fits, "expected at most {1} tiles of work, got {0}",
                        ValueRange{items, most});
  Value multiprocessors = host::MultiprocessorsOp::create(b, loc, b.getI64Type());
  launch.getGridMutable().assign(arith::MinSIOp::create(b, loc, items, multiprocessors));
}

namespace {
struct MakePersistent : matile::impl::MakePersistentPassBase<MakePersistent> {
  using MakePersistentPassBase::MakePersistentPassBase;

  void runOnOperation() override {
    llvm::StringMap<SmallVector<host::LaunchOp>> launches;
    getOperation().walk([&](host::LaunchOp launch) {
      launches[launch.getKernel().getLeafReference()].push_back(launch);
    });
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      auto options = scalar::LaunchAttr::lookup(kernel);
      if (!all && !(options && options.getPersistent()))
        continue;
      ArrayRef<host::LaunchOp> calls = launches[kernel.getSymName()];
      if (StringRef obstacle = getObstacle(kernel, calls); !obstacle.empty()) {
        remark::missed(kernel.getLoc(),
                       remark::RemarkOpts::name("Persistent").category("Pipelining"))
            << ("each block computes one tile: " + obstacle).str();
        continue;
      }
      loopOverItems(kernel);
      llvm::for_each(calls, boundGrid);
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Persistent").category("Pipelining"))
          << "blocks loop over tiles";
      ++numPersistent;
    }
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout assignment; see the header for the idea.

#include "LayoutAssignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::nautilus;
using ::nautilus::layout::RegisterLayout;

static RankedTensorType getTile(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

bool mlir::nautilus::isFreeTile(Value tile) {
  Operation *op = tile.getDefiningOp();
  return op && isa<arith::ConstantOp, vrtile::SplatOp, vrtile::IotaOp>(op);
}

//===-- Classes -------------------------------------------------------------===//

LayoutAssignment::LayoutAssignment(vrtile::KernelOp kernel, const DotPlan &plan) : plan(plan) {
  collect(kernel);
  kernel.getBody().walk([&](vrtile::DotOp dot) {
    // mma.sync spreads its accumulator over a warp's lanes as wgmma does, with warps down the rows
    // likewise.
    RankedTensorType acc = getTile(dot.getAcc());
    if (plan.choose(dot).onTensorCores())
      assign(dot.getResult(), ::nautilus::layout::wgmmaAccumulator(
                                  acc.getDimSize(0), acc.getDimSize(1), plan.getWarps()));
  });
  propagate();
  assignMemoryOrder(kernel);
}

const RegisterLayout &LayoutAssignment::get(Value tile) const {
  return layouts.find(classes.getLeaderValue(tile.getAsOpaquePointer()))->second;
}

void LayoutAssignment::unify(Value a, Value b) {
  if (!getTile(a) || isFreeTile(a) || isFreeTile(b))
    return;
  classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}

void LayoutAssignment::collect(vrtile::KernelOp kernel) {
  kernel.getBody().walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument arg : region.getArguments())
        if (getTile(arg))
          classes.insert(arg.getAsOpaquePointer());
    for (Value result : op->getResults())
      if (getTile(result))
        classes.insert(result.getAsOpaquePointer());
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, arg, yielded, result] :
           llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                     loop.getResults())) {
        unify(arg, result);
        unify(init, arg);
        unify(yielded, arg);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [i, result] : llvm::enumerate(branch.getResults())) {
        unify(branch.thenYield().getOperand(i), result);
        unify(branch.elseYield().getOperand(i), result);
      }
    } else if (auto dot = dyn_cast<vrtile::DotOp>(op)) {
      unify(dot.getAcc(), dot.getResult());
    } else if (isa<vrtile::ReduceOp, vrtile::BroadcastOp, vrtile::TransposeOp>(op)) {
      relations.push_back(op);
      if (auto reduce = dyn_cast<vrtile::ReduceOp>(op)) {
        for (Value input : reduce.getInputs().drop_front())
          unify(input, reduce.getInputs().front());
        for (Value output : reduce.getOutputs().drop_front())
          unify(output, reduce.getOutputs().front());
      }
    } else if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
               op->getNumResults() == 1) {
      for (Value operand : op->getOperands())
        unify(operand, op->getResult(0));
    }
  });
}

//===-- Spreading layouts -----------------------------------------------------===//

void LayoutAssignment::assign(Value tile, const RegisterLayout &layout) {
  if (!isFreeTile(tile))
    layouts.try_emplace(classes.getLeaderValue(tile.getAsOpaquePointer()), layout);
}

/// `layout` of a result of `op` (a broadcast or transpose) as its operand must have it.
static RegisterLayout getOperandLayout(Operation *op, RegisterLayout layout) {
  if (auto transpose = dyn_cast<vrtile::TransposeOp>(op)) {
    SmallVector<int64_t> inverse(transpose.getPermutation().size());
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      inverse[dim] = i;
    return layout.permuteDims(inverse);
  }
  auto broadcast = cast<vrtile::BroadcastOp>(op);
  for (int64_t dim = getTile(broadcast.getResult()).getRank() - 1; dim >= 0; --dim)
    if (!llvm::is_contained(broadcast.getDims(), dim))
      layout = layout.dropDim(dim);
  return layout;
}

void LayoutAssignment::propagate() {
  auto known = [&](Value tile) {
    return !isFreeTile(tile) && layouts.contains(classes.getLeaderValue(tile.getAsOpaquePointer()));
  };
  for (bool changed = true; changed;) {
    size_t before = layouts.size();
    for (Operation *op : relations) {
      Value operand = op->getOperand(0), result = op->getResult(0);
      if (auto reduce = dyn_cast<vrtile::ReduceOp>(op)) {
        if (known(operand))
          assign(result, get(operand).dropDim(reduce.getDim()));
        continue;
      }
      if (known(result))
        assign(operand, getOperandLayout(op, get(result)));
      if (auto transpose = dyn_cast<vrtile::TransposeOp>(op); transpose && known(operand))
        assign(result, get(operand).permuteDims(transpose.getPermutation()));
    }
    changed = layouts.size() != before;
  }
}

void LayoutAssignment::assignMemoryOrder(vrtile::KernelOp kernel) {
  // Highest rank first, so that what a reduction or broadcast needs follows from the larger tile;
  // loads before stores before the rest.
  SmallVector<Value> tiles;
  kernel.getBody().walk([&](Operation *op) {
    if (auto store = dyn_cast<vrtile::StoreOp>(op))
      tiles.push_back(store.getValue());
    for (Value result : op->getResults())
      if (getTile(result))
        tiles.push_back(result);
    for (Region &region : op->getRegions())
      for (BlockArgument arg : region.getArguments())
        if (getTile(arg))
          tiles.push_back(arg);
  });
  llvm::stable_sort(tiles, [](Value a, Value b) {
    auto key = [](Value v) {
      return std::make_pair(-getTile(v).getRank(), v.getDefiningOp<vrtile::LoadOp>() ? 0 : 1);
    };
    return key(a) < key(b);
  });
  for (Value tile : tiles) {
    if (isFreeTile(tile) || layouts.contains(classes.getLeaderValue(tile.getAsOpaquePointer())))
      continue;
    RankedTensorType type = getTile(tile);
    assign(tile, ::nautilus::layout::blockedFor(type.getShape(), plan.getWarps(),
                                                matile::getElementBytes(type.getElementType()),
                                                type.getRank() - 1));
    propagate();
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites one vrtile kernel as a matile kernel under a layout assignment.

#ifndef NAUTILUS_LIB_CONVERSION_VRTILETOMATILE_KERNELREWRITER_H
#define NAUTILUS_LIB_CONVERSION_VRTILETOMATILE_KERNELREWRITER_H

#include "LayoutAssignment.h"
#include "TensorMaps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"

namespace mlir::nautilus {

struct RewriteCounts {
  int64_t tensorCoreDots = 0, plainDots = 0, conversions = 0;
};

class KernelRewriter {
public:
  KernelRewriter(vrtile::KernelOp kernel, OpBuilder &builder, const DotPlan &plan, TensorMaps &maps,
                 RewriteCounts &counts)
      : kernel(kernel), b(builder), plan(plan), maps(maps), counts(counts), warps(plan.getWarps()),
        layouts(kernel, plan) {}

  /// The new kernel, before the old one, which stays for the caller to erase. With `tma` tiles of
  /// products are staged by TMA where its rules can hold; without, all copies are made by threads,
  /// for any strides and alignment.
  FailureOr<matile::KernelOp> rewrite(StringRef name, bool fast);

private:
  using Layout = ::nautilus::layout::RegisterLayout;
  LogicalResult rewriteBlock(Block &block);
  LogicalResult rewriteOp(Operation *op);
  LogicalResult rewriteElementwise(Operation *op);
  LogicalResult rewriteFor(scf::ForOp op);
  LogicalResult rewriteIf(scf::IfOp op);
  LogicalResult rewriteLoad(vrtile::LoadOp op);
  LogicalResult rewriteStore(vrtile::StoreOp op);
  LogicalResult rewriteDot(vrtile::DotOp op);
  LogicalResult rewriteReduce(vrtile::ReduceOp op);

  /// The tile's new value in that layout: itself, made anew, or converted.
  Value inLayout(Value tile, const Layout &layout);
  /// The new value of anything that is not a free tile.
  Value lookup(Value value) { return map.lookup(value); }
  RankedTensorType fragmentType(Value tile) {
    return matile::getFragmentType(
        b.getContext(), cast<RankedTensorType>(tile.getType()).getElementType(), layouts.get(tile));
  }
  Value loadFragment(vrtile::LoadOp op, const Layout &layout);
  /// The load's tile as shape and bounds with the contraction of its products padded to whole
  /// instruction steps.
  struct PaddedLoad {
    SmallVector<int64_t> shape, staticBounds;
  };
  PaddedLoad padContraction(vrtile::LoadOp load);
  /// The tensor map, an argument of the new kernel, between a memref and a buffer.
  Value getMap(Value memref, ArrayRef<int64_t> walk, matile::BufferType buffer);
  Value writeBuffer(Value fragment, matile::BufferType type);
  /// How many registers of a fragment a thread may move at once: those that follow each other along
  /// the tensor's last dim, up to 16 bytes, if the tile starts at a multiple of that many. 1 in the
  /// general variant.
  template <typename OpTy>
  int64_t getVector(OpTy op, Value memref, RankedTensorType tile, const Layout &layout);
  /// The load's tile in shared memory: by TMA if its rules hold, else copied by the warps.
  Value stageLoad(vrtile::LoadOp load, int64_t swizzle);
  /// The buffer of an operand that was staged, looking through transposes, which flip `transpose`;
  /// null otherwise.
  Value getStaged(Value operand, bool &transpose, int64_t swizzle);
  /// A product's operand as a buffer: staged, or written by the warps.
  Value operandBuffer(Value operand, bool &transpose, int64_t swizzle);

  vrtile::KernelOp kernel;
  OpBuilder &b;
  const DotPlan &plan;
  TensorMaps &maps;
  RewriteCounts &counts;
  int64_t warps;
  bool fast = true;
  LayoutAssignment layouts;
  IRMapping map;
  matile::KernelOp result;
  llvm::DenseMap<std::pair<Operation *, int64_t>, Value> staged; // by load and swizzle
};

} // namespace mlir::nautilus

#endif

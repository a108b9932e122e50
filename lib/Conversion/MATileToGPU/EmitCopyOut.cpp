// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of result tiles through shared memory: matrix stores from the instruction's accumulator
// layout, and TMA copies to global memory.
//
// Reference: PTX ISA, stmatrix; cp.async.bulk.tensor.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::nautilus;

/// Whether each run of 8 registers of a warp holds a block of 16 x 16 elements as four 8 x 8
/// matrices, in the order of `stmatrix`.
static bool holdsMatrices(const ::nautilus::layout::RegisterLayout &layout) {
  using Basis = ::nautilus::layout::RegisterLayout::Basis;
  const std::vector<Basis> registers{{0, 1}, {8, 0}, {0, 8}},
      lanes{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  auto bases = ArrayRef(layout.registerBases());
  return layout.shape().size() == 2 && layout.isAdditive() && layout.numRegisters() % 8 == 0 &&
         bases.size() >= 3 && llvm::equal(bases.take_front(3), registers) &&
         llvm::equal(layout.laneBases(), lanes);
}

bool KernelEmitter::storeMatrices(matile::WriteOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  Layout layout = matile::getLayout(type);
  Type element = type.getElementType();
  matile::BufferType buffer = op.getBuffer().getType();
  if (!(element.isF16() || element.isBF16()) || !buffer.getSwizzle() || !holdsMatrices(layout))
    return false;
  for (int64_t r = 0; r < layout.numRegisters(); ++r)
    if (isInside(layout, r))
      return false;
  SmallVector<Value> source(regs(op.getValue()));
  // Each lane names one row of 16 bytes: of the upper, then the lower matrices, left before right.
  Value lane = laneId();
  Value row = add(warpCoordinate(layout, 0), arith::AndIOp::create(b, loc, lane, i32(15)));
  Value column = mul(arith::ShRUIOp::create(b, loc, lane, i32(4)), i32(8));
  column = add(column, warpCoordinate(layout, 1));
  for (int64_t r = 0; r < layout.numRegisters(); r += 8) {
    auto offset = layout.registerOffset(r);
    SmallVector<Value> operands{elementAddress(
        reg(op.getBuffer()), buffer, {add(row, i32(offset[0])), add(column, i32(offset[1]))})};
    for (int64_t pair = 0; pair < 8; pair += 2)
      operands.push_back(packPair(source[r + pair], source[r + pair + 1]));
    ptx("stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};", "r,r,r,r,r,~{memory}",
        operands);
  }
  return true;
}

LogicalResult KernelEmitter::emitCopyOut(matile::CopyOutOp op) {
  matile::BufferType buffer = op.getBuffer().getType();
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threadId(), i32(0));
  auto elected = scf::IfOp::create(b, loc, TypeRange(), isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(elected.thenBlock());
  unsigned rank = op.getIndices().size();
  for (int64_t slab = 0, slabs = buffer.getNumSlabs(); slab < slabs; ++slab) {
    SmallVector<Value> operands{reg(op.getMap()),
                                add(reg(op.getBuffer()), i32(slab * buffer.getSlabStride()))};
    std::string coordinates, constraints = "l,r";
    for (unsigned dim = 0; dim < rank; ++dim) { // innermost first
      Value index = reg(op.getIndices()[rank - 1 - dim]);
      operands.push_back(dim == 0 ? add(index, i32(slab * buffer.getSlabColumns())) : index);
      coordinates += (dim ? ", $" : "$") + std::to_string(2 + dim);
      constraints += ",r";
    }
    ptx("cp.async.bulk.tensor." + std::to_string(rank) +
            "d.global.shared::cta.tile.bulk_group [$0, {" + coordinates + "}], [$1];",
        constraints + ",~{memory}", operands);
  }
  ptx("cp.async.bulk.commit_group;", "~{memory}", {});
  ptx("cp.async.bulk.wait_group.read 0;", "~{memory}", {});
  return success();
}

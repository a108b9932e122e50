// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches, the place in the grid and the roles of warps.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::nautilus;

LogicalResult KernelEmitter::emitFor(scf::ForOp op) {
  SmallVector<Value> inits;
  for (Value init : op.getInitArgs())
    llvm::append_range(inits, regs(init));
  auto loop = scf::ForOp::create(b, loc, reg(op.getLowerBound()), reg(op.getUpperBound()),
                                 reg(op.getStep()), inits);
  set(op.getInductionVar(), loop.getInductionVar());
  ValueRange carried = loop.getRegionIterArgs();
  for (BlockArgument arg : op.getRegionIterArgs()) {
    int64_t count = numRegisters(arg.getType());
    set(arg, llvm::to_vector(carried.take_front(count)));
    carried = carried.drop_front(count);
  }
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (failed(emitBlock(*op.getBody())))
      return failure();
    SmallVector<Value> next;
    for (Value value : op.getBody()->getTerminator()->getOperands())
      llvm::append_range(next, regs(value));
    b.setInsertionPointToEnd(loop.getBody());
    if (!inits.empty() || loop.getBody()->empty() ||
        !loop.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(b, op.getLoc(), next);
  }
  ValueRange results = loop.getResults();
  for (Value result : op.getResults()) {
    int64_t count = numRegisters(result.getType());
    set(result, llvm::to_vector(results.take_front(count)));
    results = results.drop_front(count);
  }
  return success();
}

LogicalResult KernelEmitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.append(numRegisters(type), registerType(type));
  bool withElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, loc, types, reg(op.getCondition()), withElse);
  auto emitSide = [&](Block *from, Block *to) {
    OpBuilder::InsertionGuard guard(b);
    if (to->mightHaveTerminator())
      to->getTerminator()->erase();
    b.setInsertionPointToEnd(to);
    if (failed(emitBlock(*from)))
      return failure();
    SmallVector<Value> yielded;
    for (Value value : from->getTerminator()->getOperands())
      llvm::append_range(yielded, regs(value));
    scf::YieldOp::create(b, op.getLoc(), yielded);
    return success();
  };
  if (failed(emitSide(op.thenBlock(), branch.thenBlock())) ||
      (withElse && failed(emitSide(op.elseBlock(), branch.elseBlock()))))
    return failure();
  ValueRange results = branch.getResults();
  for (Value result : op.getResults()) {
    int64_t count = numRegisters(result.getType());
    set(result, llvm::to_vector(results.take_front(count)));
    results = results.drop_front(count);
  }
  return success();
}

LogicalResult KernelEmitter::emitOrigin(matile::OriginOp op) {
  Value block = op.getBlock() ? reg(op.getBlock())
                              : NVVM::BlockIdXOp::create(b, loc, b.getI32Type()).getResult();
  unsigned dynamic = op.getExtents().size();
  for (int64_t axis = op.getTiles().size() - 1; axis >= 0; --axis) {
    int64_t tile = op.getTiles()[axis], extent = op.getStaticExtents()[axis];
    Value tiles;
    if (ShapedType::isDynamic(extent)) {
      Value last = arith::AddIOp::create(b, loc, reg(op.getExtents()[--dynamic]), i32(tile - 1));
      tiles = arith::DivUIOp::create(b, loc, last, i32(tile));
    } else {
      tiles = i32(llvm::divideCeil(extent, tile));
    }
    Value number = block;
    if (axis > 0) {
      number = arith::RemUIOp::create(b, loc, block, tiles);
      block = arith::DivUIOp::create(b, loc, block, tiles);
    }
    set(op.getOrigins()[axis], mul(number, i32(tile)));
  }
  return success();
}

LogicalResult KernelEmitter::emitWarpSpecialize(matile::WarpSpecializeOp op) {
  Value thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  // Read through a shuffle, so that ptxas knows the role to be the same for all threads of a warp.
  Value group = arith::ShRUIOp::create(b, loc, thread, i32(7));
  group =
      intrinsic("llvm.nvvm.shfl.sync.idx.i32", b.getI32Type(), {i32(-1), group, i32(0), i32(31)});
  Value isProducer = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, group, i32(0));
  auto roles = scf::IfOp::create(b, loc, TypeRange(), isProducer, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(roles.thenBlock());
  voidIntrinsic("llvm.nvvm.setmaxnreg.dec.sync.aligned.u32", {i32(op.getProducerRegisters())});
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, i32(0));
  auto elected = scf::IfOp::create(b, loc, TypeRange(), isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(elected.thenBlock());
  if (failed(emitBlock(op.getProducer().front())))
    return failure();
  b.setInsertionPointToStart(roles.elseBlock());
  loc = op.getLoc();
  voidIntrinsic("llvm.nvvm.setmaxnreg.inc.sync.aligned.u32", {i32(op.getConsumerRegisters())});
  ownWarpgroup = arith::SubIOp::create(b, loc, group, i32(1));
  LogicalResult emitted = emitBlock(op.getConsumer().front());
  ownWarpgroup = {};
  return emitted;
}

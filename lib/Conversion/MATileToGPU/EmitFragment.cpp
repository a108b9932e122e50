// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments to fragments and to shared memory and back: broadcast, iota, layout conversion, write,
// read.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nautilus;

LogicalResult KernelEmitter::emitBroadcast(matile::BroadcastOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType()),
       to = cast<RankedTensorType>(op.getType());
  Layout source = matile::getLayout(from), result = matile::getLayout(to);
  std::map<SmallVector<int64_t>, unsigned> registerAt;
  for (int64_t r = 0; r < source.numRegisters(); ++r) {
    auto at = source.registerOffset(r);
    registerAt[SmallVector<int64_t>(at.begin(), at.end())] = r;
  }
  SmallVector<Value> in(regs(op.getSource())), registers;
  for (int64_t r = 0; r < result.numRegisters(); ++r) {
    auto offset = result.registerOffset(r);
    SmallVector<int64_t> at =
        llvm::map_to_vector(op.getDims(), [&](int64_t dim) { return int64_t(offset[dim]); });
    registers.push_back(in[registerAt.at(at)]);
  }
  set(op.getResult(), registers);
  return success();
}

LogicalResult KernelEmitter::emitIota(matile::IotaOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Layout layout = matile::getLayout(type);
  Type element = registerType(type);
  Value start = reg(op.getStart());
  SmallVector<Value> registers;
  for (int64_t r = 0; r < layout.numRegisters(); ++r) {
    Value value = add(start, coordinate(layout, r, op.getDim()));
    unsigned width = element.getIntOrFloatBitWidth();
    if (width > 32)
      value = arith::ExtSIOp::create(b, loc, element, value);
    else if (width < 32)
      value = arith::TruncIOp::create(b, loc, element, value);
    registers.push_back(value);
  }
  set(op.getResult(), registers);
  return success();
}

//===-- Shared memory -------------------------------------------------------===//

Value KernelEmitter::elementAddress(Value start, matile::BufferType buffer, ArrayRef<Value> at) {
  int64_t bytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
  Value row = i32(0);
  for (auto [dim, index] : llvm::enumerate(at.drop_back()))
    row = dim == 0 ? index : add(mul(row, i32(buffer.getShape()[dim])), index);
  if (!buffer.getSwizzle())
    return add(start, mul(at.size() > 1 ? add(mul(row, i32(buffer.getShape().back())), at.back())
                                        : at.back(),
                          i32(bytes)));
  int64_t columns = buffer.getSlabColumns(), swizzle = buffer.getSwizzle();
  Value slab = arith::DivUIOp::create(b, loc, at.back(), i32(columns));
  Value column = arith::RemUIOp::create(b, loc, at.back(), i32(columns));
  // Address bits above the 16-byte chunk are flipped by the bits three places up, as TMA and wgmma
  // do with the same mode.
  Value offset = add(mul(row, i32(swizzle)), mul(column, i32(bytes)));
  Value pattern = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, offset, i32(3)),
                                        i32(swizzle - 16));
  offset = arith::XOrIOp::create(b, loc, offset, pattern);
  return add(add(start, mul(slab, i32(buffer.getSlabStride()))), offset);
}

Value KernelEmitter::sharedLoad(Value address, Type type) {
  Value pointer =
      LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), address);
  Type stored = type.isInteger(1) ? b.getI8Type() : type;
  Value value = LLVM::LoadOp::create(b, loc, stored, pointer);
  return type.isInteger(1) ? arith::TruncIOp::create(b, loc, type, value).getResult() : value;
}

void KernelEmitter::sharedStore(Value address, Value value, Value predicate) {
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
  auto store = [&] {
    Value pointer =
        LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), 3), address);
    LLVM::StoreOp::create(b, loc, value, pointer);
  };
  if (!predicate)
    return store();
  auto branch = scf::IfOp::create(b, loc, TypeRange(), predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  store();
}

/// All coordinates of a register.
static SmallVector<Value> coordinates(unsigned rank, llvm::function_ref<Value(unsigned)> at) {
  return llvm::map_to_vector(llvm::seq<unsigned>(0, rank), [&](unsigned dim) { return at(dim); });
}

bool KernelEmitter::readsByAsyncProxy() {
  return kernel
      .walk([](Operation *op) {
        auto dot = dyn_cast<matile::DotOp>(op);
        bool async = isa<matile::StartDotOp, matile::CopyOutOp>(op) ||
                     (dot && dot.getKind() == matile::DotKind::Wgmma);
        return async ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult KernelEmitter::emitWrite(matile::WriteOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  Layout layout = matile::getLayout(type);
  SmallVector<Value> source(regs(op.getValue()));
  groupBarrier();
  for (int64_t r = 0, count = storeMatrices(op) ? 0 : layout.numRegisters(); r < count; ++r) {
    auto at = coordinates(type.getRank(), [&](unsigned dim) { return coordinate(layout, r, dim); });
    sharedStore(elementAddress(reg(op.getBuffer()), op.getBuffer().getType(), at), source[r],
                isInside(layout, r));
  }
  // wgmma and TMA read through another proxy than ordinary stores write through.
  if (readsByAsyncProxy())
    ptx("fence.proxy.async.shared::cta;", "~{memory}", {});
  groupBarrier();
  return success();
}

LogicalResult KernelEmitter::emitRead(matile::ReadOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Layout layout = matile::getLayout(type);
  SmallVector<Value> registers;
  for (int64_t r = 0; r < layout.numRegisters(); ++r) {
    auto at = coordinates(type.getRank(), [&](unsigned dim) {
      // A register that overhangs reads the edge: any value inside the buffer does.
      Value index = coordinate(layout, r, dim);
      return isInside(layout, r)
                 ? arith::MinUIOp::create(b, loc, index, i32(type.getDimSize(dim) - 1)).getResult()
                 : index;
    });
    registers.push_back(sharedLoad(
        elementAddress(reg(op.getBuffer()), op.getBuffer().getType(), at), registerType(type)));
  }
  set(op.getResult(), registers);
  return success();
}

//===-- Layout conversion -----------------------------------------------------===//

LogicalResult KernelEmitter::emitConvertLayout(matile::ConvertLayoutOp op) {
  auto fromType = cast<RankedTensorType>(op.getSource().getType()),
       toType = cast<RankedTensorType>(op.getType());
  Layout from = matile::getLayout(fromType), to = matile::getLayout(toType);
  SmallVector<Value> source(regs(op.getSource())), registers;
  auto plan = ::nautilus::layout::planConversion(from, to);
  using Kind = ::nautilus::layout::ConversionPlan::Kind;
  if (plan.kind == Kind::Identity || plan.kind == Kind::RegisterPermute) {
    for (int64_t r = 0; r < to.numRegisters(); ++r)
      registers.push_back(source[plan.kind == Kind::Identity ? r : plan.sourceRegister[r]]);
    set(op.getResult(), registers);
    return success();
  }
  if (!op.getOffset())
    return op.emitError(
        "expected shared scratch memory for a conversion that moves data between threads");
  // Through shared memory, row-major.
  SmallVector<int64_t> shape(fromType.getShape());
  Type element = registerType(fromType);
  auto buffer = matile::BufferType::get(b.getContext(), shape,
                                        element.isInteger(1) ? b.getI8Type() : element, 0);
  Value scratch = add(sharedBase(), i32(*op.getOffset()));
  groupBarrier();
  for (int64_t r = 0; r < from.numRegisters(); ++r) {
    auto at =
        coordinates(fromType.getRank(), [&](unsigned dim) { return coordinate(from, r, dim); });
    sharedStore(elementAddress(scratch, buffer, at), source[r], isInside(from, r));
  }
  groupBarrier();
  for (int64_t r = 0; r < to.numRegisters(); ++r) {
    auto at = coordinates(toType.getRank(), [&](unsigned dim) {
      Value index = coordinate(to, r, dim);
      return isInside(to, r)
                 ? arith::MinUIOp::create(b, loc, index, i32(toType.getDimSize(dim) - 1))
                       .getResult()
                 : index;
    });
    registers.push_back(sharedLoad(elementAddress(scratch, buffer, at), registerType(toType)));
  }
  set(op.getResult(), registers);
  return success();
}

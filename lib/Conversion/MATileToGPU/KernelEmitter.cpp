// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel emitter's frame: the function and its parameters, and the dispatch of ops to their
// families.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nautilus;

/// Dynamic shared memory starts at this external symbol; 1024 is what a 128-byte swizzle pattern
/// repeats over.
static constexpr llvm::StringLiteral sharedSymbol = "nautilus_shared";

static LLVM::GlobalOp getSharedMemory(OpBuilder &b, Location loc, Operation *symbolTable) {
  if (auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
          symbolTable, b.getStringAttr(sharedSymbol)))
    return global;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&symbolTable->getRegion(0).front());
  return LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                /*isConstant=*/false, LLVM::Linkage::External, sharedSymbol,
                                Attribute(), /*alignment=*/1024,
                                /*addrSpace=*/3);
}

LLVM::LLVMFuncOp KernelEmitter::createFunction() {
  MLIRContext *ctx = b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(ctx), global = LLVM::LLVMPointerType::get(ctx, 1);
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    if (auto memref = dyn_cast<MemRefType>(type)) {
      types.push_back(global);
      types.append(memref.getRank(), b.getI64Type());
    } else {
      types.push_back(isa<host::TensorMapType>(type) ? pointer : b.getI32Type());
    }
  }
  auto function =
      LLVM::LLVMFuncOp::create(b, loc, kernel.getSymName(),
                               LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ctx), types));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                    b.getDenseI32ArrayAttr(int32_t(kernel.getNumThreads())));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
  Block *entry = function.addEntryBlock(b);
  unsigned next = 0;
  for (BlockArgument arg : kernel.getBody().getArguments()) {
    if (auto memref = dyn_cast<MemRefType>(arg.getType())) {
      MemRef &ref = memrefs[arg];
      ref.pointer = entry->getArgument(next++);
      for (int64_t dim = 0; dim < memref.getRank(); ++dim)
        ref.strides.push_back(entry->getArgument(next++));
      continue;
    }
    if (isa<host::TensorMapType>(arg.getType())) {
      function.setArgAttr(next, LLVM::LLVMDialect::getByValAttrName(),
                          TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), 128)));
      function.setArgAttr(next, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
      function.setArgAttr(next, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
    }
    set(arg, entry->getArgument(next++));
  }
  return function;
}

FailureOr<LLVM::LLVMFuncOp> KernelEmitter::emit() {
  OpBuilder::InsertionGuard guard(b);
  LLVM::LLVMFuncOp function = createFunction();
  b.setInsertionPointToEnd(&function.getBody().front());
  // Strides that the memref type knows are constants.
  for (auto &[arg, ref] : memrefs) {
    auto [strides, offset] = cast<MemRefType>(arg.getType()).getStridesAndOffset();
    for (auto [dim, stride] : llvm::enumerate(strides))
      if (!ShapedType::isDynamic(stride))
        ref.strides[dim] = i64(stride);
  }
  if (kernel.getSharedBytes().value_or(0) > 0) {
    LLVM::GlobalOp shared = getSharedMemory(b, loc, function->getParentOp());
    base =
        LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), LLVM::AddressOfOp::create(b, loc, shared));
  }
  initChannels();
  if (failed(emitBlock(kernel.getBody().front())))
    return failure();
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return function;
}

LogicalResult KernelEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult KernelEmitter::emitOp(Operation *op) {
  loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<matile::ReturnOp, scf::YieldOp, matile::CreateChannelOp>([](auto) { return success(); })
      .Case<arith::ConstantOp>([&](auto o) { return emitConstant(o); })
      .Case<arith::TruncFOp>([&](auto o) { return emitTruncate(o); })
      .Case<scf::ForOp>([&](auto o) { return emitFor(o); })
      .Case<scf::IfOp>([&](auto o) { return emitIf(o); })
      .Case<matile::OriginOp>([&](auto o) { return emitOrigin(o); })
      .Case<matile::BlockOp>([&](matile::BlockOp o) {
        set(o.getNumber(), NVVM::BlockIdXOp::create(b, loc, b.getI32Type()).getResult());
        set(o.getCount(), NVVM::GridDimXOp::create(b, loc, b.getI32Type()).getResult());
        return success();
      })
      .Case<matile::WarpSpecializeOp>([&](auto o) { return emitWarpSpecialize(o); })
      .Case<matile::LoadOp>([&](auto o) { return emitLoad(o); })
      .Case<matile::StoreOp>([&](auto o) { return emitStore(o); })
      .Case<matile::PutOp>([&](auto o) { return emitPut(o); })
      .Case<matile::GetOp>([&](auto o) { return emitGet(o); })
      .Case<matile::ReleaseOp>([&](auto o) { return emitRelease(o); })
      .Case<matile::AllocOp>([&](matile::AllocOp o) {
        set(o.getBuffer(), add(sharedBase(), i32(*o.getOffset())));
        return success();
      })
      .Case<matile::DotOp>([&](auto o) { return emitDot(o); })
      .Case<matile::StartDotOp>([&](auto o) { return emitStartDot(o); })
      .Case<matile::WaitDotOp>([&](auto o) { return emitWaitDot(o); })
      .Case<matile::WaitGroupsOp>([&](matile::WaitGroupsOp o) {
        ptx("wgmma.wait_group.sync.aligned " + std::to_string(o.getPending()) + ";", "~{memory}",
            {});
        return success();
      })
      .Case<matile::ReduceOp>([&](auto o) { return emitReduce(o); })
      .Case<matile::BroadcastOp>([&](auto o) { return emitBroadcast(o); })
      .Case<matile::IotaOp>([&](auto o) { return emitIota(o); })
      .Case<matile::ConvertLayoutOp>([&](auto o) { return emitConvertLayout(o); })
      .Case<matile::WriteOp>([&](auto o) { return emitWrite(o); })
      .Case<matile::CopyOutOp>([&](auto o) { return emitCopyOut(o); })
      .Case<matile::ReadOp>([&](auto o) { return emitRead(o); })
      .Case<matile::TransposeOp>([&](matile::TransposeOp o) {
        set(o.getResult(), SmallVector<Value>(regs(o.getSource())));
        return success();
      })
      .Case<matile::SplatOp>([&](matile::SplatOp o) {
        set(o.getResult(), SmallVector<Value>(numRegisters(o.getType()), reg(o.getValue())));
        return success();
      })
      .Default([&](Operation *o) { return emitElementwise(o); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns one nautilus_matile kernel into an llvm.func: tiles become one SSA value per register of a
// thread.
//
// The emitter walks the kernel once, in order, with a map from each tile value to its registers. It
// does not use the dialect conversion driver: a tile becomes tens to hundreds of values, thread
// coordinates are shared by all ops of a region, and a straight walk keeps both cheap. What it
// emits is llvm, nvvm, arith, math and scf on scalars; upstream's conversions take it from there.
//
// Representation of values:
//   fragment     one scalar per kept register of its layout, in register order
//   index        i32 (the host entry checks that extents fit); addresses are 64 bits
//   8-bit float  i8 (EmitFloat8.cpp)
//   buffer       one i32, its address in shared memory
//   memref       a pointer and one stride per dim (see MemRef)
//   tensor map   a pointer to the 128-byte parameter

#ifndef NAUTILUS_LIB_CONVERSION_MATILETOGPU_KERNELEMITTER_H
#define NAUTILUS_LIB_CONVERSION_MATILETOGPU_KERNELEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace mlir::nautilus {

class KernelEmitter {
public:
  KernelEmitter(matile::KernelOp kernel, OpBuilder &builder)
      : kernel(kernel), b(builder), loc(kernel.getLoc()) {}

  /// The function, made at the builder's insertion point; failure after a diagnostic.
  FailureOr<LLVM::LLVMFuncOp> emit();

private:
  using Layout = ::nautilus::layout::RegisterLayout;
  struct MemRef {
    Value pointer;
    SmallVector<Value> strides; // i64, in elements
  };
  struct Channel {
    int64_t slots, offset, barriers;
    matile::BufferType buffer;
  };

  //===-- Values ------------------------------------------------------------===//
  ArrayRef<Value> regs(Value tile) { return values.find(tile)->second; }
  Value reg(Value scalar) { return regs(scalar).front(); }
  void set(Value value, ArrayRef<Value> registers) {
    values[value].assign(registers.begin(), registers.end());
  }
  /// The type of one register of a value of that type.
  Type registerType(Type type);
  /// Number of registers of a value of that type.
  int64_t numRegisters(Type type);

  //===-- Building blocks (KernelEmitterBlocks.cpp) --------------------------===//
  Value i32(int64_t value);
  /// A constant as it lies in a register: indices and 8-bit floats have other types there.
  Value constant(TypedAttr value);
  Value i64(int64_t value);
  Value add(Value x, Value y);
  Value mul(Value x, Value y);
  Value toI64(Value x);
  /// Inline PTX; results are the registers of its outputs.
  SmallVector<Value> ptx(StringRef text, StringRef constraints, ValueRange operands,
                         TypeRange results = {}, bool sideEffects = true);
  Value intrinsic(StringRef name, Type result, ValueRange operands);
  void voidIntrinsic(StringRef name, ValueRange operands = {});
  Value threadId();
  Value laneId();
  Value warpId();
  /// The number of this computing warpgroup, known to ptxas to be the same for all of a warp.
  Value warpgroup();
  /// All warps that hold fragments meet.
  void groupBarrier();
  /// Contribution of this thread to coordinate `dim` of a layout.
  Value threadCoordinate(const Layout &layout, unsigned dim);
  /// Contribution of this thread's warp to coordinate `dim`.
  Value warpCoordinate(const Layout &layout, unsigned dim);
  /// Coordinate `dim` of a register of this thread.
  Value coordinate(const Layout &layout, unsigned reg, unsigned dim);
  /// True for the one thread among those that repeat the data of others; null if none repeats.
  Value isOwner(const Layout &layout);
  /// Whether register `reg` lies inside the tile for this thread; null if it does for all threads.
  Value isInside(const Layout &layout, unsigned reg);
  Value sharedBase();

  //===-- Op families, one file each -----------------------------------------===//
  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation *op);
  LogicalResult emitElementwise(Operation *op);                  // EmitElementwise.cpp
  LogicalResult emitPerRegister(Operation *op);                  // EmitElementwise.cpp
  LogicalResult emitConstant(arith::ConstantOp op);              // EmitElementwise.cpp
  LogicalResult emitTruncate(arith::TruncFOp op);                // EmitElementwise.cpp
  LogicalResult emitFloat8(Operation *op);                       // EmitFloat8.cpp
  LogicalResult emitFor(scf::ForOp op);                          // EmitControl.cpp
  LogicalResult emitIf(scf::IfOp op);                            // EmitControl.cpp
  LogicalResult emitOrigin(matile::OriginOp op);                 // EmitControl.cpp
  LogicalResult emitWarpSpecialize(matile::WarpSpecializeOp op); // EmitControl.cpp
  LogicalResult emitLoad(matile::LoadOp op);                     // EmitGlobal.cpp
  LogicalResult emitStore(matile::StoreOp op);                   // EmitGlobal.cpp
  void initChannels();                                           // EmitChannel.cpp
  LogicalResult emitPut(matile::PutOp op);                       // EmitChannel.cpp
  LogicalResult emitGet(matile::GetOp op);                       // EmitChannel.cpp
  LogicalResult emitRelease(matile::ReleaseOp op);               // EmitChannel.cpp
  LogicalResult emitDot(matile::DotOp op);                       // EmitDot.cpp
  LogicalResult emitStartDot(matile::StartDotOp op);             // EmitDot.cpp
  LogicalResult emitWaitDot(matile::WaitDotOp op);               // EmitDot.cpp
  LogicalResult emitReduce(matile::ReduceOp op);                 // EmitReduce.cpp
  LogicalResult emitBroadcast(matile::BroadcastOp op);           // EmitFragment.cpp
  LogicalResult emitIota(matile::IotaOp op);                     // EmitFragment.cpp
  LogicalResult emitConvertLayout(matile::ConvertLayoutOp op);   // EmitFragment.cpp
  LogicalResult emitWrite(matile::WriteOp op);                   // EmitFragment.cpp
  LogicalResult emitCopyOut(matile::CopyOutOp op);               // EmitCopyOut.cpp
  LogicalResult emitRead(matile::ReadOp op);                     // EmitFragment.cpp

  //===-- Details of families -------------------------------------------------===//
  struct Slot {
    Value index, phase;
  };
  Slot slotOf(const Channel &channel, Value count);
  Value barrier(const Channel &channel, Value slot, bool full);
  void waitBarrier(Value address, Value parity);
  /// Shared-memory address of an element of a buffer.
  Value elementAddress(Value base, matile::BufferType buffer, ArrayRef<Value> coordinates);
  /// Writes whole 8 x 8 matrices where the fragment holds such; false if it does not.
  bool storeMatrices(matile::WriteOp op);
  Value sharedLoad(Value address, Type type);
  void sharedStore(Value address, Value value, Value predicate);
  struct GlobalAccess {
    Value memref;
    ValueRange indices;
    ArrayRef<int64_t> walk, staticBounds;
    ValueRange bounds;
  };
  struct ElementAddress {
    Value pointer, predicate; // predicate may be null: always
  };
  Value boundOf(const GlobalAccess &access, unsigned dim);
  /// Where each register of the fragment lives, and whether it may be touched.
  SmallVector<ElementAddress> elementAddresses(const GlobalAccess &access, RankedTensorType tile);
  SmallVector<Value> globalLoad(Value pointer, Type element, ArrayRef<Value> otherwise,
                                Value predicate);
  void globalStore(Value pointer, ArrayRef<Value> values, Value predicate);
  /// Clones a combiner on two tuples of scalars.
  SmallVector<Value> combine(Region &combiner, ArrayRef<Value> left, ArrayRef<Value> right);
  Value shuffleXor(Value value, int64_t mask);
  void reduceAcrossWarps(matile::ReduceOp op, const Layout &in,
                         SmallVectorImpl<SmallVector<Value>> &partial, ArrayRef<Value> identities);
  /// Issues the wgmma instructions of a product and closes the group; the accumulators in flight.
  SmallVector<Value> issueWgmma(Value lhs, Value rhs, Value acc, bool transposeLhs,
                                bool transposeRhs);
  SmallVector<Value> waitWgmma(ArrayRef<Value> accumulators, int64_t pending);
  LogicalResult emitFmaDot(matile::DotOp op);
  void emitMmaSync(matile::DotOp op);
  Value packPair(Value low, Value high);
  static bool isFloat8(Type type);
  SmallVector<Value> extendFloat8(Type from, ArrayRef<Value> bytes, Type to);
  SmallVector<Value> truncateToFloat8(ArrayRef<Value> values, Type to);

  /// Whether an instruction of the kernel reads shared memory through the asynchronous proxy
  /// (wgmma).
  bool readsByAsyncProxy();
  LLVM::LLVMFuncOp createFunction();

  matile::KernelOp kernel;
  OpBuilder &b;
  Location loc;
  DenseMap<Value, SmallVector<Value>> values;
  DenseMap<Value, MemRef> memrefs;
  DenseMap<Value, Channel> channels;
  Value base;         // of dynamic shared memory
  Value ownWarpgroup; // of the computing warps, where they have their own part of the kernel
};

} // namespace mlir::nautilus

#endif

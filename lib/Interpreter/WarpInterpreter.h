// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one warp of a `nautilus_matile.kernel` as the device would: what it keeps of a fragment are
// the registers of its 32 lanes, as the fragment's layout says; a buffer is an address in shared
// memory. Products read shared memory through decoded matrix descriptors, and a product in flight
// is poison until it has been waited for.
//
// It does what the emitted code does (lib/Conversion/MATileToGPU) without sharing code with it,
// except for the arithmetic of nautilus/Layout.

#ifndef NAUTILUS_LIB_INTERPRETER_WARPINTERPRETER_H
#define NAUTILUS_LIB_INTERPRETER_WARPINTERPRETER_H

#include "BodyProgram.h"
#include "StructuredInterpreter.h"
#include "ThreadBlock.h"
#include "TileOps.h"

namespace mlir::nautilus::interpreter {

class WarpInterpreter : public StructuredInterpreter {
public:
  /// `warp` numbers the warps that hold fragments; the producer's is `producer`.
  WarpInterpreter(Mode mode, int64_t warp) : StructuredInterpreter(mode), warp(warp) {}
  static constexpr int64_t producer = -1;

  LogicalResult run(ThreadBlock &inBlock, ArrayRef<RuntimeValue> arguments);
  /// After the block has run: whether this warp got everything that was put.
  LogicalResult checkGets();

private:
  static constexpr int64_t numLanes = 32;

  /// Where the registers of this warp lie in the tile.
  struct Fragment {
    ::nautilus::layout::RegisterLayout layout;
    ElementKind kind;
    SmallVector<int64_t> shape;
    int64_t numRegisters;
    /// Coordinates by [register][lane][dim].
    std::vector<int64_t> coordinates;
    /// By [register][lane]: not in the padding of the layout.
    std::vector<bool> inside;

    size_t rank() const { return shape.size(); }
    const int64_t *at(int64_t reg, int64_t lane) const {
      return coordinates.data() + (reg * numLanes + lane) * rank();
    }
    bool isInside(int64_t reg, int64_t lane) const { return inside[reg * numLanes + lane]; }
    /// Poison in every register.
    Tensor make() const;
  };
  const Fragment &fragment(Type type);
  SmallVector<int64_t> storageShape(RankedTensorType type) override {
    return {fragment(type).numRegisters, numLanes};
  }

  std::optional<LogicalResult> runLevelOp(Operation &op) override;
  std::optional<LogicalResult> runFragmentOp(Operation &op);
  LogicalResult runOrigin(matile::OriginOp op);

  //===-- Shared memory and channels (WarpChannels.cpp) ----------------------===//
  /// Waits for the other computing warps.
  LogicalResult meet(Operation *op);
  LogicalResult waitBarrier(Operation *op, int64_t address, int64_t round, const Twine &what);
  LogicalResult runPut(matile::PutOp op);
  LogicalResult runGet(matile::GetOp op);
  LogicalResult runRelease(matile::ReleaseOp op);
  Accessor self() const { return {warp, block->meetings}; }
  /// Whether this warp may read the buffer now.
  LogicalResult checkHeld(Operation *op, Value buffer);

  //===-- Memory (WarpMemory.cpp) ---------------------------------------------===//
  template <typename AccessOp> TileAccess accessOf(AccessOp op);
  /// Calls `visit(register, lane, position)` for each element of the access that `fragment` holds
  /// and that lies inside the bounds; `position` is in the storage.
  template <typename AccessOp, typename Visit>
  LogicalResult forEachElement(AccessOp op, Value memref, const Fragment &fragment, Visit visit);
  LogicalResult runLoad(matile::LoadOp op);
  LogicalResult runStore(matile::StoreOp op);
  LogicalResult runRead(matile::ReadOp op);
  LogicalResult runWrite(matile::WriteOp op);
  LogicalResult runCopyOut(matile::CopyOutOp op);
  LogicalResult copyToShared(Operation *op, const Tensor &registers, const Fragment &fragment,
                             const ::nautilus::layout::SharedLayout &tile, int64_t address);
  LogicalResult copyFromShared(Operation *op, Tensor &registers, const Fragment &fragment,
                               const ::nautilus::layout::SharedLayout &tile, int64_t address);

  //===-- Fragments (WarpFragments.cpp) ---------------------------------------===//
  LogicalResult runConvertLayout(matile::ConvertLayoutOp op);
  LogicalResult runReduce(matile::ReduceOp op);
  LogicalResult reduceAcrossWarps(matile::ReduceOp op, const Fragment &input,
                                  std::vector<Tensor> &partial, TupleCombiner &combiner);
  LogicalResult runBroadcast(matile::BroadcastOp op);
  void runIota(matile::IotaOp op);

  //===-- Products (WarpProducts.cpp) -----------------------------------------===//
  LogicalResult runDot(matile::DotOp op);
  LogicalResult runStartDot(matile::StartDotOp op);
  LogicalResult runWaitDot(matile::WaitDotOp op);
  void runWaitGroups(matile::WaitGroupsOp op);
  /// acc + lhs * rhs by the instructions of a warpgroup (wgmma) or of a warp (mma.sync).
  template <typename DotLike>
  FailureOr<Tensor> runTensorCores(DotLike op, const Tensor &acc, bool wgmma);
  LogicalResult readLeft(Operation *op, Value lhs, bool transpose, bool wgmma, int64_t tile,
                         int64_t step, int64_t numSteps, std::vector<double> &into);
  LogicalResult readRight(Operation *op, Value rhs, bool transpose, bool wgmma, int64_t step,
                          int64_t numColumns, std::vector<double> &into);
  FailureOr<Tensor> runFma(matile::DotOp op);

  const int64_t warp;
  ThreadBlock *block = nullptr;
  llvm::DenseMap<Type, std::unique_ptr<Fragment>> fragments;
  llvm::DenseMap<Operation *, std::unique_ptr<BodyProgram>> combiners;
  /// The count by which a slot of a channel is held.
  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> held;
  llvm::DenseMap<Value, int64_t> numGets;
  int64_t groupsStarted = 0, groupsDone = 0;
};

/// Runs all blocks of a launch, the warps of each block interleaved as `seed` chooses.
LogicalResult runThreadBlocks(matile::KernelOp kernel, Mode mode, ArrayRef<RuntimeValue> arguments,
                              int64_t numBlocks, uint64_t seed);

} // namespace mlir::nautilus::interpreter

#endif

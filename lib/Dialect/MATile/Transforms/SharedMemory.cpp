// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of shared memory by use; see the header.

#include "SharedMemory.h"
#include "nautilus/Layout/Layout.h"

using namespace mlir;
using namespace mlir::nautilus;
using ::nautilus::layout::ConversionPlan;

/// Bytes of scratch that a layout conversion needs.
int64_t matile::getScratch(ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType()),
       to = cast<RankedTensorType>(op.getType());
  if (::nautilus::layout::planConversion(getLayout(from), getLayout(to)).kind !=
      ConversionPlan::Kind::Shared)
    return 0;
  return from.getNumElements() * getElementBytes(from.getElementType());
}

/// Bytes of scratch that a reduction needs: none unless several warps hold parts of one result.
int64_t matile::getScratch(ReduceOp op, int64_t warps) {
  auto layout = getLayout(cast<RankedTensorType>(op.getInputs()[0].getType()));
  bool across =
      llvm::any_of(layout.warpBases(), [&](const auto &basis) { return basis[op.getDim()] != 0; });
  return across ? 8 * 32 * warps * int64_t(op.getInputs().size()) *
                      layout.dropDim(op.getDim()).numRegisters()
                : 0;
}

int64_t matile::getScratch(KernelOp kernel) {
  int64_t scratch = 0;
  kernel.walk([&](ConvertLayoutOp op) { scratch = std::max(scratch, getScratch(op)); });
  kernel.walk([&](ReduceOp op) { scratch = std::max(scratch, getScratch(op, kernel.getWarps())); });
  return scratch;
}

int64_t matile::getSharedBesidesChannels(KernelOp kernel) {
  int64_t bytes = llvm::alignTo(getScratch(kernel), 1024);
  kernel.walk(
      [&](AllocOp op) { bytes += llvm::alignTo(op.getBuffer().getType().getSizeInBytes(), 1024); });
  return bytes;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers and shared memory of a block, as the conversion to nautilus_matile lays them out:
// operands of products that come from memory are staged in shared memory, all other tiles are
// fragments in registers.

#include "Evaluate.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::schedule;

/// Addresses, counters, masks and what the register allocator loses.
static constexpr int64_t kPlainRegisters = 16, kStagedRegisters = 28;

/// Bytes of a staged tile of 16-bit elements: slabs of 128 bytes.
static int64_t getSwizzledBytes(int64_t outer, int64_t inner) {
  return outer * int64_t(llvm::alignTo(inner, 64)) * 2;
}

int64_t KernelEvaluator::estimateSharedBytes(int64_t stages) const {
  int64_t bytes = 0;
  for (const DotItem &dot : kernel.dots) {
    DotForm form = getForm(dot);
    bool isStaged = form.onTensorCores;
    auto take = [&](int64_t outer, int64_t inner, bool isLoaded, bool isLeft) {
      if (!isLoaded && isLeft && isStaged)
        return; // an operand in registers
      int64_t size = isStaged ? getSwizzledBytes(outer, inner)
                              : outer * inner * std::max<int64_t>(dot.operandBits, 32) / 8;
      bool isInLoop = llvm::any_of(dot.path, [&](unsigned loop) {
        unsigned axis = profile.state.loops[loop].axis;
        const Span &side = dot.spans[isLeft ? dot.rows : dot.columns];
        return side.axis == axis || dot.spans[dot.depth].axis == axis;
      });
      bytes += llvm::alignTo(size, 1024) * (isLoaded && isStaged && isInLoop ? stages : 1);
      bytes += isStaged && isLoaded ? 16 * stages : 0;
    };
    auto takeAlong = [&](int64_t side, bool isAlongDepth, bool isLoaded, bool isLeft) {
      take(isAlongDepth ? side : form.k, isAlongDepth ? form.k : side, isLoaded, isLeft);
    };
    takeAlong(form.m, dot.isLeftAlongDepth, dot.isLeftLoaded, true);
    takeAlong(form.n, dot.isRightAlongDepth, dot.isRightLoaded, false);
  }
  return bytes;
}

int64_t KernelEvaluator::getOperandRegisters() const {
  int64_t registers = 0;
  for (const DotItem &dot : kernel.dots)
    if (isOnTensorCores(dot, warps) && !dot.isLeftLoaded) {
      DotForm form = getForm(dot);
      registers = std::max(registers, form.m * form.k / 2 / (warps * machine.warpSize));
    }
  return registers;
}

int64_t KernelEvaluator::estimateRegisters() const {
  int64_t threads = warps * machine.warpSize;
  bool hasTensor =
      llvm::any_of(kernel.dots, [&](const DotItem &dot) { return isOnTensorCores(dot, warps); });
  auto getRegisters = [&](const Spans &spans, int64_t bits) {
    int64_t wide = 0;
    for (const Span &span : spans)
      wide += getPoints(span) > 1;
    // In a product's layout a row is spread over four lanes, and so each of them has its value.
    int64_t copies = hasTensor && wide < 2 ? 4 : 1;
    int64_t elements = llvm::divideCeil(getPoints(spans) * copies, threads);
    return int64_t(llvm::divideCeil(elements * std::max<int64_t>(bits, 16), 32));
  };
  int64_t peak = 0;
  for (unsigned place = 0; place < kernel.numStatements; ++place) {
    int64_t live = 0, dying = 0, made = 0;
    for (const ValueItem &value : kernel.values) {
      int64_t registers = getRegisters(value.spans, value.bits);
      if (value.first == place)
        (value.isCarried || value.isScratch ? live : made) += registers;
      else if (value.first < place && value.last > place)
        live += registers;
      else if (value.first < place && value.last == place)
        dying += registers;
    }
    peak = std::max(peak, live + std::max(dying, made));
  }
  int64_t loads = 0;
  for (const MemoryItem &item : kernel.memory)
    if (!item.isWrite && !(item.isOperand && hasTensor))
      loads += getRegisters(item.spans, item.bits);
  int64_t total = peak + loads + (hasTensor ? kStagedRegisters : kPlainRegisters);
  return llvm::alignTo(total, machine.registerGranularity);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments to fragments: layout conversion, reduction, broadcast, iota. Data crosses lanes by
// shuffles and warps through scratch in shared memory only.

#include "WarpInterpreter.h"

#include <map>

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;
using ::nautilus::layout::ConversionPlan;
using ::nautilus::layout::RegisterLayout;
using ::nautilus::layout::SharedLayout;

LogicalResult WarpInterpreter::runConvertLayout(matile::ConvertLayoutOp op) {
  const Fragment &to = fragment(op.getType()), &from = fragment(op.getSource().getType());
  const Tensor &source = tile(op.getSource());
  Tensor registers = to.make();
  ConversionPlan plan = ::nautilus::layout::planConversion(from.layout, to.layout);
  if (plan.kind != ConversionPlan::Kind::Shared) {
    for (int64_t reg = 0; reg < to.numRegisters; ++reg) {
      int64_t other = plan.kind == ConversionPlan::Kind::Identity ? reg : plan.sourceRegister[reg];
      std::copy_n(source.data.begin() + other * numLanes, numLanes,
                  registers.data.begin() + reg * numLanes);
    }
    setTile(op.getResult(), std::move(registers));
    return success();
  }
  if (!op.getOffset())
    return op.emitError("expected scratch in shared memory");
  int64_t columns = to.shape.back(), rows = 1;
  for (int64_t extent : ArrayRef(to.shape).drop_back())
    rows *= extent;
  auto scratch = SharedLayout::rowMajor(rows, columns, SharedMemory::bytesOf(to.kind));
  if (failed(meet(op)) || failed(copyToShared(op, source, from, scratch, *op.getOffset())) ||
      failed(meet(op)) || failed(copyFromShared(op, registers, to, scratch, *op.getOffset())))
    return failure();
  setTile(op.getResult(), std::move(registers));
  return success();
}

/// Registers of a layout by the offset that they add to a thread's coordinates.
static std::map<SmallVector<int64_t>, int64_t> registersByOffset(const RegisterLayout &layout) {
  std::map<SmallVector<int64_t>, int64_t> result;
  for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
    result.try_emplace(layout.registerOffset(reg), reg);
  return result;
}

LogicalResult WarpInterpreter::runBroadcast(matile::BroadcastOp op) {
  const Fragment &to = fragment(op.getType()), &from = fragment(op.getSource().getType());
  const Tensor &source = tile(op.getSource());
  auto registerAt = registersByOffset(from.layout);
  Tensor registers = to.make();
  for (int64_t reg = 0; reg < to.numRegisters; ++reg) {
    SmallVector<int64_t> offset = to.layout.registerOffset(reg), kept;
    for (int64_t dim : op.getDims())
      kept.push_back(offset[dim]);
    auto it = registerAt.find(kept);
    if (it == registerAt.end())
      return op.emitError("no register of the operand holds what register ") << reg << " wants";
    std::copy_n(source.data.begin() + it->second * numLanes, numLanes,
                registers.data.begin() + reg * numLanes);
  }
  setTile(op.getResult(), std::move(registers));
  return success();
}

void WarpInterpreter::runIota(matile::IotaOp op) {
  const Fragment &to = fragment(op.getType());
  Tensor registers = to.make();
  for (int64_t reg = 0; reg < to.numRegisters; ++reg)
    for (int64_t lane = 0; lane < numLanes; ++lane)
      registers.data[reg * numLanes + lane].i =
          wrapToKind(to.kind, integer(op.getStart()) + to.at(reg, lane)[op.getDim()]);
  setTile(op.getResult(), std::move(registers));
}

//===-- Reductions --------------------------------------------------------------===//

/// partial[k] = combiner(partial, other)[k], register `into` with register `from` of all lanes.
static void combineRegisters(TupleCombiner &combiner, std::vector<Tensor> &partial, int64_t into,
                             ArrayRef<std::vector<Element>> other) {
  SmallVector<Element *> left;
  SmallVector<const Element *> right;
  int64_t lanes = partial.front().shape[1];
  for (auto [sum, values] : llvm::zip(partial, other)) {
    left.push_back(sum.data.data() + into * lanes);
    right.push_back(values.data());
  }
  combiner.combine(left, right, lanes);
}

LogicalResult WarpInterpreter::runReduce(matile::ReduceOp op) {
  std::unique_ptr<BodyProgram> &program = combiners[op];
  if (!program) {
    FailureOr<BodyProgram> made = BodyProgram::translate(op.getCombiner().front(), {}, mode);
    if (failed(made))
      return failure();
    program = std::make_unique<BodyProgram>(std::move(*made));
  }
  TupleCombiner combiner(*program, numLanes);
  int64_t dim = op.getDim();
  const Fragment &input = fragment(op.getInputs()[0].getType()),
                 &output = fragment(op.getOutputs()[0].getType());
  size_t arity = op.getInputs().size();
  std::vector<Tensor> partial;
  SmallVector<Element> identities;
  for (auto [attr, result] : llvm::zip(op.getIdentities(), op.getOutputs())) {
    identities.push_back(*getElement(attr));
    partial
        .emplace_back(fragment(result.getType()).kind,
                      ArrayRef<int64_t>{output.numRegisters, numLanes})
        .fill(identities.back());
  }
  auto registerAt = registersByOffset(output.layout);
  std::vector<std::vector<Element>> other(arity, std::vector<Element>(numLanes));
  for (int64_t reg = 0; reg < input.numRegisters; ++reg) {
    SmallVector<int64_t> offset = input.layout.registerOffset(reg);
    offset.erase(offset.begin() + dim);
    for (size_t k = 0; k < arity; ++k)
      for (int64_t lane = 0; lane < numLanes; ++lane)
        other[k][lane] = input.isInside(reg, lane)
                             ? tile(op.getInputs()[k]).data[reg * numLanes + lane]
                             : identities[k];
    combineRegisters(combiner, partial, registerAt.at(offset), other);
  }
  for (auto [bit, basis] : llvm::enumerate(input.layout.laneBases())) {
    if (basis[dim] == 0)
      continue;
    for (int64_t reg = 0; reg < output.numRegisters; ++reg) {
      for (size_t k = 0; k < arity; ++k)
        for (int64_t lane = 0; lane < numLanes; ++lane)
          other[k][lane] = partial[k].data[reg * numLanes + (lane ^ (1 << bit))];
      combineRegisters(combiner, partial, reg, other);
    }
  }
  if (llvm::any_of(input.layout.warpBases(), [&](const auto &basis) { return basis[dim] != 0; }) &&
      failed(reduceAcrossWarps(op, input, partial, combiner)))
    return failure();
  for (auto [result, sum] : llvm::zip(op.getOutputs(), partial))
    setTile(result, std::move(sum));
  return success();
}

/// Scratch: [value of the tuple][register][thread], 8 bytes each.
LogicalResult WarpInterpreter::reduceAcrossWarps(matile::ReduceOp op, const Fragment &input,
                                                 std::vector<Tensor> &partial,
                                                 TupleCombiner &combiner) {
  if (!op.getOffset())
    return op.emitError("expected scratch in shared memory");
  int64_t count = partial.front().shape[0], threads = numLanes * block->numWarps;
  auto address = [&](size_t k, int64_t reg, int64_t ofWarp, int64_t lane) {
    return *op.getOffset() + 8 * (threads * (k * count + reg) + numLanes * ofWarp + lane);
  };
  if (failed(meet(op)))
    return failure();
  for (auto [k, sum] : llvm::enumerate(partial))
    for (int64_t reg = 0; reg < count; ++reg)
      for (int64_t lane = 0; lane < numLanes; ++lane)
        if (failed(block->memory.write(op, address(k, reg, warp, lane), sum.kind,
                                       sum.data[reg * numLanes + lane], self())))
          return failure();
  if (failed(meet(op)))
    return failure();
  int64_t mask = 0, dim = op.getDim();
  for (auto [bit, basis] : llvm::enumerate(input.layout.warpBases()))
    if (basis[dim] != 0)
      mask |= int64_t(1) << bit;
  // Warps beyond the layout's bases repeat others. All combine in one order.
  int64_t held = (int64_t(1) << input.layout.warpBases().size()) - 1;
  std::vector<std::vector<Element>> other(partial.size(), std::vector<Element>(numLanes));
  for (int64_t bits = 0;; bits = (bits - mask) & mask) { // subsets of the mask, ascending
    int64_t partner = (warp & held & ~mask) | bits;
    for (int64_t reg = 0; reg < count && partner < block->numWarps; ++reg) {
      for (auto [k, sum] : llvm::enumerate(partial))
        for (int64_t lane = 0; lane < numLanes; ++lane)
          if (failed(block->memory.read(op, address(k, reg, partner, lane), sum.kind,
                                        other[k][lane], self())))
            return failure();
      if (bits == 0)
        for (auto [k, sum] : llvm::enumerate(partial))
          llvm::copy(other[k], sum.data.begin() + reg * numLanes);
      else
        combineRegisters(combiner, partial, reg, other);
    }
    if (bits == mask)
      return success();
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products as tensor cores compute them: 16 rows of an instruction's tile per warp, operands from
// shared memory through decoded descriptors or from registers in the instruction's fragment order.
//
// Sources: PTX ISA, fragments of wgmma.mma_async m64nNk16 and mma.sync m16n8k16.

#include "WarpInterpreter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;
using ::nautilus::layout::Major;
using ::nautilus::layout::SharedLayout;
using ::nautilus::layout::WgmmaDescriptor;
using ::nautilus::layout::WgmmaOperand;

static constexpr int64_t rowsPerWarp = 16, depth = 16;

/// Moves the start of an encoded descriptor, as the device does: in units of 16 bytes.
static WgmmaDescriptor advance(const WgmmaOperand &operand, int64_t address, int64_t bytes) {
  return WgmmaDescriptor::decode(operand.descriptor(address).encode() + bytes / 16);
}

LogicalResult WarpInterpreter::readLeft(Operation *op, Value lhs, bool transpose, bool wgmma,
                                        int64_t tileNumber, int64_t step, int64_t numSteps,
                                        std::vector<double> &into) {
  auto buffer = dyn_cast<matile::BufferType>(lhs.getType());
  if (!buffer) {
    const Tensor &registers = tile(lhs);
    for (int64_t i = 0; i < 8; ++i)
      for (int64_t lane = 0; lane < numLanes; ++lane) {
        int64_t row = lane / 4 + 8 * (i >> 1 & 1), k = 2 * (lane % 4) + 8 * (i >> 2) + (i & 1);
        int64_t reg = (tileNumber * numSteps + step) * 8 + i;
        into[row * depth + k] = registers.data[reg * numLanes + lane].f;
      }
    return success();
  }
  SharedLayout shared = buffer.getSharedLayout();
  ElementKind kind = *getElementKind(buffer.getElementType());
  int64_t start = integer(lhs), groups = block->numWarps / 4;
  Major major = transpose ? Major::MN : Major::K;
  WgmmaOperand walk(shared, major);
  WgmmaDescriptor descriptor;
  int64_t blockBytes = walk.groupOffset(64); // from one block of 64 rows to the next
  if (wgmma)
    descriptor = advance(walk, start + warp / 4 * blockBytes,
                         walk.stepOffset(step) + tileNumber * groups * blockBytes);
  for (int64_t row = 0; row < rowsPerWarp; ++row)
    for (int64_t k = 0; k < depth; ++k) {
      int64_t address;
      if (wgmma) {
        address = *descriptor.elementAddress(major, shared.elementBytes(),
                                             rowsPerWarp * (warp % 4) + row, k);
      } else {
        int64_t outer = rowsPerWarp * (warp + block->numWarps * tileNumber) + row,
                inner = depth * step + k;
        address =
            start + (transpose ? shared.byteOffset(inner, outer) : shared.byteOffset(outer, inner));
      }
      Element element;
      if (failed(block->memory.read(op, address, kind, element, self())))
        return failure();
      into[row * depth + k] = element.f;
    }
  return success();
}

LogicalResult WarpInterpreter::readRight(Operation *op, Value rhs, bool transpose, bool wgmma,
                                         int64_t step, int64_t numColumns,
                                         std::vector<double> &into) {
  auto buffer = cast<matile::BufferType>(rhs.getType());
  SharedLayout shared = buffer.getSharedLayout();
  ElementKind kind = *getElementKind(buffer.getElementType());
  int64_t start = integer(rhs);
  Major major = transpose ? Major::K : Major::MN;
  WgmmaOperand walk(shared, major);
  WgmmaDescriptor descriptor;
  if (wgmma)
    descriptor = advance(walk, start, walk.stepOffset(step));
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t column = 0; column < numColumns; ++column) {
      int64_t inner = depth * step + k;
      int64_t address = wgmma ? *descriptor.elementAddress(major, shared.elementBytes(), column, k)
                        : transpose ? start + shared.byteOffset(column, inner)
                                    : start + shared.byteOffset(inner, column);
      Element element;
      if (failed(block->memory.read(op, address, kind, element, self())))
        return failure();
      into[k * numColumns + column] = element.f;
    }
  return success();
}

template <typename DotLike>
FailureOr<Tensor> WarpInterpreter::runTensorCores(DotLike op, const Tensor &acc, bool wgmma) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  int64_t m = type.getDimSize(0), n = type.getDimSize(1);
  auto rhs = cast<matile::BufferType>(op.getRhs().getType());
  int64_t numSteps = rhs.getShape()[op.getTransposeRhs() ? 1 : 0] / depth;
  int64_t numTiles = m / (rowsPerWarp * block->numWarps), perTile = n / 2;
  if (fragment(type).layout != ::nautilus::layout::wgmmaAccumulator(m, n, block->numWarps))
    return op.emitError("expected the accumulator in the instruction's layout");
  for (Value operand : {op.getLhs(), Value(op.getRhs())})
    if (isa<matile::BufferType>(operand.getType()) && failed(checkHeld(op, operand)))
      return failure();
  Tensor result = acc;
  std::vector<double> left(rowsPerWarp * depth), right(depth * n), sums(rowsPerWarp * n);
  bool rounds = mode == Mode::Typed;
  auto forEachSum = [&](int64_t tileNumber, auto visit) {
    for (int64_t r = 0; r < perTile; ++r)
      for (int64_t lane = 0; lane < numLanes; ++lane) {
        int64_t row = lane / 4 + 8 * (r >> 1 & 1), column = 8 * (r >> 2) + 2 * (lane % 4) + (r & 1);
        visit(sums[row * n + column], result.data[(tileNumber * perTile + r) * numLanes + lane].f);
      }
  };
  for (int64_t tileNumber = 0; tileNumber < numTiles; ++tileNumber) {
    forEachSum(tileNumber, [](double &sum, double reg) { sum = reg; });
    for (int64_t step = 0; step < numSteps; ++step) {
      if (failed(readLeft(op, op.getLhs(), op.getTransposeLhs(), wgmma, tileNumber, step, numSteps,
                          left)) ||
          failed(readRight(op, op.getRhs(), op.getTransposeRhs(), wgmma, step, n, right)))
        return failure();
      for (int64_t row = 0; row < rowsPerWarp; ++row)
        for (int64_t k = 0; k < depth; ++k)
          for (int64_t column = 0; column < n; ++column) {
            double &sum = sums[row * n + column];
            sum += left[row * depth + k] * right[k * n + column];
            if (rounds)
              sum = static_cast<float>(sum);
          }
    }
    forEachSum(tileNumber, [](double sum, double &reg) { reg = sum; });
  }
  return result;
}

FailureOr<Tensor> WarpInterpreter::runFma(matile::DotOp op) {
  const Fragment &layout = fragment(op.getType());
  // Both operands as dense tiles, [outer][contraction].
  auto gather = [&](Value operand, bool outerIsColumns) -> FailureOr<Tensor> {
    auto buffer = cast<matile::BufferType>(operand.getType());
    SharedLayout shared = buffer.getSharedLayout();
    Tensor dense(*getElementKind(buffer.getElementType()),
                 outerIsColumns ? ArrayRef<int64_t>{shared.columns(), shared.rows()}
                                : ArrayRef<int64_t>{shared.rows(), shared.columns()});
    if (failed(checkHeld(op, operand)))
      return failure();
    for (int64_t row = 0; row < shared.rows(); ++row)
      for (int64_t column = 0; column < shared.columns(); ++column) {
        Element &element = outerIsColumns ? dense.at({column, row}) : dense.at({row, column});
        if (failed(block->memory.read(op, integer(operand) + shared.byteOffset(row, column),
                                      dense.kind, element, self())))
          return failure();
      }
    return dense;
  };
  FailureOr<Tensor> lhs = gather(op.getLhs(), op.getTransposeLhs());
  if (failed(lhs))
    return failure();
  FailureOr<Tensor> rhs = gather(op.getRhs(), !op.getTransposeRhs());
  if (failed(rhs))
    return failure();
  Tensor result = tile(op.getAcc());
  bool rounds = mode == Mode::Typed && result.kind != ElementKind::F64;
  for (int64_t reg = 0; reg < layout.numRegisters; ++reg)
    for (int64_t lane = 0; lane < numLanes; ++lane) {
      if (!layout.isInside(reg, lane))
        continue;
      const int64_t *at = layout.at(reg, lane);
      double &sum = result.data[reg * numLanes + lane].f;
      for (int64_t k = 0; k < lhs->shape[1]; ++k) {
        sum += lhs->at({at[0], k}).f * rhs->at({at[1], k}).f;
        if (rounds)
          sum = roundToKind(result.kind, sum);
      }
    }
  return result;
}

LogicalResult WarpInterpreter::runDot(matile::DotOp op) {
  bool wgmma = op.getKind() == matile::DotKind::Wgmma;
  FailureOr<Tensor> result = op.getKind() == matile::DotKind::Fma
                                 ? runFma(op)
                                 : runTensorCores(op, tile(op.getAcc()), wgmma);
  if (failed(result))
    return failure();
  if (wgmma) { // waits for everything in flight
    groupsDone = groupsStarted;
    block->memory.complete(warp, groupsDone);
  }
  setTile(op.getResult(), std::move(*result));
  return success();
}

LogicalResult WarpInterpreter::runStartDot(matile::StartDotOp op) {
  RuntimeValue acc = value(op.getAcc());
  FailureOr<Tensor> sum = runTensorCores(op, acc.inFlight ? *acc.inFlight : *acc.tile, true);
  if (failed(sum))
    return failure();
  int64_t group = ++groupsStarted;
  for (Value operand : {op.getLhs(), Value(op.getRhs())})
    if (auto buffer = dyn_cast<matile::BufferType>(operand.getType()))
      block->memory.addInFlight(
          {warp, group, integer(operand), integer(operand) + buffer.getSizeInBytes()});
  RuntimeValue &result = value(op.getResult());
  result.inFlight = std::make_shared<Tensor>(std::move(*sum));
  result.stamp = group;
  Tensor poison = *result.inFlight;
  poison.fill(poisonOf(poison.kind));
  result.tile = std::make_shared<Tensor>(std::move(poison));
  return success();
}

LogicalResult WarpInterpreter::runWaitDot(matile::WaitDotOp op) {
  RuntimeValue acc = value(op.getAcc());
  groupsDone = std::max(groupsDone, groupsStarted - static_cast<int64_t>(op.getPending()));
  block->memory.complete(warp, groupsDone);
  if (acc.stamp > groupsDone)
    return op.emitError("the accumulator belongs to group ")
           << acc.stamp << ", of which the wait leaves all after " << groupsDone << " in flight";
  if (acc.inFlight)
    acc.tile = std::move(acc.inFlight);
  acc.stamp = 0;
  value(op.getResult()) = std::move(acc);
  return success();
}

void WarpInterpreter::runWaitGroups(matile::WaitGroupsOp op) {
  groupsDone = std::max(groupsDone, groupsStarted - static_cast<int64_t>(op.getPending()));
  block->memory.complete(warp, groupsDone);
}

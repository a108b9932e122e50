// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products: wgmma with its descriptors, groups and waits. The shapes follow from the operands'
// buffers, never from a list.
//
// Reference: PTX ISA, "Asynchronous warpgroup level matrix instructions" (matrix descriptor,
// fragments, ordering).

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::nautilus;
using ::nautilus::layout::Major;
using ::nautilus::layout::WgmmaOperand;

/// `address` (a byte address in shared memory) as the low bits of a descriptor, with `bits` around
/// it.
static Value makeDescriptor(OpBuilder &b, Location loc, Value address, uint64_t bits) {
  auto c32 = [&](int64_t v) { return arith::ConstantIntOp::create(b, loc, v, 32).getResult(); };
  Value field =
      arith::ShRUIOp::create(b, loc, arith::AndIOp::create(b, loc, address, c32(0x3FFFF)), c32(4));
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), field);
  return arith::OrIOp::create(b, loc, wide,
                              arith::ConstantIntOp::create(b, loc, int64_t(bits), 64));
}

/// True for an accumulator that is known to be all zeros, so that the first instruction may
/// overwrite it.
static bool isZeroTile(Value acc) {
  if (auto splat = acc.getDefiningOp<matile::SplatOp>())
    return matchPattern(splat.getValue(), m_AnyZeroFloat());
  return matchPattern(acc, m_AnyZeroFloat());
}

static std::string operandList(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return "{" + text + "}";
}

SmallVector<Value> KernelEmitter::issueWgmma(Value lhs, Value rhs, Value acc, bool transposeLhs,
                                             bool transposeRhs) {
  auto accType = cast<RankedTensorType>(acc.getType());
  int64_t n = accType.getDimSize(1), groups = kernel.getWarps() / 4,
          tiles = accType.getDimSize(0) / (64 * groups);
  auto rhsBuffer = cast<matile::BufferType>(rhs.getType());
  auto lhsBuffer = dyn_cast<matile::BufferType>(lhs.getType());
  int64_t k = rhsBuffer.getShape()[transposeRhs ? 1 : 0];
  bool overwrite = isZeroTile(acc);
  unsigned count = n / 2;
  StringRef in = rhsBuffer.getElementType().isBF16() ? "bf16" : "f16";
  std::string name =
      ("wgmma.mma_async.sync.aligned.m64n" + Twine(n) + "k16.f32." + in + "." + in + " ").str();
  WgmmaOperand right(rhsBuffer.getSharedLayout(), transposeRhs ? Major::K : Major::MN),
      left((lhsBuffer ? lhsBuffer : rhsBuffer).getSharedLayout(),
           transposeLhs ? Major::MN : Major::K);
  int64_t leftBlock = left.groupOffset(64); // from one block of 64 rows to the next
  Value rightBase = makeDescriptor(b, loc, reg(rhs), right.descriptor().encode()), leftBase;
  if (lhsBuffer) {
    Value address = groups > 1 ? add(reg(lhs), mul(warpgroup(), i32(leftBlock))) : reg(lhs);
    leftBase = makeDescriptor(b, loc, address, left.descriptor().encode());
  }
  SmallVector<Value> accumulators(regs(acc)), fragment;
  // Operand registers are packed before the fence: what the instructions read must not be written
  // after it.
  if (!lhsBuffer)
    for (size_t i = 0; i < regs(lhs).size(); i += 2)
      fragment.push_back(packPair(regs(lhs)[i], regs(lhs)[i + 1]));
  voidIntrinsic("llvm.nvvm.wgmma.fence.sync.aligned");
  Type f32 = b.getF32Type();
  for (int64_t tile = 0; tile < tiles; ++tile) {
    for (int64_t step = 0; step < k / 16; ++step) {
      bool fresh = overwrite && step == 0;
      auto current = MutableArrayRef<Value>(accumulators).slice(tile * count, count);
      std::string constraints;
      for (unsigned i = 0; i < count; ++i)
        constraints += "=f,";
      SmallVector<Value> operands;
      unsigned next = count;
      if (!fresh) {
        llvm::append_range(operands, current);
        for (unsigned i = 0; i < count; ++i)
          constraints += std::to_string(i) + ",";
        next += count;
      }
      std::string text = name + operandList(0, count) + ", ";
      if (lhsBuffer) {
        int64_t offset = left.stepOffset(step) + tile * groups * leftBlock;
        operands.push_back(add(leftBase, i64(offset / 16)));
        text += "$" + std::to_string(next++);
        constraints += "l,";
      } else {
        for (unsigned i = 0; i < 4; ++i) {
          operands.push_back(fragment[(tile * (k / 16) + step) * 4 + i]);
          constraints += "r,";
        }
        text += operandList(next, 4);
        next += 4;
      }
      operands.push_back(add(rightBase, i64(right.stepOffset(step) / 16)));
      text += ", $" + std::to_string(next) + (fresh ? ", 0" : ", 1") + ", 1, 1";
      if (lhsBuffer)
        text += transposeLhs ? ", 1" : ", 0";
      text += transposeRhs ? ", 0;" : ", 1;";
      constraints += "l";
      llvm::copy(ptx(text, constraints, operands, SmallVector<Type>(count, f32)), current.begin());
    }
  }
  voidIntrinsic("llvm.nvvm.wgmma.commit_group.sync.aligned");
  return accumulators;
}

SmallVector<Value> KernelEmitter::waitWgmma(ArrayRef<Value> accumulators, int64_t pending) {
  // The accumulators pass through the wait, so that no use can move above it.
  std::string constraints;
  for (size_t i = 0; i < accumulators.size(); ++i)
    constraints += "=f,";
  for (size_t i = 0; i < accumulators.size(); ++i)
    constraints += std::to_string(i) + (i + 1 < accumulators.size() ? "," : "");
  return ptx("wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";", constraints,
             accumulators, SmallVector<Type>(accumulators.size(), b.getF32Type()));
}

LogicalResult KernelEmitter::emitDot(matile::DotOp op) {
  switch (op.getKind()) {
  case matile::DotKind::Wgmma:
    set(op.getResult(), waitWgmma(issueWgmma(op.getLhs(), op.getRhs(), op.getAcc(),
                                             op.getTransposeLhs(), op.getTransposeRhs()),
                                  0));
    return success();
  case matile::DotKind::Fma:
    return emitFmaDot(op);
  case matile::DotKind::MmaSync:
    emitMmaSync(op);
    return success();
  }
  return failure();
}

LogicalResult KernelEmitter::emitStartDot(matile::StartDotOp op) {
  set(op.getResult(), issueWgmma(op.getLhs(), op.getRhs(), op.getAcc(), op.getTransposeLhs(),
                                 op.getTransposeRhs()));
  return success();
}

LogicalResult KernelEmitter::emitWaitDot(matile::WaitDotOp op) {
  set(op.getResult(), waitWgmma(regs(op.getAcc()), op.getPending()));
  return success();
}

LogicalResult KernelEmitter::emitFmaDot(matile::DotOp op) {
  // Each thread walks the contraction in a loop and reads its operands from shared memory: small
  // code for any layout and type.
  auto type = cast<RankedTensorType>(op.getType());
  Layout layout = matile::getLayout(type);
  auto lhs = cast<matile::BufferType>(op.getLhs().getType()),
       rhs = cast<matile::BufferType>(op.getRhs().getType());
  int64_t k = lhs.getShape()[op.getTransposeLhs() ? 0 : 1], count = layout.numRegisters();
  SmallVector<Value> init(regs(op.getAcc()));
  auto loop = scf::ForOp::create(b, loc, i32(0), i32(k), i32(1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  DenseMap<int64_t, Value> rows,
      columns; // operand elements by register coordinate: each is read once per step
  auto read = [&](Value buffer, matile::BufferType bufferType, bool transpose, unsigned dim,
                  int64_t reg, DenseMap<int64_t, Value> &seen) {
    Value &element = seen[layout.registerOffset(reg)[dim]];
    if (element)
      return element;
    Value outer = coordinate(layout, reg, dim), inner = loop.getInductionVar();
    // Registers that overhang read the last element; their results are never stored.
    int64_t extent = type.getDimSize(dim);
    outer = arith::MinUIOp::create(b, loc, outer, i32(extent - 1));
    Value at[2] = {outer, inner};
    if (transpose)
      std::swap(at[0], at[1]);
    Type stored = bufferType.getElementType(), held = registerType(stored);
    element = sharedLoad(elementAddress(this->reg(buffer), bufferType, at), held);
    if (isFloat8(stored))
      element = extendFloat8(stored, element, type.getElementType()).front();
    else if (element.getType() != type.getElementType())
      element = arith::ExtFOp::create(b, loc, type.getElementType(), element);
    return element;
  };
  SmallVector<Value> next;
  for (int64_t r = 0; r < count; ++r) {
    Value x = read(op.getLhs(), lhs, op.getTransposeLhs(), 0, r, rows);
    Value y = read(op.getRhs(), rhs, !op.getTransposeRhs(), 1, r, columns);
    next.push_back(LLVM::FMAOp::create(b, loc, x, y, loop.getRegionIterArgs()[r]));
  }
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, loc, next);
  set(op.getResult(), llvm::to_vector_of<Value>(loop.getResults()));
  return success();
}

void KernelEmitter::emitMmaSync(matile::DotOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto rhs = cast<matile::BufferType>(op.getRhs().getType());
  auto lhs = dyn_cast<matile::BufferType>(op.getLhs().getType());
  int64_t n = type.getDimSize(1), k = rhs.getShape()[op.getTransposeRhs() ? 1 : 0],
          warps = kernel.getWarps(), tiles = type.getDimSize(0) / (16 * warps);
  Value quad = arith::ShRUIOp::create(b, loc, laneId(), i32(2)),
        pair = mul(arith::AndIOp::create(b, loc, laneId(), i32(3)), i32(2));
  Value row = add(quad, mul(warpId(), i32(16)));
  // Two elements that follow each other along the contraction, as one register.
  auto readPair = [&](Value buffer, matile::BufferType bufferType, Value outer, Value inner,
                      bool contractionIsColumns) {
    if (contractionIsColumns)
      return sharedLoad(elementAddress(reg(buffer), bufferType, {outer, inner}), b.getI32Type());
    Value low = sharedLoad(elementAddress(reg(buffer), bufferType, {inner, outer}),
                           bufferType.getElementType());
    Value high = sharedLoad(elementAddress(reg(buffer), bufferType, {add(inner, i32(1)), outer}),
                            bufferType.getElementType());
    return packPair(low, high);
  };
  StringRef in = rhs.getElementType().isBF16() ? "bf16" : "f16";
  std::string text = ("mma.sync.aligned.m16n8k16.row.col.f32." + in + "." + in +
                      ".f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};")
                         .str();
  SmallVector<Value> accumulators(regs(op.getAcc())), fragment;
  if (!lhs)
    fragment.assign(regs(op.getLhs()).begin(), regs(op.getLhs()).end());
  SmallVector<Type> results(4, b.getF32Type());
  for (int64_t step = 0; step < k / 16; ++step) {
    SmallVector<SmallVector<Value>> left(tiles);
    for (int64_t tile = 0; tile < tiles; ++tile)
      for (int64_t i = 0; i < 4; ++i) {
        if (!lhs) {
          size_t at = (tile * (k / 16) + step) * 8 + 2 * i;
          left[tile].push_back(packPair(fragment[at], fragment[at + 1]));
          continue;
        }
        Value outer = add(row, i32(16 * warps * tile + 8 * (i & 1))),
              inner = add(pair, i32(16 * step + 8 * (i >> 1)));
        left[tile].push_back(readPair(op.getLhs(), lhs, outer, inner, !op.getTransposeLhs()));
      }
    for (int64_t block = 0; block < n / 8; ++block) {
      SmallVector<Value> right;
      for (int64_t i = 0; i < 2; ++i)
        right.push_back(readPair(op.getRhs(), rhs, add(quad, i32(8 * block)),
                                 add(pair, i32(16 * step + 8 * i)), op.getTransposeRhs()));
      for (int64_t tile = 0; tile < tiles; ++tile) {
        auto current = MutableArrayRef<Value>(accumulators).slice(tile * (n / 2) + 4 * block, 4);
        SmallVector<Value> operands(left[tile]);
        llvm::append_range(operands, right);
        llvm::append_range(operands, current);
        llvm::copy(
            ptx(text, "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3", operands, results, /*sideEffects=*/false),
            current.begin());
      }
    }
  }
  set(op.getResult(), accumulators);
}

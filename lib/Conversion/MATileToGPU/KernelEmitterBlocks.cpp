// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building blocks of the kernel emitter: constants, integer arithmetic, inline PTX, threads and
// their coordinates.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nautilus;

Type KernelEmitter::registerType(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    type = tile.getElementType();
  if (isFloat8(type))
    return b.getI8Type();
  return type.isIndex() || isa<matile::BufferType>(type) ? b.getI32Type() : type;
}

Value KernelEmitter::constant(TypedAttr value) {
  Type type = registerType(value.getType());
  if (auto number = dyn_cast<FloatAttr>(value); number && isFloat8(number.getType()))
    value = b.getIntegerAttr(type, number.getValue().bitcastToAPInt());
  else if (auto integer = dyn_cast<IntegerAttr>(value); integer && integer.getType() != type)
    value = b.getIntegerAttr(type, integer.getInt());
  return arith::ConstantOp::create(b, loc, value);
}

int64_t KernelEmitter::numRegisters(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? matile::getLayout(tile).numRegisters() : 1;
}

Value KernelEmitter::i32(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }
Value KernelEmitter::i64(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); }

Value KernelEmitter::add(Value x, Value y) {
  if (matchPattern(y, m_Zero()))
    return x;
  if (matchPattern(x, m_Zero()))
    return y;
  return arith::AddIOp::create(b, loc, x, y);
}

Value KernelEmitter::mul(Value x, Value y) {
  if (matchPattern(y, m_One()))
    return x;
  if (matchPattern(x, m_One()))
    return y;
  return arith::MulIOp::create(b, loc, x, y);
}

Value KernelEmitter::toI64(Value x) {
  return x.getType().isInteger(64) ? x
                                   : arith::ExtSIOp::create(b, loc, b.getI64Type(), x).getResult();
}

SmallVector<Value> KernelEmitter::ptx(StringRef text, StringRef constraints, ValueRange operands,
                                      TypeRange results, bool sideEffects) {
  Type type = LLVM::LLVMVoidType::get(b.getContext());
  if (results.size() == 1)
    type = results.front();
  else if (results.size() > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), llvm::to_vector(results));
  auto op = LLVM::InlineAsmOp::create(
      b, loc, results.empty() ? TypeRange() : TypeRange(type), operands, text, constraints,
      sideEffects, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  if (results.size() <= 1)
    return llvm::to_vector_of<Value>(op->getResults());
  SmallVector<Value> values;
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, op->getResult(0), i));
  return values;
}

Value KernelEmitter::intrinsic(StringRef name, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name), operands)
      .getResult(0);
}

void KernelEmitter::voidIntrinsic(StringRef name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(name), operands);
}

//===-- Threads -------------------------------------------------------------===//

Value KernelEmitter::threadId() {
  Value id = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  return kernel.getWarpSpecialize() ? arith::SubIOp::create(b, loc, id, i32(128)).getResult() : id;
}

Value KernelEmitter::laneId() { return arith::AndIOp::create(b, loc, threadId(), i32(31)); }
Value KernelEmitter::warpId() { return arith::ShRUIOp::create(b, loc, threadId(), i32(5)); }

Value KernelEmitter::warpgroup() {
  if (ownWarpgroup) // a shuffle would be repeated in each iteration
    return ownWarpgroup;
  Value group = arith::ShRUIOp::create(b, loc, warpId(), i32(2));
  return intrinsic("llvm.nvvm.shfl.sync.idx.i32", b.getI32Type(),
                   {i32(-1), group, i32(0), i32(31)});
}

void KernelEmitter::groupBarrier() {
  // Barrier 0 belongs to the whole block; the computing warps of a specialised kernel meet at
  // barrier 1.
  int64_t id = kernel.getWarpSpecialize() ? 1 : 0;
  ptx("bar.sync " + std::to_string(id) + ", " + std::to_string(32 * kernel.getWarps()) + ";",
      "~{memory}", {});
}

/// Bits of `index` spread over `bases` along one dim, combined by exclusive or; runs of bits that
/// keep their distance move together.
static Value spreadBits(OpBuilder &b, Location loc, Value index, ArrayRef<int32_t> bases) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32).getResult();
  };
  Value sum;
  for (size_t first = 0; first < bases.size();) {
    size_t last = first + 1;
    if (bases[first] == 0) {
      first = last;
      continue;
    }
    while (last < bases.size() && bases[last] == bases[last - 1] * 2)
      ++last;
    Value part = index;
    bool power = llvm::isPowerOf2_32(bases[first]);
    if (first > 0)
      part = arith::ShRUIOp::create(b, loc, part, constant(first));
    if (last != bases.size() || first + (last - first) < 5)
      part = arith::AndIOp::create(b, loc, part, constant((1 << (last - first)) - 1));
    if (power)
      part = bases[first] == 1
                 ? part
                 : arith::ShLIOp::create(b, loc, part, constant(llvm::Log2_32(bases[first])))
                       .getResult();
    else
      part = arith::MulIOp::create(b, loc, part, constant(bases[first]));
    sum = sum ? arith::XOrIOp::create(b, loc, sum, part).getResult() : part;
    first = last;
  }
  return sum ? sum : constant(0);
}

Value KernelEmitter::threadCoordinate(const Layout &layout, unsigned dim) {
  auto along = [&](ArrayRef<Layout::Basis> bases) {
    return llvm::map_to_vector(bases, [&](const Layout::Basis &basis) { return basis[dim]; });
  };
  Value lane = spreadBits(b, loc, laneId(), along(layout.laneBases()));
  Value warp = spreadBits(b, loc, warpId(), along(layout.warpBases()));
  if (matchPattern(warp, m_Zero()))
    return lane;
  if (matchPattern(lane, m_Zero()))
    return warp;
  return arith::XOrIOp::create(b, loc, lane, warp);
}

Value KernelEmitter::warpCoordinate(const Layout &layout, unsigned dim) {
  SmallVector<int32_t> bases = llvm::map_to_vector(
      layout.warpBases(), [&](const Layout::Basis &basis) { return basis[dim]; });
  return spreadBits(b, loc, warpId(), bases);
}

Value KernelEmitter::coordinate(const Layout &layout, unsigned reg, unsigned dim) {
  Value thread = threadCoordinate(layout, dim);
  int64_t offset = layout.registerOffset(reg)[dim];
  if (offset == 0)
    return thread;
  if (layout.isAdditive())
    return add(thread, i32(offset));
  return arith::XOrIOp::create(b, loc, thread, i32(offset));
}

Value KernelEmitter::isOwner(const Layout &layout) {
  if (layout.shape().empty())
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threadId(), i32(0));
  auto repeated = [&](ArrayRef<Layout::Basis> bases) {
    int64_t mask = 0;
    for (auto [bit, basis] : llvm::enumerate(bases))
      if (llvm::all_of(basis, [](int32_t x) { return x == 0; }))
        mask |= int64_t(1) << bit;
    return mask;
  };
  Value owner;
  auto require = [&](Value index, int64_t mask) {
    if (!mask)
      return;
    Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        arith::AndIOp::create(b, loc, index, i32(mask)), i32(0));
    owner = owner ? arith::AndIOp::create(b, loc, owner, first).getResult() : first;
  };
  require(laneId(), repeated(layout.laneBases()));
  require(warpId(), repeated(layout.warpBases()));
  return owner;
}

Value KernelEmitter::isInside(const Layout &layout, unsigned reg) {
  Value inside;
  for (auto [dim, extent] : llvm::enumerate(layout.shape())) {
    // Only warps that there are count: padded ones of three warpgroups would reach further.
    if (layout.maxCoordinate(reg, dim, kernel.getWarps()) < extent)
      continue;
    Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        coordinate(layout, reg, dim), i32(extent));
    inside = inside ? arith::AndIOp::create(b, loc, inside, below).getResult() : below;
  }
  return inside;
}

Value KernelEmitter::sharedBase() { return base; }

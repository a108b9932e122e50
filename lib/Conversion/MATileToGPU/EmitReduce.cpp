// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of fragments along one dim: registers first, then lanes by shuffles, then warps
// through shared memory.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::nautilus;

SmallVector<Value> KernelEmitter::combine(Region &combiner, ArrayRef<Value> left,
                                          ArrayRef<Value> right) {
  Block &block = combiner.front();
  IRMapping map;
  SmallVector<Value> all(left);
  llvm::append_range(all, right);
  map.map(block.getArguments(), all);
  // Index values are i32 in a kernel, so the ops are made anew rather than cloned with their types.
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto value = constant.getValue();
      if (auto integer = dyn_cast<IntegerAttr>(value); integer && integer.getType().isIndex())
        value = b.getI32IntegerAttr(integer.getInt());
      map.map(constant.getResult(),
              arith::ConstantOp::create(b, loc, cast<TypedAttr>(value)).getResult());
      continue;
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(op.getOperands(), [&](Value v) { return map.lookup(v); });
    SmallVector<Type> types =
        llvm::map_to_vector(op.getResultTypes(), [&](Type t) { return registerType(t); });
    OperationState state(loc, op.getName(), operands, types, op.getAttrs());
    state.propertiesAttr = op.getPropertiesAsAttribute();
    map.map(op.getResults(), b.create(state)->getResults());
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value v) { return map.lookup(v); });
}

Value KernelEmitter::shuffleXor(Value value, int64_t mask) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto shuffle = [&](Value word) {
    return intrinsic("llvm.nvvm.shfl.sync.bfly.i32", b.getI32Type(),
                     {i32(-1), word, i32(mask), i32(31)});
  };
  Value bits = type.isInteger()
                   ? value
                   : LLVM::BitcastOp::create(b, loc, b.getIntegerType(width), value).getResult();
  if (width == 64) {
    Value low = shuffle(arith::TruncIOp::create(b, loc, b.getI32Type(), bits));
    Value high = shuffle(arith::TruncIOp::create(b, loc, b.getI32Type(),
                                                 arith::ShRUIOp::create(b, loc, bits, i64(32))));
    Value wide = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, b.getI64Type(), high),
                                       i64(32));
    bits = arith::OrIOp::create(b, loc, wide, arith::ExtUIOp::create(b, loc, b.getI64Type(), low));
  } else {
    if (width < 32)
      bits = arith::ExtUIOp::create(b, loc, b.getI32Type(), bits);
    bits = shuffle(bits);
    if (width < 32)
      bits = arith::TruncIOp::create(b, loc, b.getIntegerType(width), bits);
  }
  return type.isInteger() ? bits : LLVM::BitcastOp::create(b, loc, type, bits).getResult();
}

LogicalResult KernelEmitter::emitReduce(matile::ReduceOp op) {
  auto inType = cast<RankedTensorType>(op.getInputs()[0].getType());
  unsigned dim = op.getDim(), arity = op.getInputs().size();
  if (llvm::any_of(op.getInputs(), [](Value input) { return isFloat8(input.getType()); }))
    return op.emitError("expected no reduction of 8-bit floats; cast them to f32 first");
  Layout in = matile::getLayout(inType), out = in.dropDim(dim);
  SmallVector<Value> identities;
  for (Attribute identity : op.getIdentities())
    identities.push_back(constant(cast<TypedAttr>(identity)));
  // Which result register each input register goes to.
  std::map<SmallVector<int64_t>, unsigned> slotOf;
  for (int64_t r = 0; r < out.numRegisters(); ++r) {
    auto at = out.registerOffset(r);
    slotOf[SmallVector<int64_t>(at.begin(), at.end())] = r;
  }
  SmallVector<SmallVector<Value>> partial(out.numRegisters());
  for (int64_t r = 0; r < in.numRegisters(); ++r) {
    auto offset = in.registerOffset(r);
    SmallVector<int64_t> at(offset.begin(), offset.end());
    at.erase(at.begin() + dim);
    SmallVector<Value> element =
        llvm::map_to_vector(op.getInputs(), [&](Value input) { return regs(input)[r]; });
    if (Value inside = isInside(in, r))
      for (auto [value, identity] : llvm::zip(element, identities))
        value = arith::SelectOp::create(b, loc, inside, value, identity);
    SmallVector<Value> &sum = partial[slotOf.at(at)];
    sum = sum.empty() ? element : combine(op.getCombiner(), sum, element);
  }
  // Lanes that hold other parts of the same result.
  for (auto [bit, basis] : llvm::enumerate(in.laneBases())) {
    if (basis[dim] == 0)
      continue;
    int64_t mask = int64_t(1) << bit;
    for (SmallVector<Value> &sum : partial) {
      SmallVector<Value> other =
          llvm::map_to_vector(sum, [&](Value v) { return shuffleXor(v, mask); });
      sum = combine(op.getCombiner(), sum, other);
    }
  }
  if (llvm::any_of(in.warpBases(), [&](const auto &basis) { return basis[dim] != 0; }))
    reduceAcrossWarps(op, in, partial, identities);
  for (unsigned k = 0; k < arity; ++k)
    set(op.getOutputs()[k],
        llvm::map_to_vector(partial, [&](const SmallVector<Value> &sum) { return sum[k]; }));
  return success();
}

void KernelEmitter::reduceAcrossWarps(matile::ReduceOp op, const Layout &in,
                                      SmallVectorImpl<SmallVector<Value>> &partial,
                                      ArrayRef<Value> identities) {
  // Scratch: [value of the tuple][register][thread], 8 bytes each; every thread reads its own lane
  // of the warps that share its result, from the first of them on, so that all warps combine in one
  // order and hold the same bits.
  int64_t warps = kernel.getWarps(), threads = 32 * warps, arity = op.getInputs().size(),
          count = partial.size(), mask = 0, held = (int64_t(1) << in.warpBases().size()) - 1;
  for (auto [bit, basis] : llvm::enumerate(in.warpBases()))
    if (basis[op.getDim()] != 0)
      mask |= int64_t(1) << bit;
  Value scratch = add(sharedBase(), i32(*op.getOffset()));
  auto address = [&](int64_t k, int64_t r, Value thread) {
    return add(add(scratch, i32(8 * threads * (k * count + r))), mul(thread, i32(8)));
  };
  groupBarrier();
  for (int64_t r = 0; r < count; ++r)
    for (int64_t k = 0; k < arity; ++k)
      sharedStore(address(k, r, threadId()), partial[r][k], Value());
  groupBarrier();
  // Warps beyond the layout's bits repeat others.
  Value first = arith::AndIOp::create(b, loc, threadId(), i32(32 * (held & ~mask) + 31));
  for (int64_t bits = 0;; bits = (bits - mask) & mask) { // subsets of the mask, ascending
    Value thread = add(first, i32(32 * bits)), exists;
    if (held >= warps) {
      exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, thread, i32(threads));
      thread = arith::SelectOp::create(b, loc, exists, thread, first);
    }
    for (int64_t r = 0; r < count; ++r) {
      SmallVector<Value> other;
      for (int64_t k = 0; k < arity; ++k) {
        other.push_back(sharedLoad(address(k, r, thread), partial[r][k].getType()));
        if (exists)
          other[k] = arith::SelectOp::create(b, loc, exists, other[k], identities[k]);
      }
      partial[r] = bits == 0 ? other : combine(op.getCombiner(), partial[r], other);
    }
    if (bits == mask)
      break;
  }
}

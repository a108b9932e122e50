// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of fragments in global memory: each thread reaches for its own registers, under
// a predicate where the tile may overhang. Groups of registers that lie side by side in memory move
// in one access when the op says so.

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::nautilus;

//===-- Bits ----------------------------------------------------------------===//

static Value bitcast(OpBuilder &b, Location loc, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}

/// `values` packed into machine words of at most 32 bits (one word of 64 for a 64-bit element).
static SmallVector<Value> toWords(OpBuilder &b, Location loc, ArrayRef<Value> values) {
  Type element = values.front().getType();
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1) {
    Value byte = arith::ExtUIOp::create(b, loc, b.getI16Type(), values.front());
    return {byte};
  }
  unsigned perWord = std::max<unsigned>(1, std::min<size_t>(32 / width, values.size()));
  SmallVector<Value> words;
  for (size_t i = 0; i < values.size(); i += perWord) {
    Value word = values[i];
    if (perWord > 1) {
      word = LLVM::UndefOp::create(b, loc, VectorType::get(perWord, element));
      for (unsigned j = 0; j < perWord; ++j)
        word = LLVM::InsertElementOp::create(b, loc, word, values[i + j],
                                             arith::ConstantIntOp::create(b, loc, j, 32));
    }
    word = bitcast(b, loc, b.getIntegerType(width * perWord), word);
    if (width * perWord == 8)
      word = arith::ExtUIOp::create(b, loc, b.getI16Type(), word);
    words.push_back(word);
  }
  return words;
}

/// The inverse of toWords.
static SmallVector<Value> fromWords(OpBuilder &b, Location loc, ArrayRef<Value> words, Type element,
                                    unsigned count) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return {arith::TruncIOp::create(b, loc, element, words.front())};
  unsigned perWord = count / words.size();
  SmallVector<Value> values;
  for (Value word : words) {
    if (width * perWord == 8)
      word = arith::TruncIOp::create(b, loc, b.getI8Type(), word);
    if (perWord == 1) {
      values.push_back(bitcast(b, loc, element, word));
      continue;
    }
    Value pack = bitcast(b, loc, VectorType::get(perWord, element), word);
    for (unsigned j = 0; j < perWord; ++j)
      values.push_back(LLVM::ExtractElementOp::create(b, loc, pack,
                                                      arith::ConstantIntOp::create(b, loc, j, 32)));
  }
  return values;
}

namespace {
/// How a group of equal words is written in PTX.
struct WordAccess {
  /// `values` elements lie in `words`.
  WordAccess(ArrayRef<Value> words, Type element, size_t values) {
    unsigned numBits = element.getIntOrFloatBitWidth() * values / words.size();
    unsigned width = words.front().getType().getIntOrFloatBitWidth();
    letter = width == 64 ? 'l' : width == 32 ? 'r' : 'h';
    // A single byte travels in a register of 16 bits.
    suffix = "b" + std::to_string(numBits < 16 ? 8 : width);
    move = "b" + std::to_string(width);
    if (words.size() > 1)
      suffix = "v" + std::to_string(words.size()) + "." + suffix;
  }
  /// `{$first, $first+1, …}` or `$first`.
  static std::string operandList(unsigned first, unsigned count) {
    std::string text = "$" + std::to_string(first);
    for (unsigned i = 1; i < count; ++i)
      text += ", $" + std::to_string(first + i);
    return count > 1 ? "{" + text + "}" : text;
  }
  char letter;
  std::string suffix, move;
};
} // namespace

SmallVector<Value> KernelEmitter::globalLoad(Value pointer, Type element, ArrayRef<Value> otherwise,
                                             Value predicate) {
  SmallVector<Value> words = toWords(b, loc, otherwise);
  unsigned count = words.size();
  WordAccess access(words, element, otherwise.size());
  std::string text, constraints;
  for (unsigned i = 0; i < count; ++i)
    constraints += std::string("=&") + access.letter + ",";
  constraints += "l";
  SmallVector<Value> operands{pointer};
  if (predicate) {
    constraints += ",b";
    operands.push_back(predicate);
    for (unsigned i = 0; i < count; ++i) {
      text += "mov." + access.move + " $" + std::to_string(i) + ", $" +
              std::to_string(count + 2 + i) + "; ";
      constraints += std::string(",") + access.letter;
    }
    llvm::append_range(operands, words);
    text += "@$" + std::to_string(count + 1) + " ";
  }
  text += "ld.global." + access.suffix + " " + WordAccess::operandList(0, count) + ", [$" +
          std::to_string(count) + "];";
  SmallVector<Type> types(count, words.front().getType());
  SmallVector<Value> loaded = ptx(text, constraints, operands, types);
  return fromWords(b, loc, loaded, element, otherwise.size());
}

void KernelEmitter::globalStore(Value pointer, ArrayRef<Value> values, Value predicate) {
  SmallVector<Value> words = toWords(b, loc, values);
  WordAccess access(words, values.front().getType(), values.size());
  std::string text =
      "st.global." + access.suffix + " [$0], " + WordAccess::operandList(1, words.size()) + ";";
  std::string constraints = "l";
  SmallVector<Value> operands{pointer};
  for (Value word : words) {
    constraints += std::string(",") + access.letter;
    operands.push_back(word);
  }
  if (predicate) {
    text = "@$" + std::to_string(words.size() + 1) + " " + text;
    constraints += ",b";
    operands.push_back(predicate);
  }
  ptx(text, constraints, operands);
}

//===-- Addresses -----------------------------------------------------------===//

/// The bound of tile dim `dim`, or null when the tile is inside along it.
Value KernelEmitter::boundOf(const GlobalAccess &access, unsigned dim) {
  int64_t bound = access.staticBounds[dim];
  if (bound == -1)
    return {};
  if (!ShapedType::isDynamic(bound))
    return i32(bound);
  return reg(access.bounds[llvm::count(access.staticBounds.take_front(dim), ShapedType::kDynamic)]);
}

SmallVector<KernelEmitter::ElementAddress>
KernelEmitter::elementAddresses(const GlobalAccess &access, RankedTensorType tile) {
  Layout layout = matile::getLayout(tile);
  const MemRef &memref = memrefs.find(access.memref)->second;
  // Address of this thread's first element: the tile's origin, then the thread's own coordinates.
  Value offset = i64(0);
  for (auto [dim, index] : llvm::enumerate(access.indices))
    offset = add(offset, mul(toI64(reg(index)), memref.strides[dim]));
  SmallVector<Value> first, bounds, strides;
  for (unsigned dim = 0; dim < tile.getRank(); ++dim) {
    Value thread = threadCoordinate(layout, dim);
    strides.push_back(memref.strides[access.walk[dim]]);
    offset = add(offset, mul(toI64(thread), strides[dim]));
    first.push_back(add(reg(access.indices[access.walk[dim]]), thread));
    bounds.push_back(boundOf(access, dim));
  }
  Type stored = tile.getElementType().isInteger(1) ? b.getI8Type() : registerType(tile);
  DenseMap<std::pair<unsigned, int64_t>, Value> steps, below; // per dim and register coordinate
  SmallVector<ElementAddress> addresses;
  for (int64_t r = 0, count = layout.numRegisters(); r < count; ++r) {
    auto at = layout.registerOffset(r);
    Value element = offset, predicate = isInside(layout, r);
    for (unsigned dim = 0; dim < tile.getRank(); ++dim) {
      if (at[dim]) {
        Value &step = steps[{dim, at[dim]}];
        if (!step)
          step = mul(i64(at[dim]), strides[dim]);
        element = add(element, step);
      }
      if (!bounds[dim])
        continue;
      Value &inBounds = below[{dim, at[dim]}];
      if (!inBounds)
        inBounds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         add(first[dim], i32(at[dim])), bounds[dim]);
      predicate =
          predicate ? arith::AndIOp::create(b, loc, predicate, inBounds).getResult() : inBounds;
    }
    Value pointer = LLVM::GEPOp::create(b, loc, memref.pointer.getType(), stored, memref.pointer,
                                        ArrayRef<LLVM::GEPArg>{element});
    addresses.push_back({pointer, predicate});
  }
  return addresses;
}

LogicalResult KernelEmitter::emitLoad(matile::LoadOp op) {
  auto tile = cast<RankedTensorType>(op.getType());
  Type element = registerType(tile);
  TypedAttr padding =
      op.getPadding() ? op.getPaddingAttr() : TypedAttr(b.getZeroAttr(tile.getElementType()));
  SmallVector<Value> otherwise(op.getVector(), constant(padding));
  auto addresses = elementAddresses(
      {op.getSource(), op.getIndices(), op.getWalk(), op.getStaticBounds(), op.getBounds()}, tile);
  SmallVector<Value> registers;
  for (size_t r = 0; r < addresses.size(); r += op.getVector())
    llvm::append_range(
        registers, globalLoad(addresses[r].pointer, element, otherwise, addresses[r].predicate));
  set(op.getResult(), registers);
  return success();
}

LogicalResult KernelEmitter::emitStore(matile::StoreOp op) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  auto addresses = elementAddresses(
      {op.getDest(), op.getIndices(), op.getWalk(), op.getStaticBounds(), op.getBounds()}, tile);
  Value owner = isOwner(matile::getLayout(tile));
  SmallVector<Value> source(regs(op.getValue()));
  for (size_t r = 0; r < addresses.size(); r += op.getVector()) {
    Value predicate = addresses[r].predicate;
    if (owner)
      predicate = predicate ? arith::AndIOp::create(b, loc, predicate, owner).getResult() : owner;
    globalStore(addresses[r].pointer, ArrayRef(source).slice(r, op.getVector()), predicate);
  }
  return success();
}

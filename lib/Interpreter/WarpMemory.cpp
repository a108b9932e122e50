// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global and shared memory as the lanes of a warp see them: each lane moves its own registers.

#include "WarpInterpreter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nautilus;
using namespace mlir::nautilus::interpreter;
using ::nautilus::layout::SharedLayout;

template <typename AccessOp> TileAccess WarpInterpreter::accessOf(AccessOp op) {
  TileAccess access;
  for (Value index : op.getIndices())
    access.indices.push_back(integer(index));
  access.walk.assign(op.getWalk().begin(), op.getWalk().end());
  access.bounds.assign(op.getStaticBounds().begin(), op.getStaticBounds().end());
  auto dynamic = op.getBounds().begin();
  for (int64_t &bound : access.bounds)
    if (ShapedType::isDynamic(bound))
      bound = std::max<int64_t>(integer(*dynamic++), 0);
  return access;
}
template TileAccess WarpInterpreter::accessOf(matile::PutOp);
template TileAccess WarpInterpreter::accessOf(matile::CopyOutOp);

//===-- Global memory ---------------------------------------------------------===//

template <typename AccessOp, typename Visit>
LogicalResult WarpInterpreter::forEachElement(AccessOp op, Value memref, const Fragment &fragment,
                                              Visit visit) {
  const MemoryView &memory = *value(memref).memory;
  TileAccess access = accessOf(op);
  int64_t vector = op.getVector(), rank = fragment.rank();
  if (fragment.numRegisters % vector)
    return op.emitError("expected registers in groups of ") << vector;
  for (int64_t reg = 0; reg < fragment.numRegisters; ++reg)
    for (int64_t lane = 0; lane < numLanes; ++lane) {
      const int64_t *at = fragment.at(reg, lane);
      SmallVector<int64_t> index(access.indices);
      bool touches = fragment.isInside(reg, lane);
      for (int64_t d = 0; d < rank; ++d) {
        int64_t &coordinate = index[access.walk[d]];
        coordinate += at[d];
        touches &= access.bounds[d] < 0 || (coordinate >= 0 && coordinate < access.bounds[d]);
      }
      int64_t position = memory.offset;
      for (auto [i, stride] : llvm::zip(index, memory.strides))
        position += i * stride;
      // The first register of a group decides for all of it; the others must follow it in memory.
      int64_t first = reg / vector * vector;
      if (vector > 1) {
        const int64_t *leader = fragment.at(first, lane);
        bool follows = at[rank - 1] == leader[rank - 1] + reg - first &&
                       std::equal(at, at + rank - 1, leader) &&
                       memory.strides[access.walk[rank - 1]] == 1 &&
                       fragment.isInside(first, lane) == fragment.isInside(reg, lane);
        if (touches && (!follows || (position - (reg - first)) % vector))
          return op.emitError("expected groups of ")
                 << vector << " registers to be aligned neighbours in memory";
        int64_t start = access.indices[access.walk[rank - 1]] + leader[rank - 1],
                bound = access.bounds[rank - 1];
        if (bound >= 0 && start < bound && start + vector > bound)
          return op.emitError("expected groups of ")
                 << vector << " registers to lie wholly inside or outside the bounds";
      }
      if (!touches)
        continue;
      for (auto [d, i] : llvm::enumerate(index))
        if (i < 0 || i >= memory.shape[d])
          return op.emitError("expected an index of memory dim ")
                 << d << " inside [0, " << memory.shape[d] << "), got " << i;
      visit(reg, lane, position);
    }
  return success();
}

LogicalResult WarpInterpreter::runLoad(matile::LoadOp op) {
  const Fragment &layout = fragment(op.getType());
  Tensor registers = layout.make();
  Element padding = {};
  if (op.getPadding())
    padding = *getElement(op.getPaddingAttr());
  for (int64_t i = 0, size = registers.data.size(); i < size; ++i)
    if (layout.inside[i])
      registers.data[i] = padding;
  const std::vector<Element> &memory = value(op.getSource()).memory->storage->data;
  auto visit = [&](int64_t reg, int64_t lane, int64_t position) {
    registers.data[reg * numLanes + lane] = memory[position];
  };
  if (failed(forEachElement(op, op.getSource(), layout, visit)))
    return failure();
  setTile(op.getResult(), std::move(registers));
  return success();
}

/// The bits of an index that a layout has zero bases for, or none at all.
static int64_t repeatedBits(ArrayRef<::nautilus::layout::RegisterLayout::Basis> bases,
                            int64_t numBits) {
  int64_t mask = 0;
  for (int64_t bit = 0; bit < numBits; ++bit)
    if (bit >= int64_t(bases.size()) ||
        llvm::all_of(bases[bit], [](int32_t offset) { return offset == 0; }))
      mask |= int64_t(1) << bit;
  return mask;
}

LogicalResult WarpInterpreter::runStore(matile::StoreOp op) {
  const Fragment &layout = fragment(op.getValue().getType());
  const Tensor &registers = tile(op.getValue());
  std::vector<Element> &memory = value(op.getDest()).memory->storage->data;
  int64_t lanes = repeatedBits(layout.layout.laneBases(), 5);
  bool ownsWarp = !(warp & repeatedBits(layout.layout.warpBases(), 5));
  return forEachElement(op, op.getDest(), layout, [&](int64_t reg, int64_t lane, int64_t position) {
    if (ownsWarp && !(lane & lanes))
      memory[position] = registers.data[reg * numLanes + lane];
  });
}

//===-- Shared memory ---------------------------------------------------------===//

/// Row (all dims but the last, row-major) and column of an element.
static int64_t offsetIn(const SharedLayout &tile, ArrayRef<int64_t> shape, const int64_t *at) {
  int64_t row = 0, rank = shape.size();
  for (int64_t d = 0; d + 1 < rank; ++d)
    row = row * shape[d] + at[d];
  return tile.byteOffset(row, rank ? at[rank - 1] : 0);
}

LogicalResult WarpInterpreter::copyToShared(Operation *op, const Tensor &registers,
                                            const Fragment &fragment, const SharedLayout &tile,
                                            int64_t address) {
  for (int64_t reg = 0; reg < fragment.numRegisters; ++reg)
    for (int64_t lane = 0; lane < numLanes; ++lane)
      if (fragment.isInside(reg, lane) &&
          failed(block->memory.write(
              op, address + offsetIn(tile, fragment.shape, fragment.at(reg, lane)), registers.kind,
              registers.data[reg * numLanes + lane], self())))
        return failure();
  return success();
}

LogicalResult WarpInterpreter::copyFromShared(Operation *op, Tensor &registers,
                                              const Fragment &fragment, const SharedLayout &tile,
                                              int64_t address) {
  for (int64_t reg = 0; reg < fragment.numRegisters; ++reg)
    for (int64_t lane = 0; lane < numLanes; ++lane)
      if (fragment.isInside(reg, lane) &&
          failed(block->memory.read(
              op, address + offsetIn(tile, fragment.shape, fragment.at(reg, lane)), registers.kind,
              registers.data[reg * numLanes + lane], self())))
        return failure();
  return success();
}

LogicalResult WarpInterpreter::runRead(matile::ReadOp op) {
  const Fragment &layout = fragment(op.getType());
  Tensor registers = layout.make();
  if (failed(checkHeld(op, op.getBuffer())) ||
      failed(copyFromShared(op, registers, layout, op.getBuffer().getType().getSharedLayout(),
                            integer(op.getBuffer()))))
    return failure();
  setTile(op.getResult(), std::move(registers));
  return success();
}

LogicalResult WarpInterpreter::runWrite(matile::WriteOp op) {
  if (failed(meet(op)) ||
      failed(copyToShared(op, tile(op.getValue()), fragment(op.getValue().getType()),
                          op.getBuffer().getType().getSharedLayout(), integer(op.getBuffer()))))
    return failure();
  return meet(op);
}

LogicalResult WarpInterpreter::runCopyOut(matile::CopyOutOp op) {
  if (failed(checkHeld(op, op.getBuffer())))
    return failure();
  if (warp != 0) // one thread of the first warp speaks to TMA
    return success();
  matile::BufferType buffer = op.getBuffer().getType();
  SharedLayout shared = buffer.getSharedLayout();
  const TensorMap &map = *value(op.getMap()).map;
  TileAccess access = accessOf(op);
  if (map.swizzle != buffer.getSwizzle() || map.box[0] != buffer.getSlabColumns() ||
      map.dims.size() != op.getIndices().size() ||
      map.storage->kind != *getElementKind(buffer.getElementType()))
    return op.emitError("expected a tensor map whose box is a slab of ") << buffer;
  int64_t rowDim = map.dims.size() - 1 - access.walk[0], width = byteWidth(map.storage->kind);
  for (int64_t row = 0; row < shared.rows(); ++row)
    for (int64_t column = 0; column < shared.columns(); ++column) {
      Element element;
      if (failed(block->memory.read(op, integer(op.getBuffer()) + shared.byteOffset(row, column),
                                    map.storage->kind, element, self())))
        return failure();
      int64_t at = map.offset;
      bool inside = true,
           meant =
               (access.bounds[0] < 0 || access.indices[access.walk[0]] + row < access.bounds[0]) &&
               (access.bounds[1] < 0 || access.indices[access.walk[1]] + column < access.bounds[1]);
      for (int64_t d = 0, rank = map.dims.size(); d < rank; ++d) { // innermost first
        int64_t coordinate = access.indices[rank - 1 - d] + (d == 0        ? column
                                                             : d == rowDim ? row
                                                                           : 0);
        inside &= coordinate >= 0 && coordinate < map.dims[d];
        at += coordinate * (d == 0 ? 1 : map.strides[d - 1] / width);
      }
      if (inside != meant)
        return op.emitError("the tensor map clips elsewhere than the bounds of the op, at [")
               << row << ", " << column << "]";
      if (inside)
        map.storage->data[at] = element;
    }
  return success();
}

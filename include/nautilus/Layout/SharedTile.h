// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a tile lies in shared memory, and how the tensor cores' 64-bit descriptors walk it.
//
// Plain arithmetic on bytes, shared by whoever emits code for such tiles and whoever simulates it.
//
// Sources: PTX ISA, "Shared memory matrix layout" and "Matrix descriptor format" of
// wgmma.mma_async; CUDA driver API, swizzle modes of cuTensorMapEncodeTiled.

#ifndef NAUTILUS_LAYOUT_SHAREDTILE_H
#define NAUTILUS_LAYOUT_SHAREDTILE_H

#include <cstdint>

namespace nautilus::layout {

/// A byte address under the swizzle of rows of `span` bytes (32, 64, 128; 0: none): the bits above
/// a 16-byte chunk are flipped by the bits three places up. Absolute addresses and offsets from a
/// 1024-byte boundary swizzle alike.
inline int64_t swizzleAddress(int64_t address, int64_t span) {
  return span ? address ^ (address >> 3 & (span - 16)) : address;
}

/// A row-major tile, cut along its columns into slabs of `span` bytes (0: one plain slab).
struct SharedTile {
  int64_t rows, columns, elementBytes, span;

  int64_t slabColumns() const { return span ? span / elementBytes : columns; }
  int64_t numSlabs() const { return (columns + slabColumns() - 1) / slabColumns(); }
  /// Distance between slabs in bytes; a swizzled slab starts at a multiple of 1024.
  int64_t slabStride() const {
    int64_t size = rows * slabColumns() * elementBytes;
    return span ? (size + 1023) / 1024 * 1024 : size;
  }
  int64_t sizeInBytes() const { return numSlabs() * slabStride(); }
  /// Byte offset of an element.
  int64_t offsetOf(int64_t row, int64_t column) const {
    int64_t inSlab = (row * slabColumns() + column % slabColumns()) * elementBytes;
    return column / slabColumns() * slabStride() + swizzleAddress(inSlab, span);
  }
};

/// The descriptor by which wgmma finds an operand. Fields in bytes.
struct MatrixDescriptor {
  int64_t address = 0; ///< 18 bits, a multiple of 16
  int64_t leading = 0; ///< between the slabs of an operand whose contraction is not contiguous
  int64_t stride = 0;  ///< between groups of 8 rows
  int64_t span = 0;    ///< bytes of a swizzled row: 32, 64 or 128

  uint64_t encode() const {
    uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
    return mode << 62 | uint64_t(stride / 16) << 32 | uint64_t(leading / 16) << 16 |
           uint64_t(address & 0x3FFFF) >> 4;
  }
  static MatrixDescriptor decode(uint64_t bits) {
    constexpr int64_t spans[4] = {0, 128, 64, 32};
    auto field = [&](int first) { return int64_t(bits >> first & 0x3FFF) * 16; };
    return {field(0), field(16), field(32), spans[bits >> 62]};
  }
  /// Address of the element at row or column `outer` and contraction index `k` (from 0) of one
  /// instruction. `kMajor`: the contraction is contiguous.
  int64_t addressOf(int64_t outer, int64_t k, int64_t elementBytes, bool kMajor) const {
    if (kMajor)
      return swizzleAddress(address + outer / 8 * stride + outer % 8 * span + k * elementBytes,
                            span);
    int64_t perSlab = span / elementBytes;
    return swizzleAddress(address + outer / perSlab * leading + k / 8 * stride + k % 8 * span +
                              outer % perSlab * elementBytes,
                          span);
  }
};

/// How wgmma walks a swizzled tile of 16-bit elements as operand A or B.
class OperandWalk {
public:
  /// `kMajor`: the contiguous dim is the contraction.
  OperandWalk(const SharedTile &tile, bool kMajor) : tile(tile), kMajor(kMajor) {}

  bool isKMajor() const { return kMajor; }
  /// The descriptor of the tile's start, but for its address.
  MatrixDescriptor descriptor() const {
    MatrixDescriptor result;
    result.leading = kMajor || tile.numSlabs() == 1 ? 16 : tile.slabStride();
    result.stride = 8 * tile.span;
    result.span = tile.span;
    return result;
  }
  /// Byte offset of k-step `step` (16 elements of 16 bits).
  int64_t stepOffset(int64_t step) const {
    if (!kMajor)
      return step * 16 * tile.span;
    int64_t perSlab = tile.span / 32;
    return step / perSlab * tile.slabStride() + step % perSlab * 32;
  }
  /// Byte offset of a group of 64 rows or columns.
  int64_t groupOffset() const {
    return kMajor ? 64 * tile.span : 64 / tile.slabColumns() * tile.slabStride();
  }

private:
  SharedTile tile;
  bool kMajor;
};

} // namespace nautilus::layout

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a tile lie in shared memory: byte = slab * slab stride + swizzle(row * row
// stride + column in the slab).
//
// The tile is rows x columns with columns contiguous. It is cut along the columns into slabs of
// `span` bytes; inside a slab, rows are `span` bytes apart. A swizzle of 32, 64 or 128 bytes (the
// span) flips the number of a 16-byte chunk in its row by address bits 7 and up:
//
//   128: bits 4-6 ^= bits 7-9     64: bits 4-5 ^= bits 7-8     32: bit 4 ^= bit 7
//
// The hardware applies this to the absolute address, so offsets here hold for a tile that starts at
// a multiple of `alignment()`. Sources: PTX ISA, shared memory matrix layouts; CUDA driver API,
// cuTensorMapEncodeTiled.

#ifndef NAUTILUS_LAYOUT_SHAREDLAYOUT_H
#define NAUTILUS_LAYOUT_SHAREDLAYOUT_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>

namespace nautilus::layout {

/// Applies the swizzle of `span` bytes (0: none) to an address.
int64_t swizzleAddress(int64_t address, int64_t span);

/// One TMA copy's part of a tile: `rows` x `columns` from (row, column), written densely from
/// `byteOffset` on. Columns may lie beyond the tile's: copied with it, or zeros past the tensor.
struct TmaBox {
  int64_t row, column, rows, columns, byteOffset;
};

class SharedLayout {
public:
  /// One slab of whole rows, `padding` bytes between them.
  static SharedLayout rowMajor(int64_t rows, int64_t columns, int64_t elementBytes,
                               int64_t padding = 0);
  /// Slabs of 16 bytes without swizzle: wgmma's form without swizzle, 8 x 16 bytes at a time.
  static SharedLayout interleaved(int64_t rows, int64_t columns, int64_t elementBytes);
  /// Slabs of `span` = 32, 64 or 128 bytes, swizzled, each starting at a multiple of 1024 bytes.
  static SharedLayout swizzled(int64_t rows, int64_t columns, int64_t elementBytes, int64_t span);

  int64_t rows() const { return numRows; }
  int64_t columns() const { return numColumns; }
  int64_t elementBytes() const { return bytes; }
  /// 0, 32, 64 or 128.
  int64_t swizzle() const { return isSwizzled ? stride : 0; }
  /// Bytes from one row to the next in a slab.
  int64_t rowStride() const { return stride; }
  int64_t slabColumns() const { return columnsPerSlab; }
  int64_t numSlabs() const;
  int64_t slabStride() const { return slab; }
  int64_t sizeInBytes() const { return numSlabs() * slab; }
  /// What the tile's address must be a multiple of.
  int64_t alignment() const { return isSwizzled ? 8 * stride : 16; }
  /// The same with slabs `slabBytes` apart, for slabs between which something else lies.
  SharedLayout withSlabStride(int64_t slabBytes) const;
  /// True if slabs do not overlap and start where the swizzle pattern does; else says why.
  bool isValid(std::string *why) const;

  /// `row` and `column` below the padded extents.
  int64_t byteOffset(int64_t row, int64_t column) const;

  /// The copies that fill the tile, at most 256 rows each; none if TMA can't write this layout,
  /// and why. Each completes rows * columns * elementBytes bytes on its barrier, also where it
  /// reaches past the tensor.
  std::optional<llvm::SmallVector<TmaBox>> tmaBoxes(std::string *why) const;

  bool operator==(const SharedLayout &other) const;
  bool operator!=(const SharedLayout &other) const { return !(*this == other); }

private:
  SharedLayout(int64_t rows, int64_t columns, int64_t elementBytes, int64_t slabColumns,
               int64_t rowStride, bool isSwizzled);
  int64_t numRows, numColumns, bytes, columnsPerSlab, stride, slab;
  bool isSwizzled;
};

} // namespace nautilus::layout

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of a tile in shared memory, and the copies that fill it.

#include "nautilus/Layout/SharedLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace nautilus::layout;

static constexpr int64_t maxBoxExtent = 256; // cuTensorMapEncodeTiled: boxDim

int64_t nautilus::layout::swizzleAddress(int64_t address, int64_t span) {
  return span ? address ^ ((address >> 3) & (span - 16)) : address;
}

SharedLayout::SharedLayout(int64_t rows, int64_t columns, int64_t elementBytes, int64_t slabColumns,
                           int64_t rowStride, bool isSwizzled)
    : numRows(rows), numColumns(columns), bytes(elementBytes), columnsPerSlab(slabColumns),
      stride(rowStride), slab(rows * rowStride), isSwizzled(isSwizzled) {
  if (isSwizzled)
    slab = llvm::alignTo(slab, 1024);
}

SharedLayout SharedLayout::rowMajor(int64_t rows, int64_t columns, int64_t elementBytes,
                                    int64_t padding) {
  return SharedLayout(rows, columns, elementBytes, columns, columns * elementBytes + padding,
                      false);
}

SharedLayout SharedLayout::interleaved(int64_t rows, int64_t columns, int64_t elementBytes) {
  return SharedLayout(rows, columns, elementBytes, 16 / elementBytes, 16, false);
}

SharedLayout SharedLayout::swizzled(int64_t rows, int64_t columns, int64_t elementBytes,
                                    int64_t span) {
  return SharedLayout(rows, columns, elementBytes, span / elementBytes, span, true);
}

int64_t SharedLayout::numSlabs() const { return llvm::divideCeil(numColumns, columnsPerSlab); }

SharedLayout SharedLayout::withSlabStride(int64_t slabBytes) const {
  SharedLayout result = *this;
  result.slab = slabBytes;
  return result;
}

bool SharedLayout::isValid(std::string *why) const {
  auto no = [&](std::string reason) {
    if (why)
      *why = std::move(reason);
    return false;
  };
  if (numRows < 1 || numColumns < 1)
    return no("expected at least one row and one column");
  if (!llvm::isPowerOf2_64(bytes) || bytes > 16)
    return no("expected elements of 1 to 16 bytes, a power of two, got " + std::to_string(bytes));
  if (isSwizzled && stride != 32 && stride != 64 && stride != 128)
    return no("expected a swizzle of 32, 64 or 128 bytes, got " + std::to_string(stride));
  if (stride < columnsPerSlab * bytes)
    return no("expected rows that do not overlap");
  if (slab < numRows * stride)
    return no("expected slabs at least " + std::to_string(numRows * stride) + " bytes apart, got " +
              std::to_string(slab));
  if (slab % alignment() && numSlabs() > 1)
    return no("expected slabs at multiples of " + std::to_string(alignment()) + " bytes, got " +
              std::to_string(slab));
  return true;
}

int64_t SharedLayout::byteOffset(int64_t row, int64_t column) const {
  int64_t inSlab = row * stride + column % columnsPerSlab * bytes;
  return column / columnsPerSlab * slab + swizzleAddress(inSlab, swizzle());
}

std::optional<llvm::SmallVector<TmaBox>> SharedLayout::tmaBoxes(std::string *why) const {
  auto no = [&](std::string reason) {
    if (why)
      *why = std::move(reason);
    return std::nullopt;
  };
  if (!isValid(why))
    return std::nullopt;
  if (stride != columnsPerSlab * bytes)
    return no("its rows are padded");
  if (stride % 16)
    return no("its rows of " + std::to_string(stride) + " bytes are no multiple of 16 bytes");
  if (columnsPerSlab > maxBoxExtent)
    return no("its rows of " + std::to_string(columnsPerSlab) + " elements exceed a box of 256");
  llvm::SmallVector<TmaBox> boxes;
  for (int64_t s = 0; s < numSlabs(); ++s)
    for (int64_t row = 0; row < numRows; row += maxBoxExtent)
      boxes.push_back({row, s * columnsPerSlab, std::min(maxBoxExtent, numRows - row),
                       columnsPerSlab, s * slab + row * stride});
  return boxes;
}

bool SharedLayout::operator==(const SharedLayout &other) const {
  return numRows == other.numRows && numColumns == other.numColumns && bytes == other.bytes &&
         columnsPerSlab == other.columnsPerSlab && stride == other.stride && slab == other.slab &&
         isSwizzled == other.isSwizzled;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoding, decoding and walking of wgmma's matrix descriptors.

#include "nautilus/Layout/WgmmaDescriptor.h"
#include "llvm/Support/MathExtras.h"

using namespace nautilus::layout;

static constexpr int64_t stepBytes = 32; // of a row's contraction that one instruction reads
static constexpr int64_t maxField = (1 << 14) - 1; // 14 bits, in units of 16 bytes

//===-- Fields --------------------------------------------------------------===//

uint64_t WgmmaDescriptor::encode() const {
  auto field = [](int64_t bytes) { return uint64_t(bytes >> 4) & maxField; };
  uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  return mode << 62 | uint64_t(baseOffset & 7) << 49 | field(strideOffset) << 32 |
         field(leadingOffset) << 16 | field(start);
}

WgmmaDescriptor WgmmaDescriptor::decode(uint64_t bits) {
  auto field = [&](unsigned at) { return int64_t(bits >> at & maxField) << 4; };
  static constexpr int64_t modes[] = {0, 128, 64, 32};
  return {field(0), field(16), field(32), int64_t(bits >> 49 & 7), modes[bits >> 62]};
}

std::optional<int64_t> WgmmaDescriptor::elementAddress(Major major, int64_t elementBytes,
                                                       int64_t mn, int64_t k) const {
  if (baseOffset != 0)
    return std::nullopt;
  // Rows of a core matrix: 8 of them, a span apart (16 bytes without swizzle).
  int64_t span = swizzle ? swizzle : 16, address = start;
  if (major == Major::K) {
    int64_t inRow = k * elementBytes;
    address += mn / 8 * strideOffset + mn % 8 * span;
    address += swizzle ? inRow : inRow / 16 * leadingOffset + inRow % 16;
  } else {
    int64_t perSpan = span / elementBytes;
    int64_t toSpan = swizzle ? leadingOffset : strideOffset,
            toRows = swizzle ? strideOffset : leadingOffset;
    address += mn / perSpan * toSpan + mn % perSpan * elementBytes + k / 8 * toRows + k % 8 * span;
  }
  return swizzleAddress(address, swizzle);
}

//===-- Operands ------------------------------------------------------------===//

bool WgmmaOperand::isLegal(std::string *why) const {
  auto no = [&](std::string reason) {
    if (why)
      *why = std::move(reason);
    return false;
  };
  if (!layout.isValid(why))
    return false;
  int64_t bytes = layout.elementBytes();
  if (bytes > 4)
    return no("elements of " + std::to_string(bytes) + " bytes have no tensor core instruction");
  if (!layout.swizzle() && (layout.rowStride() != 16 || layout.slabColumns() * bytes != 16))
    return no("without swizzle its rows must be 16 bytes apart, in slabs of 16 bytes");
  if (major == Major::MN && bytes != 2)
    return no("only 16-bit elements may have their contraction along rows");
  int64_t rowMultiple = major == Major::K ? 8 : stepBytes / bytes;
  if (layout.rows() % rowMultiple)
    return no("its " + std::to_string(layout.rows()) + " rows are no multiple of " +
              std::to_string(rowMultiple));
  if (layout.slabStride() >> 4 > maxField)
    return no("its slabs of " + std::to_string(layout.slabStride()) + " bytes exceed a descriptor");
  if (!layout.swizzle() && major == Major::K && layout.numSlabs() % 2)
    return no("its columns are no multiple of " + std::to_string(stepBytes) + " bytes");
  return true;
}

WgmmaDescriptor WgmmaOperand::descriptor(int64_t start) const {
  // 8 rows of a slab, and from slab to slab: what they are called depends on the form.
  int64_t rows = 8 * layout.rowStride();
  int64_t slabs = layout.numSlabs() > 1 ? layout.slabStride() : 16;
  WgmmaDescriptor descriptor;
  descriptor.start = start;
  descriptor.swizzle = layout.swizzle();
  bool swap = major == Major::MN && !layout.swizzle();
  descriptor.strideOffset = swap ? slabs : rows;
  descriptor.leadingOffset = swap ? rows : slabs;
  if (major == Major::K && layout.swizzle())
    descriptor.leadingOffset = 16; // ignored
  return descriptor;
}

int64_t WgmmaOperand::numSteps() const {
  int64_t extent = major == Major::K ? layout.columns() : layout.rows();
  return llvm::divideCeil(extent * layout.elementBytes(), stepBytes);
}

int64_t WgmmaOperand::stepOffset(int64_t step) const {
  if (major == Major::MN)
    return step * (stepBytes / layout.elementBytes()) * layout.rowStride();
  int64_t inRow = step * stepBytes;
  return inRow / layout.rowStride() * layout.slabStride() + inRow % layout.rowStride();
}

int64_t WgmmaOperand::groupOffset(int64_t mn) const {
  if (major == Major::K)
    return mn * layout.rowStride();
  return mn / layout.slabColumns() * layout.slabStride();
}

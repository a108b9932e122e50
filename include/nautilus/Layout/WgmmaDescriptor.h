// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 64-bit descriptors through which wgmma reads operands in shared memory (sm_90): made from a
// SharedLayout, and decoded the way the hardware walks them, so that an oracle can read through
// them.
//
// An operand is indexed by (mn, k): a row of A or column of B, and the contraction. "K-major" has
// the contraction contiguous, "MN-major" the other index (16-bit elements only).
//
//            | LBO                                    | SBO
//   K-major  | ignored when swizzled (written as 16); | from 8 rows of mn to the next 8
//            | else from 16 bytes of k to the next 16 |
//   MN-major | from one span of mn to the next        | from 8 rows of k to the next 8
//   MN-major without swizzle: the two swap.
//
// Sources: PTX ISA, "Asynchronous warpgroup level matrix shared memory layout" and "matrix
// descriptor". Blackwell's tcgen05 has another format.

#ifndef NAUTILUS_LAYOUT_WGMMADESCRIPTOR_H
#define NAUTILUS_LAYOUT_WGMMADESCRIPTOR_H

#include "nautilus/Layout/SharedLayout.h"

namespace nautilus::layout {

enum class Major { K, MN };

/// The fields in bytes. Addresses have 18 bits and are multiples of 16.
struct WgmmaDescriptor {
  int64_t start = 0;
  int64_t leadingOffset = 0; ///< LBO
  int64_t strideOffset = 0;  ///< SBO
  int64_t baseOffset = 0;    ///< 0 where the swizzle pattern starts at a multiple of 8 * swizzle
  int64_t swizzle = 0;       ///< 0, 32, 64 or 128

  uint64_t encode() const;
  static WgmmaDescriptor decode(uint64_t bits);
  /// Where the instruction that is given this descriptor finds element (mn, k), k below 32 bytes'
  /// worth of elements. None for a base offset other than 0, which no descriptor made here has.
  std::optional<int64_t> elementAddress(Major major, int64_t elementBytes, int64_t mn,
                                        int64_t k) const;
};

/// A tile in shared memory as operand A or B.
class WgmmaOperand {
public:
  /// K-major: mn walks the tile's rows, k its columns; MN-major: the other way round.
  WgmmaOperand(const SharedLayout &layout, Major major) : layout(layout), major(major) {}

  /// Whether wgmma can read the tile so; else says why.
  bool isLegal(std::string *why) const;
  /// For the tile at shared memory address `start`, first step.
  WgmmaDescriptor descriptor(int64_t start = 0) const;
  /// Instructions along the contraction, 32 bytes per row each; a last one may read padding.
  int64_t numSteps() const;
  /// What step `step` adds to the start address, in bytes.
  int64_t stepOffset(int64_t step) const;
  /// What starting at index `mn` adds to the start address, in bytes; `mn` is a multiple of 8
  /// (K-major) or of the tile's slab columns (MN-major).
  int64_t groupOffset(int64_t mn) const;

private:
  SharedLayout layout;
  Major major;
};

} // namespace nautilus::layout

#endif

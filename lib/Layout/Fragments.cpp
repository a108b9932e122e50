// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts that tensor cores prescribe.

#include "nautilus/Layout/Fragments.h"
#include "llvm/Support/MathExtras.h"

using namespace nautilus::layout;
using Basis = RegisterLayout::Basis;
using Bases = llvm::SmallVector<Basis>;

static Basis down(int64_t rows) { return {int32_t(rows), 0}; }
static Basis across(int64_t columns) { return {0, int32_t(columns)}; }

/// Doubling steps from `first` up to `end`, exclusive.
static void addSteps(Bases &bases, int64_t first, int64_t end, Basis (*basis)(int64_t)) {
  for (int64_t step = first; step < end; step *= 2)
    bases.push_back(basis(step));
}

/// Warps down the rows, 16 rows each; repetitions of the whole group after them.
static void addRowBases(int64_t m, int64_t warps, Bases &registers, Bases &warpBases) {
  int64_t covered = 16;
  if (llvm::isPowerOf2_64(warps) || m <= 16 * warps) {
    addSteps(warpBases, covered, 16 * warps, down);
    addSteps(registers, 16 * int64_t(llvm::PowerOf2Ceil(warps)), m, down);
    return;
  }
  // The padded number of warps leaves gaps if whole groups repeat; so each power-of-two group of
  // warps has consecutive rows, and the missing ones would lie beyond the tile.
  int64_t group = warps & -warps, rows = llvm::PowerOf2Ceil(m * group / warps);
  addSteps(warpBases, covered, 16 * group, down);
  addSteps(registers, 16 * group, rows, down);
  addSteps(warpBases, rows, rows * warps / group, down);
}

/// An instruction gives a thread 32 bits of a row's contraction at a time: so many elements. Four
/// threads follow each other, then the second half of the instruction's 256 bits.
static int64_t packedElements(int64_t elementBits) {
  return std::max<int64_t>(1, 32 / elementBits);
}

static Bases quadLanes(int64_t packed) {
  return {across(packed), across(2 * packed), down(1), down(2), down(4)};
}

/// Accumulators and A operands: pairs of rows 8 apart between the two halves of the columns.
static RegisterLayout rowFragment(int64_t m, int64_t n, int64_t packed, int64_t warps) {
  Bases registers, warpBases;
  addSteps(registers, 1, packed, across);
  registers.push_back(down(8));
  addSteps(registers, 4 * packed, n, across);
  addRowBases(m, warps, registers, warpBases);
  return RegisterLayout({m, n}, registers, quadLanes(packed), warpBases);
}

RegisterLayout nautilus::layout::wgmmaAccumulator(int64_t m, int64_t n, int64_t warps) {
  return rowFragment(m, n, 2, warps);
}

RegisterLayout nautilus::layout::wgmmaOperandA(int64_t m, int64_t k, int64_t elementBits,
                                               int64_t warps) {
  return rowFragment(m, k, packedElements(elementBits), warps);
}

RegisterLayout nautilus::layout::mmaSyncAccumulator(int64_t m, int64_t n, int64_t warpsM,
                                                    int64_t warpsN) {
  Bases registers{across(1), down(8)}, warps;
  addSteps(warps, 16, 16 * warpsM, down);
  addSteps(warps, 8, 8 * warpsN, across);
  addSteps(registers, 8 * int64_t(llvm::PowerOf2Ceil(warpsN)), n, across);
  addSteps(registers, 16 * warpsM, m, down);
  return RegisterLayout({m, n}, registers, quadLanes(2), warps);
}

RegisterLayout nautilus::layout::mmaSyncOperandA(int64_t m, int64_t k, int64_t elementBits,
                                                 int64_t warpsM, int64_t warpsN) {
  RegisterLayout rows = wgmmaOperandA(m, k, elementBits, warpsM);
  Bases warps(rows.warpBases());
  for (int64_t warp = 1; warp < warpsN; warp *= 2)
    warps.push_back(down(0)); // warps of other columns read the same rows
  return RegisterLayout({m, k}, rows.registerBases(), rows.laneBases(), warps);
}

RegisterLayout nautilus::layout::mmaSyncOperandB(int64_t k, int64_t n, int64_t elementBits,
                                                 int64_t warpsM, int64_t warpsN) {
  int64_t packed = packedElements(elementBits);
  Bases registers, warps;
  addSteps(registers, 1, packed, down);
  addSteps(registers, 4 * packed, k, down);
  addSteps(registers, 8 * int64_t(llvm::PowerOf2Ceil(warpsN)), n, across);
  for (int64_t warp = 1; warp < warpsM; warp *= 2)
    warps.push_back(down(0)); // warps of other rows read the same columns
  addSteps(warps, 8, 8 * warpsN, across);
  Bases lanes{down(packed), down(2 * packed), across(1), across(2), across(4)};
  return RegisterLayout({k, n}, registers, lanes, warps);
}

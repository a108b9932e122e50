// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what it costs a warp to store a fragment to shared memory, or to load one from it.
//
// Shared memory has 32 banks of 4 bytes. A warp's access of 8 bytes per lane runs as two halves of
// 16 lanes, of 16 bytes as four quarters of 8 lanes; each such part takes as many wavefronts as the
// most words that it wants of one bank. Lanes that want the same word share it.

#ifndef NAUTILUS_LAYOUT_BANKCONFLICTS_H
#define NAUTILUS_LAYOUT_BANKCONFLICTS_H

#include "nautilus/Layout/RegisterLayout.h"
#include "nautilus/Layout/SharedLayout.h"

namespace nautilus::layout {

struct BankConflicts {
  int64_t instructions = 0; ///< accesses of the warp
  int64_t wavefronts = 0;   ///< what they take
  int64_t ideal = 0;        ///< what they would take without conflicts
  /// 1 is free of conflicts.
  double factor() const { return ideal ? double(wavefronts) / ideal : 1; }
};

/// Enumerates the accesses of warp `warp`, `width` elements in consecutive registers each. The
/// tile's last dim walks the columns of `shared`, its others, row-major, the rows. `width` must not
/// exceed vectorWidth(fragment, last dim), nor 16 bytes.
BankConflicts countBankConflicts(const RegisterLayout &fragment, const SharedLayout &shared,
                                 int64_t width, int64_t warp = 0);

} // namespace nautilus::layout

#endif

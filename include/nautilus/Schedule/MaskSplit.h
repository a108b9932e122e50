// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mask regions of a serial loop. Where every element of a tile is masked in, the mask needs no
// evaluation (the bare range); where none is, the iteration changes nothing and is dropped. What is
// left at either end runs with the mask. The predicates are affine, so the ranges are a few integer
// operations at run time, however long the loop is.

#ifndef NAUTILUS_SCHEDULE_MASKSPLIT_H
#define NAUTILUS_SCHEDULE_MASKSPLIT_H

#include "nautilus/Schedule/Body.h"

#include <map>
#include <optional>

namespace mlir::nautilus::schedule {

struct State;

/// `constant + sum of coefficients`, over axes (State::axes) and extents of dims.
struct LinearForm {
  std::map<unsigned, int64_t> axes;
  std::map<std::string, int64_t> dims;
  int64_t constant = 0;
};

/// A condition `form >= 0` that must hold for an element to be masked in; the coefficient of the
/// loop's axis is 1 (a lower bound) or -1 (an upper bound) and isn't in `form.axes`.
struct MaskCondition {
  bool isUpper;
  LinearForm form;
};

struct MaskSplit {
  SmallVector<MaskCondition> conditions;
  /// Statements with a mask, and their bodies where all conditions hold.
  std::map<unsigned, std::shared_ptr<const Body>> bareBodies;
};

/// The masks of the statements below `loop`, or nothing if no select there has an affine condition
/// on the loop's axis.
std::optional<MaskSplit> findMasks(const State &state, unsigned loop);

/// True if an iteration of `loop` in which the masks select their other branch everywhere leaves
/// all carried values as they are. Evaluates the loop's body on symbols; an algebraic identity (0 *
/// x = 0) counts, as the language leaves infinities behind a mask unspecified.
bool isIdleWhenMasked(const State &state, unsigned loop);

} // namespace mlir::nautilus::schedule

#endif

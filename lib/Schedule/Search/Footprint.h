// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tiles of a nest need on chip, as far as the search must know to propose only what the
// back end can hold.

#ifndef NAUTILUS_LIB_SCHEDULE_SEARCH_FOOTPRINT_H
#define NAUTILUS_LIB_SCHEDULE_SEARCH_FOOTPRINT_H

#include "Moves.h"

namespace mlir::nautilus::schedule {

/// True if one tile may cover the whole axis: its extent is known and small, as that of a head.
bool fitsOneTile(const Axis &axis);

/// True if the axis of `stmt` at `position` has a loop or fits one tile.
bool isTileBounded(const State &state, unsigned stmt, unsigned position);

/// True if each axis of `stmt` has a loop or fits one tile.
bool areTilesBounded(const State &state, unsigned stmt);

/// The candidate with tiles of loops halved until what is live in registers at a time fits, by
/// replaying its steps from `start`; inner loops shrink first, those of pinned knobs never.
Candidate shrinkToFit(const State &start, const Candidate &candidate,
                      const llvm::StringMap<int64_t> &pinned);

} // namespace mlir::nautilus::schedule

#endif

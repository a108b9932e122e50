// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether an iteration of a loop changes nothing when one of its masks is false everywhere.

#ifndef NAUTILUS_LIB_DIALECT_VRTILE_TRANSFORMS_DEADITERATION_H
#define NAUTILUS_LIB_DIALECT_VRTILE_TRANSFORMS_DEADITERATION_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::nautilus::vrtile {

/// True if the loop yields each carried value as it came, by identities of real numbers, in an
/// iteration where `mask` (a tile of i1 in its body) is false everywhere.
bool isIdentityWithoutMask(scf::ForOp loop, Value mask);

} // namespace mlir::nautilus::vrtile

#endif

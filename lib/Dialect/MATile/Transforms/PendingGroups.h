// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many groups of products a wait may leave in flight: for passes that move starts and waits.

#ifndef NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_PENDINGGROUPS_H
#define NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_PENDINGGROUPS_H

#include "nautilus/Dialect/MATile/IR/MATile.h"

namespace mlir::nautilus::matile {

/// Sets `pending` of every wait of the kernel to the most that is right on every way from the
/// product's start to the wait: groups end in the order of their starts, so that a wait that leaves
/// fewer in flight would wait for products that nobody needs yet.
void setPendingGroups(KernelOp kernel);

} // namespace mlir::nautilus::matile

#endif

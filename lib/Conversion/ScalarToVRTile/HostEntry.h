// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host entry that launches the kernels made of one nautilus_scalar.kernel.

#ifndef NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_HOSTENTRY_H
#define NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_HOSTENTRY_H

#include "GridConverter.h"
#include "nautilus/Dialect/Host/IR/Host.h"

namespace mlir::nautilus {

/// Makes the entry at the builder's insertion point: checks, workspaces, then one launch per plan.
host::EntryOp buildHostEntry(OpBuilder &builder, scalar::KernelOp kernel, const TensorTable &table,
                             ArrayRef<LaunchPlan> launches);

} // namespace mlir::nautilus

#endif

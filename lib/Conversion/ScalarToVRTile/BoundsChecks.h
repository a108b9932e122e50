// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of subscripts that may leave their tensor for some extents.

#ifndef NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_BOUNDSCHECKS_H
#define NAUTILUS_LIB_CONVERSION_SCALARTOVRTILE_BOUNDSCHECKS_H

#include "GridConverter.h"
#include "nautilus/Dialect/Host/IR/Host.h"

namespace mlir::nautilus {

/// Makes a `nautilus_host.check` for each subscript of a whole tensor that is not proven to stay
/// inside; `extentOf` gives the extent of a dim as an i64.
void buildBoundsChecks(OpBuilder &builder, scalar::KernelOp kernel, const TensorTable &table,
                       llvm::function_ref<Value(StringAttr)> extentOf);

} // namespace mlir::nautilus

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many neighbouring tiles of a grid may be worked on together so that what their loops read
// again and again stays in the L2 cache.

#ifndef NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_CACHESECTIONS_H
#define NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_CACHESECTIONS_H

#include "mlir/IR/Builders.h"
#include "nautilus/Dialect/Host/IR/Host.h"
#include "nautilus/Dialect/MATile/IR/MATile.h"

namespace mlir::nautilus::matile {

/// The number of positions along all axes but `axis`, counted through in the order of the grid,
/// whose loops together read at most `cacheBytes` through stages that do not depend on `axis`; at
/// least 1 and at most all. An i64 value made at the builder, in front of `launch`.
Value countCachedPositions(OpBuilder &b, KernelOp kernel, OriginOp origin, unsigned axis,
                           host::LaunchOp launch, int64_t cacheBytes);

} // namespace mlir::nautilus::matile

#endif

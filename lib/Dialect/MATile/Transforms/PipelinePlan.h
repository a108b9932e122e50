// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the plan of a pipelined loop is written down: one pass chooses it, another carries it out.

#ifndef NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_PIPELINEPLAN_H
#define NAUTILUS_LIB_DIALECT_MATILE_TRANSFORMS_PIPELINEPLAN_H

#include "llvm/ADT/StringRef.h"

namespace mlir::nautilus::matile {

/// By how many iterations of the new loop an op runs after the first ones of its own iteration.
inline constexpr llvm::StringLiteral stageAttrName = "nautilus_matile.stage";
/// Its place among the ops of the new loop's body.
inline constexpr llvm::StringLiteral orderAttrName = "nautilus_matile.order";

} // namespace mlir::nautilus::matile

#endif

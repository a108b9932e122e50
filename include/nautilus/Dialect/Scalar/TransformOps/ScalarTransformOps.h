// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedule scripts: the transform ops, what holds schedules while a script runs, and how a script
// is written from steps and run on a kernel.
//
// A kernel's script is the named sequence `@<kernel>_schedule` of its module, with the kernel as
// its one argument. Knobs that are open in the script take their value from the kernel's
// `nautilus_scalar.parameters` attribute, a dictionary from knob name to integer.

#ifndef NAUTILUS_DIALECT_SCALAR_TRANSFORMOPS_SCALARTRANSFORMOPS_H
#define NAUTILUS_DIALECT_SCALAR_TRANSFORMOPS_SCALARTRANSFORMOPS_H

#include "nautilus/Schedule/Search.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#define GET_OP_CLASSES
#include "nautilus/Dialect/Scalar/TransformOps/ScalarTransformOps.h.inc"

namespace mlir::nautilus::scalar {

void registerTransformOps(DialectRegistry &registry);

/// Name of the dictionary attribute on a kernel that selects open knobs.
inline constexpr llvm::StringLiteral kParametersAttrName = "nautilus_scalar.parameters";

/// The script of a kernel, or null.
transform::NamedSequenceOp findSchedule(KernelOp kernel);

/// What the attributes of `kernel` settle for a search.
schedule::SearchOptions getSearchOptions(KernelOp kernel);

/// Writes `steps` as the script of `kernel` into its module.
transform::NamedSequenceOp writeSchedule(KernelOp kernel, ArrayRef<schedule::Primitive> steps);

/// Runs `script` on the schedule of `kernel`, starting from `state`. Errors are at the step.
FailureOr<schedule::State> runSchedule(KernelOp kernel, transform::NamedSequenceOp script,
                                       schedule::State state);

} // namespace mlir::nautilus::scalar

#endif

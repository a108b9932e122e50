// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the transform interpreter keeps the schedule that a script works on.

#ifndef NAUTILUS_LIB_DIALECT_SCALAR_TRANSFORMOPS_SCHEDULEEXTENSION_H
#define NAUTILUS_LIB_DIALECT_SCALAR_TRANSFORMOPS_SCHEDULEEXTENSION_H

#include "nautilus/Schedule/State.h"

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

namespace mlir::nautilus::scalar {

class ScheduleExtension : public transform::TransformState::Extension {
public:
  ScheduleExtension(transform::TransformState &transformState, Operation *kernel,
                    schedule::State schedule)
      : Extension(transformState), kernel(kernel), schedule(std::move(schedule)) {}

  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScheduleExtension)

  Operation *kernel;
  schedule::State schedule;
};

} // namespace mlir::nautilus::scalar

#endif

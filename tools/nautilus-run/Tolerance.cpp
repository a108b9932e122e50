// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default tolerance of nautilus-run.

#include "Tolerance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mlir::nautilus;

double run_tool::defaultTolerance(scalar::KernelOp kernel, interpreter::Mode mode,
                                  bool hasTileAlgebra) {
  double tolerance = mode == interpreter::Mode::Real ? 1e-10 : 1e-5;
  if (hasTileAlgebra)
    tolerance = std::max(tolerance, 1e-6);
  kernel.walk([&](arith::TruncFOp cast) {
    auto type = mlir::cast<FloatType>(getElementTypeOrSelf(cast.getType()));
    tolerance = std::max(tolerance, std::ldexp(1.0, -static_cast<int>(type.getFPMantissaWidth())));
  });
  return tolerance;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How each product of a kernel will be computed, by the rules of the target's tensor-core
// instructions.

#ifndef NAUTILUS_LIB_CONVERSION_VRTILETOMATILE_DOTPLAN_H
#define NAUTILUS_LIB_CONVERSION_VRTILETOMATILE_DOTPLAN_H

#include "nautilus/Dialect/MATile/IR/MATile.h"
#include "nautilus/Dialect/VRTile/IR/VRTile.h"
#include <string>

namespace mlir::nautilus {

struct DotChoice {
  matile::DotKind kind = matile::DotKind::Fma;
  std::string reason; ///< of `Fma`: the rule that the product breaks
  /// The contraction, padded to a whole number of instruction steps; the pad is zero in both
  /// operands.
  int64_t contraction = 0;
  bool onTensorCores() const { return kind != matile::DotKind::Fma; }
};

class DotPlan {
public:
  DotPlan(vrtile::KernelOp kernel, StringRef arch);
  /// Warps that hold the kernel's fragments: those that the launch options ask for, unless a
  /// product would have to leave the tensor cores. Else for wgmma one warpgroup per 64 rows of a
  /// product, up to three; four otherwise, or fewer when a product has less than 64 rows.
  int64_t getWarps() const { return warps; }
  /// Why the launch options' number of warps isn't taken, or an empty string.
  const std::string &getRefusal() const { return refusal; }
  DotChoice choose(vrtile::DotOp dot) const { return choose(dot, warps); }
  /// Whether the architecture has tiles copied by TMA and consumed by wgmma.
  bool hasAsyncCopies() const { return hopper; }

private:
  DotChoice choose(vrtile::DotOp dot, int64_t warps) const;
  void deriveWarps(vrtile::KernelOp kernel);
  /// Why `asked` warps would not do, or an empty string.
  std::string getObstacle(vrtile::KernelOp kernel, int64_t asked) const;
  bool hopper;
  int64_t warps = 4;
  std::string refusal;
};

/// The load behind a product's operand, looking through transposes, which flip `transposed`; null
/// if it is not a load.
vrtile::LoadOp getOperandLoad(Value operand, bool &transposed);

} // namespace mlir::nautilus

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on nautilus_vrtile, where tile algebra is rewritten.

#ifndef NAUTILUS_DIALECT_VRTILE_TRANSFORMS_PASSES_TD
#define NAUTILUS_DIALECT_VRTILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def HoistInvariantPass : Pass<"nautilus-vrtile-hoist-invariant", "::mlir::nautilus::vrtile::KernelOp"> {
  let summary = "move what a loop does not change out of it, loads included";
  let description = [{
    *What and why.* A tile that every iteration of a loop reads or computes alike, such as the rows of one operand of a product, is loaded or computed once before the
    loop. Upstream's loop-invariant code motion leaves loads where they are; here a load may move when nothing in the loop stores. Numeric class: exact.

    *Requires.* Nothing.

    *Guarantees.* Values are unchanged. A hoisted load may run where the loop would not: its bounds keep it inside the tensor.

    *Example.* `test/Dialect/VRTile/Transforms/hoist-invariant.mlir`

    *Refuses.* Loads in a loop that stores stay.
  }];
  let statistics = [Statistic<"numHoisted", "num-hoisted", "Ops moved out of a loop">];
}

#endif

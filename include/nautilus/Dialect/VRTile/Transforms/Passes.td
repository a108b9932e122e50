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

def RewriteAlgebraPass : Pass<"nautilus-vrtile-rewrite-algebra", "::mlir::nautilus::vrtile::KernelOp"> {
  let summary = "cheaper arithmetic on tiles by identities of real numbers";
  let description = [{
    *What and why.* Three families of rewrites, numeric class algebraic (identities of real numbers; roundings move):
    division (by a constant becomes a product; by a value that is the same along a row becomes one reciprocal per row), exponentials (`exp` becomes `exp2`, which the
    hardware has, with the constant folded into scales that are there already, so that an element costs one FMA and one exponential), and masks (a select of zero around an
    exponential moves into its argument as -inf, where it meets the select that the running maximum needs).

    *Requires.* Nothing.

    *Guarantees.* Real-number results are unchanged, for rows that are masked out entirely too: a mask moves only where the subtrahend is provably not -inf.

    *Example.* `test/Dialect/VRTile/Transforms/rewrite-algebra.mlir`

    *Refuses.* With `numerics=strict` the pass does nothing. A mask around an exponential whose subtrahend may be -inf stays.
  }];
  let options = [
    Option<"numerics", "numerics", "std::string", "\"default\"", "strict: no algebraic rewrite; default and fast: all of them">
  ];
  let statistics = [Statistic<"numRewritten", "num-rewritten", "Divisions, exponentials and masks rewritten">];
}

#endif

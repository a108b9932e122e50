// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on nautilus_vrtile, where tile algebra is rewritten.

#ifndef NAUTILUS_DIALECT_VRTILE_TRANSFORMS_PASSES_TD
#define NAUTILUS_DIALECT_VRTILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// Each family has a numeric class (Numerics.h); a pass whose class is above the policy does nothing and says so.
def NumericPolicyOption : Option<"numerics", "numerics", "::mlir::nautilus::vrtile::NumericPolicy",
    /*default=*/"::mlir::nautilus::vrtile::NumericPolicy::Default", "Numeric classes that may be used: strict is exact only; default adds algebraic, as most programs gain speed and lose no digits; fast adds approved",
    [{::llvm::cl::values(
      clEnumValN(::mlir::nautilus::vrtile::NumericPolicy::Strict, "strict", "exact rewrites"),
      clEnumValN(::mlir::nautilus::vrtile::NumericPolicy::Default, "default", "exact and algebraic rewrites"),
      clEnumValN(::mlir::nautilus::vrtile::NumericPolicy::Fast, "fast", "all rewrites"))}]>;

class FamilyPass<string argument> : Pass<argument, "::mlir::nautilus::vrtile::KernelOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numRewrites", "num-rewrites", "Rewrites applied">];
}

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

def NarrowTilesPass : FamilyPass<"nautilus-vrtile-narrow-tiles"> {
  let summary = "compute before broadcasts and transposes; fold transposes into products";
  let description = [{
    *What and why.* An elementwise op on broadcast tiles is computed on the tiles before the broadcast: once per row in place of once per element. Casts move with it. An elementwise
    op on transposed tiles is computed before the transpose, which then composes with others, turns into another broadcast, moves behind a reduction, or ends as the
    major-ness flag of a `dot`. Numeric class: exact.

    *Requires.* Nothing.

    *Guarantees.* Same bits.

    *Example.* `test/Dialect/VRTile/Transforms/narrow-tiles.mlir`

    *Refuses.* Operands that are broadcast or transposed in different ways stay.
  }];
}

def FactorScalesPass : FamilyPass<"nautilus-vrtile-factor-scales"> {
  let summary = "move positive constant scales out of masks, maxima and minima";
  let description = [{
    *What and why.* `max(c * x)` is `c * max(x)` and `select(p, c * x, -inf)` is `c * select(p, x, -inf)` for a finite c > 0: a multiplication per row in place of one per
    element, or none once an exponential takes the constant (nautilus-vrtile-exp-to-exp2 comes next, and would hide it). Division by a constant alike. Numeric class: exact;
    rounding is monotone and commutes with the choice of an element.

    *Requires.* Nothing.

    *Guarantees.* Same bits. A scale moves only if every use of the scaled tile takes it, so that no op is added.

    *Example.* `test/Dialect/VRTile/Transforms/factor-scales.mlir`

    *Refuses.* A scale that is not a positive finite constant stays, with a missed remark.
  }];
}

def ExpToExp2Pass : FamilyPass<"nautilus-vrtile-exp-to-exp2"> {
  let summary = "exp as exp2, the constant folded into scales and row terms";
  let description = [{
    *What and why.* GPUs have an instruction for 2^x only. `exp(x)` becomes `exp2(x * log2(e))`; the constant goes into a constant factor that is there, and through sums into what is
    broadcast, so that `exp(c*s - m)` is `exp2((c*log2e)*s - (m*log2e))` with one multiply-add per element. Numeric class: algebraic (1 to 2 ulp of the exponent's product; scores beyond
    2.3e38 overflow).

    *Requires.* nautilus-vrtile-factor-scales before it, for the full gain.

    *Guarantees.* No `math.exp` on f32 or f64 is left. The number of ops per element does not rise.

    *Example.* `test/Dialect/VRTile/Transforms/exp-to-exp2.mlir`

    *Refuses.* Types other than f32 and f64, and a strict policy: missed remarks.
  }];
  let options = [NumericPolicyOption];
}

def ReuseMasksPass : FamilyPass<"nautilus-vrtile-reuse-masks"> {
  let summary = "one mask before an exponential instead of several after it";
  let description = [{
    *What and why.* `select(p, exp(x - y), 0)` is `exp(select(p, x, -inf) - y)` if y is not -inf. When that masked x exists, because the row's maximum was taken of it, all selects
    after the exponential go. Else one mask goes on the exponent, if it replaces several. Numeric class: algebraic (where y is NaN, masked elements are NaN like all others of their row).

    *Requires.* CSE before it, so that equal masks are one value.

    *Guarantees.* Values are unchanged where the row's shift is a number.

    *Example.* `test/Dialect/VRTile/Transforms/reuse-masks.mlir`

    *Refuses.* Uses of the exponential outside of the mask; a single mask where no masked tile can be used or the shift may be -inf; a strict policy: missed remarks.
  }];
  let options = [NumericPolicyOption];
}

def DelayDivisionPass : FamilyPass<"nautilus-vrtile-delay-division"> {
  let summary = "move factors and divisors that a sum does not see out of it, and out of its loop";
  let description = [{
    *What and why.* `sum(x / d)` is `sum(x) / d` when d does not run along the summed dim; the rows of a product alike; a loop that starts at zero and only adds terms with one
    invariant factor is scaled once, after it. A program written normalised gets one division per row. Numeric class: algebraic; approved where a rounding to a type of smaller range
    than f32's (f16, fp8) lies between the factor and the sum, as the undivided value may overflow there.

    *Requires.* Nothing.

    *Guarantees.* Equal in real numbers. A loop without iterations still gives zero.

    *Example.* `test/Dialect/VRTile/Transforms/delay-division.mlir`

    *Refuses.* Approved cases under the default policy, all under a strict one: missed remarks.
  }];
  let options = [NumericPolicyOption];
}

def TelescopePass : FamilyPass<"nautilus-vrtile-telescope"> {
  let summary = "cancel factors from one iteration to the next";
  let description = [{
    *What and why.* A loop that yields `a * y / y' + z / y'`, with y' the next value of the carried y, keeps its sum normalised in each iteration. It carries `a * y` instead, adds z, and
    divides once after the loop: two operations per element and iteration less. Numeric class: algebraic.

    *Requires.* The loop starts `a` at zero.

    *Guarantees.* Equal in real numbers if no y' is zero. A loop without iterations still gives zero.

    *Example.* `test/Dialect/VRTile/Transforms/telescope.mlir`

    *Refuses.* Other uses of the carried sum; a strict policy: a missed remark.
  }];
  let options = [NumericPolicyOption];
}

def ReciprocalPass : FamilyPass<"nautilus-vrtile-reciprocal"> {
  let summary = "one division per row, then multiplications";
  let description = [{
    *What and why.* `x / broadcast(y)` becomes `x * broadcast(1 / y)`, and `x / c` becomes `x * (1/c)`. A division costs about ten multiplications. Numeric class: algebraic (one more
    rounding; divisors below 2^-126 overflow).

    *Requires.* Nothing.

    *Guarantees.* Equal in real numbers.

    *Example.* `test/Dialect/VRTile/Transforms/reciprocal.mlir`

    *Refuses.* Divisors that differ for each element stay; a strict policy: a missed remark.
  }];
  let options = [NumericPolicyOption];
}

def FormFMAPass : FamilyPass<"nautilus-vrtile-form-fma"> {
  let summary = "fuse a product and a sum into a multiply-add";
  let description = [{
    *What and why.* A product that only a sum or a difference reads becomes `math.fma`: one op in place of two. Nothing further down contracts by itself. Signs go into constants and row
    terms. Numeric class: algebraic (one rounding instead of two).

    *Requires.* To be the last family, as others look for products.

    *Guarantees.* Equal in real numbers.

    *Example.* `test/Dialect/VRTile/Transforms/form-fma.mlir`

    *Refuses.* Products with other uses stay; a strict policy: a missed remark.
  }];
  let options = [NumericPolicyOption];
}

def DropDeadIterationsPass : FamilyPass<"nautilus-vrtile-drop-dead-iterations"> {
  let summary = "end loops where a mask is false everywhere and the iteration changes nothing";
  let description = [{
    *What and why.* Under a causal mask or a window most blocks have iterations whose mask is false for every element. If the loop then yields each carried value as it came, these
    iterations go: the loop's range is cut to where the mask may be true. That they change nothing is derived from the body: with the mask false, values are numbered, and identities
    (`max(x, -inf)`, `exp(-inf)`, `x * 1`, a reduction of its identity, equal ops on equal operands) must join each yielded value with the carried one. Numeric class: algebraic (zero
    times an infinity or NaN that only masked elements read is taken as zero).

    *Requires.* Masks that are linear in the induction variable with factor 1 or -1; a constant step.

    *Guarantees.* Other iterations run in their order.

    *Example.* `test/Dialect/VRTile/Transforms/drop-dead-iterations.mlir`

    *Refuses.* A body that changes a carried value while the mask is false; a strict policy: missed remarks.
  }];
  let options = [NumericPolicyOption];
}

def SplitLoopsPass : FamilyPass<"nautilus-vrtile-split-loops"> {
  let summary = "give the iterations in which all masks are true a loop without masks";
  let description = [{
    *What and why.* Masks of tails, causality and windows are true everywhere in most iterations. The loop becomes up to three in a row: the first masked, the second bare, the third masked;
    empty ones run no iteration. Numeric class: exact.

    *Requires.* Masks that are linear in the induction variable with factor 1 or -1; a constant step. Dead iterations dropped before.

    *Guarantees.* Same bits; each iteration runs once, in its order.

    *Example.* `test/Dialect/VRTile/Transforms/split-loops.mlir`

    *Refuses.* A step that is not constant: a missed remark. Masks that are not linear stay in all loops.
  }];
}

def RemoveMasksPass : FamilyPass<"nautilus-vrtile-remove-masks"> {
  let summary = "remove masks and bounds that ranges prove";
  let description = [{
    *What and why.* A mask that is true (or false) for all elements of all iterations becomes a constant, and folds away; bounds of loads and stores whose tile is always inside go. Origins are
    multiples of their tile below the extent, induction variables are the lower bound plus multiples of the step below the upper bound; a claim holds if its negation has no integer
    solution. Numeric class: exact.

    *Requires.* Coordinates that are sums of index values and positions.

    *Guarantees.* Same bits.

    *Example.* `test/Dialect/VRTile/Transforms/remove-masks.mlir`

    *Refuses.* A mask that is not proven stays, with a missed remark.
  }];
  let statistics = [
    Statistic<"numRewrites", "num-rewrites", "Masks removed">,
    Statistic<"numBounds", "num-bounds", "Bounds removed">
  ];
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on nautilus_scalar: choosing a schedule, then carrying it out.

#ifndef NAUTILUS_DIALECT_SCALAR_TRANSFORMS_PASSES_TD
#define NAUTILUS_DIALECT_SCALAR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScalarDefaultSchedulePass : Pass<"nautilus-scalar-default-schedule", "::mlir::ModuleOp"> {
  let summary = "write the plain schedule of every kernel that has none";
  let description = [{
    *What and why.* Chooses tile sizes by a fixed rule (nautilus/Schedule/DefaultSchedule.h) and writes them as a script
    `@<kernel>_schedule`: every statement becomes a launch of its own. The schedule that always works; `nautilus-scalar-auto-schedule` finds better ones.

    *Requires.* Kernels in math form. Kernels with a script or in loop form are left alone.

    *Guarantees.* Every kernel in math form has a script. Kernels themselves are unchanged.

    *Example.* `test/Dialect/Scalar/Transforms/default-schedule.mlir`

    *Refuses.* Nothing.
  }];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
  let statistics = [Statistic<"numKernels", "num-kernels", "Kernels that got the plain schedule">];
}

def ScalarAutoSchedulePass : Pass<"nautilus-scalar-auto-schedule", "::mlir::ModuleOp"> {
  let summary = "find a schedule for every kernel that has none";
  let description = [{
    *What and why.* Searches the schedules that fusion, rolling updates and tiling lead to (nautilus/Schedule/Search.h, docs/Scheduling.md), ranks them by an
    estimate of their time, and writes the best as a script `@<kernel>_schedule`. So formulas alone lead to fused kernels.

    *Requires.* Kernels in math form. Kernels with a script or in loop form are left alone.

    *Guarantees.* Every kernel in math form has a script whose steps are all legal. Kernels themselves are unchanged. The same kernel gets the same script, whatever
    its statements, axes and arguments are called. Sizes of tiles are `transform.tune.knob` values called `<statement>.<axis>`, selected by the cost model
    (nautilus/Schedule/Cost.h), or by the kernel's `nautilus_scalar.parameters` where these name the knob.

    *Example.* `test/Dialect/Scalar/Transforms/auto-schedule.mlir`

    *Refuses.* An unknown architecture, with an error. Otherwise nothing: a statement that can't join others becomes a launch of its own.
  }];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "Architecture whose limits and speeds decide">,
    Option<"beam", "beam", "unsigned", "32", "States kept after each statement">
  ];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Kernels that got a schedule">,
    Statistic<"numSeeds", "num-seeds", "Complete schedules found">
  ];
}

def ScalarApplySchedulePass : Pass<"nautilus-scalar-apply-schedule", "::mlir::ModuleOp"> {
  let summary = "carry out the schedules: statements under grid and tile loops";
  let description = [{
    *What and why.* Runs the script `@<kernel>_schedule` of every kernel in math form on the kernel's block graph, completes what the script leaves
    open by the rules of the plain schedule, and writes the result as loop form. Choices are made before, so that they can be read, edited and replayed.

    *Requires.* Knobs of the script are selected, in the script or in the kernel's `nautilus_scalar.parameters`.

    *Guarantees.* Kernels are in loop form: a sequence of `nautilus_scalar.grid` ops, then `return`. Values are unchanged up to the order of summation. The scripts
    are gone; parameters stay.

    *Example.* `test/Dialect/Scalar/Transforms/apply-schedule.mlir`

    *Refuses.* A step that isn't legal is an error at the step with the reason; an open knob is an error at the knob; an axis that one tile has to cover and whose
    dim is dynamic is an error at the statement.
  }];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
  let statistics = [
    Statistic<"numGrids", "num-grids", "Grids written, one launch each">,
    Statistic<"numCompletedSteps", "num-completed-steps", "Steps added to what scripts left open">
  ];
}

def ScalarPrintCostPass : Pass<"nautilus-scalar-print-cost", "::mlir::ModuleOp"> {
  let summary = "print what the cost model says of each kernel's schedule";
  let description = [{
    *What and why.* Estimates the launches of every kernel under its script (or the plain schedule, without one) and prints the terms of the cost
    model: work by unit, traffic, footprint, time and what bounds it. For people, and for tests of the model.

    *Requires.* Kernels in math form or loop form; knobs of scripts are selected.

    *Guarantees.* The module is unchanged.

    *Example.* `test/Dialect/Scalar/Transforms/print-cost.mlir`

    *Refuses.* An architecture without a description, and what applying the schedule refuses.
  }];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "Architecture, as ptxas names it (default: sm_90a)">,
    Option<"scheduleFile", "schedule", "std::string", "\"\"", "Path of a file with schedule scripts, which replace those of the module (default: none, the module's own)">,
    ListOption<"extents", "extents", "std::string", "Extents of dims that are known only at the call, such as M=4096 (default: none, their hints)">,
    Option<"rank", "rank", "unsigned", "0", "Opens all tile sizes above 1 and prints this many of the best choices for them (default: 0, none)">
  ];
  let statistics = [Statistic<"numKernels", "num-kernels", "Kernels whose cost was printed">];
}

#endif

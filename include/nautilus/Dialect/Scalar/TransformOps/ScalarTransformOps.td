// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a schedule script: one transform op per primitive of nautilus/Schedule/Primitives.h.

#ifndef NAUTILUS_DIALECT_SCALAR_TRANSFORMOPS_SCALARTRANSFORMOPS_TD
#define NAUTILUS_DIALECT_SCALAR_TRANSFORMOPS_SCALARTRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "nautilus/Dialect/Scalar/IR/ScalarAttributes.td"

class Scalar_TransformOp<string name, list<Trait> traits = []>
    : Op<Transform_Dialect, "nautilus_scalar." # name, !listconcat([
        DeclareOpInterfaceMethods<TransformOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)> {
  let cppNamespace = "::mlir::nautilus::scalar::schedule_script";
}

defvar schedulingText = [{
    Works on the schedule of the kernel that `kernel` stands for, not on its IR: the pass
    `nautilus-scalar-apply-schedule` runs the script and then writes the loops. A step that isn't legal
    is an error that says why. Created by choosing passes or by hand; gone once the schedule is applied.
}];

def TileOp : Scalar_TransformOp<"tile"> {
  let summary = "put a loop over tiles of one axis around a statement";
  let description = schedulingText # [{
    Loops over parallel axes stand outside those over reduction axes. The size is a number or a
    parameter, which a `transform.tune.knob` gives; the tile keeps the knob's name.

    ```mlir
    %t = transform.tune.knob<"T_i"> = 128 from options = [64, 128] -> !transform.any_param
    transform.nautilus_scalar.tile %kernel "C" ["i"] by %t : !transform.any_op, !transform.any_param
    transform.nautilus_scalar.tile %kernel "C" ["k"] by 64 : !transform.any_op
    ```
    Constraint: (C1) the size is given once.
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement, StrAttr:$axis,
                       Optional<TransformParamTypeInterface>:$size, OptionalAttr<I64Attr>:$static_size);
  let assemblyFormat = [{
    $kernel $statement `[` $axis `]` `by` ($static_size^)? ($size^)? attr-dict `:` type($kernel) (`,` type($size)^)?
  }];
  let hasVerifier = 1;
}

def BindOp : Scalar_TransformOp<"bind"> {
  let summary = "bind the loop over a statement's axis to thread blocks";
  let description = schedulingText # [{
    ```mlir
    transform.nautilus_scalar.bind %kernel "C" ["i"] : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement, StrAttr:$axis);
  let assemblyFormat = "$kernel $statement `[` $axis `]` attr-dict `:` type($kernel)";
}

def FuseOp : Scalar_TransformOp<"fuse"> {
  let summary = "move a statement into a loop of another statement";
  let description = schedulingText # [{
    The statement stands alone and without loops before; it takes over the tiling of the loop over
    `axis` around statement `into` and of the loops around that one.

    ```mlir
    transform.nautilus_scalar.fuse %kernel "X" into "S" ["j"] : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement, StrAttr:$into, StrAttr:$axis);
  let assemblyFormat = "$kernel $statement `into` $into `[` $axis `]` attr-dict `:` type($kernel)";
}

def RollOp : Scalar_TransformOp<"roll"> {
  let summary = "move a reduction into a loop that is still computing what it reads";
  let description = schedulingText # [{
    The statement stands alone and without loops before, and reduces over the axis of the loop. The elementwise statements between it and the unfinished reductions become
    part of it. The loop carries its running value, which is repaired in every iteration (a map `<name>.repair`); factors that can wait are applied after the loop.
    What to carry, the repair and the rest are derived from the bodies; a body for which there is none is refused with the offending term.

    ```mlir
    transform.nautilus_scalar.roll %kernel "P.sum" into "P.max" ["j"] : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement, StrAttr:$into, StrAttr:$axis);
  let assemblyFormat = "$kernel $statement `into` $into `[` $axis `]` attr-dict `:` type($kernel)";
}

def InlineOp : Scalar_TransformOp<"inline"> {
  let summary = "compute an elementwise statement at each of its readers";
  let description = schedulingText # [{
    ```mlir
    transform.nautilus_scalar.inline %kernel "S" : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement);
  let assemblyFormat = "$kernel $statement attr-dict `:` type($kernel)";
}

def CloneOp : Scalar_TransformOp<"clone"> {
  let summary = "copy a statement for one of its readers";
  let description = schedulingText # [{
    The copy stands alone without loops, so that it can be fused where the reader stands.

    ```mlir
    transform.nautilus_scalar.clone %kernel "E" for "O" as "E.1" : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement, StrAttr:$reader, StrAttr:$name);
  let assemblyFormat = "$kernel $statement `for` $reader `as` $name attr-dict `:` type($kernel)";
}

def SplitMaskOp : Scalar_TransformOp<"split_mask"> {
  let summary = "split the range of a serial loop into parts with and without its masks";
  let description = schedulingText # [{
    Masks are selects on affine comparisons of the loop's axis in the statements below the loop. In
    the bare part they hold everywhere and are left out; iterations in which one hides everything are
    dropped, which is legal because they would change nothing.

    ```mlir
    transform.nautilus_scalar.split_mask %kernel "S" ["j"] : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement, StrAttr:$axis);
  let assemblyFormat = "$kernel $statement `[` $axis `]` attr-dict `:` type($kernel)";
}

def ConfigureOp : Scalar_TransformOp<"configure"> {
  let summary = "set how the launch that computes a statement runs";
  let description = schedulingText # [{
    Warps, stages, persistence and grid order, see `#nautilus_scalar.launch`. They hold for the launch that the statement ends up in, and replace what an
    earlier step said about it; a statement that joins another launch takes that one's.

    ```mlir
    transform.nautilus_scalar.configure %kernel "S" <warps = 8, stages = 2, persistent, order = longest_first> : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement, Scalar_LaunchAttr:$options);
  let assemblyFormat = "$kernel $statement $options attr-dict `:` type($kernel)";
}

def SplitReduceOp : Scalar_TransformOp<"split_reduce"> {
  let summary = "cut the range of a serial loop into parts that run at the same time";
  let description = schedulingText # [{
    The loop goes to a launch with one more grid axis, over parts (`<axis>.part`); the reductions that it carries write one partial value per part
    (`<name>.part`). A launch after it merges them: with the repairs that the loop applies, so that parts with different maxima, say, count alike. What
    followed the loop in its launch follows the merge. Comes after the steps that fill the loop. The number of parts is a number or a parameter.

    ```mlir
    %p = transform.tune.knob<"P"> = 8 from options = [4, 8, 16] -> !transform.any_param
    transform.nautilus_scalar.split_reduce %kernel "C" ["k"] into %p : !transform.any_op, !transform.any_param
    ```
    Constraint: (C1) the number of parts is given once.
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, StrAttr:$statement, StrAttr:$axis,
                       Optional<TransformParamTypeInterface>:$parts, OptionalAttr<I64Attr>:$static_parts);
  let assemblyFormat = [{
    $kernel $statement `[` $axis `]` `into` ($static_parts^)? ($parts^)? attr-dict `:` type($kernel) (`,` type($parts)^)?
  }];
  let hasVerifier = 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of nautilus_scalar in the order that a program uses them: kernel, statements, what
// stands in statement bodies, and the loops of loop form.

#ifndef NAUTILUS_DIALECT_SCALAR_IR_SCALAROPS_TD
#define NAUTILUS_DIALECT_SCALAR_IR_SCALAROPS_TD

include "nautilus/Dialect/Scalar/IR/ScalarAttributes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Scalar_Op<string mnemonic, list<Trait> traits = []> : Op<Scalar_Dialect, mnemonic, traits>;

def Scalar_KernelOp : Scalar_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a tensor program: named dims, tensors over them, statements";
  let description = [{
    `dims` declares every dim; `arguments` and `results` declare tensors (a `#nautilus_scalar.tensor`
    each) whose kernel rank is the number of factors of their dims. The body has one block argument
    per argument tensor and ends in `return` with one value per result tensor.

    ```mlir
    nautilus_scalar.kernel @matmul dims [M = 128, N hint 4096, K = 64]
        (%A = A[M, K] : tensor<128x64xf16>, %B = B[K, N] : tensor<64x?xf16>)
        -> (C[M, N] : tensor<128x?xf32>) {
      ...
    }
    ```
    A dim with a number is static; `N` or `N hint 4096` is dynamic (MLIR has no `~` token).

    Constraints:
    - (C1) dim names are distinct.
    - (C2) every factor of every tensor dim is a declared dim.
    - (C3) the type of an argument is a ranked tensor with one dim per factor; a static dim has its size, a dynamic one is `?`.
    - (C4) argument and result names are distinct.
    - (C5) `return` yields one value per result, of the type that (C3) gives.

    Created by a front end; in loop form after the schedule is applied; gone after the conversion to nautilus_vrtile.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, ArrayAttr:$dims,
                       ArrayAttr:$arguments, ArrayAttr:$results, ArrayAttr:$result_types);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The declared dim of that name, or null.
    DimAttr lookupDim(::llvm::StringRef name);
    TensorAttr getArgument(unsigned i) { return ::llvm::cast<TensorAttr>(getArguments()[i]); }
    TensorAttr getResultTensor(unsigned i) { return ::llvm::cast<TensorAttr>(getResults()[i]); }
    ::mlir::RankedTensorType getResultTensorType(unsigned i) {
      return ::llvm::cast<::mlir::RankedTensorType>(::llvm::cast<::mlir::TypeAttr>(getResultTypes()[i]).getValue());
    }
    ReturnOp getReturn();
  }];
}

def Scalar_ReturnOp : Scalar_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "ends a kernel with its result tensors";
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

//===-- Statements --------------------------------------------------------===//

defvar statementText = [{
    Axes are listed as `[i: M, j: N]`; in loop form a tiled axis is `i: M tile 128 at %i0` (`at` may be
    left out: origin 0). Each input is bound to a body argument of its element type and read at
    subscripts that are affine in the axes (`+`, `-`, `*`, `floordiv`, `mod` by constants):
    `%a = %A[i, k]`. A subscript of a kernel argument is in coordinates of the whole tensor (origin plus
    position); one of a value made by a statement of the same loop nest is in coordinates of that
    tile; see `isTileValue`.
}];

def Scalar_MapOp : Scalar_Op<"map", [Pure, AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a statement that computes each element from inputs at affine subscripts";
  let description = statementText # [{
    The result has one dim per axis, in the order of the axes.

    ```mlir
    %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %m = %m0[i] : tensor<?xf32>) -> tensor<?x?xf32> {
      %0 = arith.subf %x, %m : f32
      %1 = math.exp %0 : f32
      nautilus_scalar.yield %1 : f32
    }
    ```
    Constraints:
    - (C1) one indexing map per input, with as many dims as there are axes and as many results as the input has dims.
    - (C2) axis names are distinct; each dim is declared by the kernel.
    - (C3) the result has one dim per axis: `tile` if it is set, else the extent of the dim.
    - (C4) one origin operand per axis whose bit in `origin_axes` is set, in axis order; such an axis has a tile.
    - (C5) the body has one argument per input, of its element type, and yields one value of the result's element type.

    Created by front ends; carried into loop form by materialisation; gone after the conversion to nautilus_vrtile.
  }];
  let arguments = (ins StrAttr:$name, ArrayAttr:$axes, DenseBoolArrayAttr:$origin_axes, AffineMapArrayAttr:$indexing_maps,
                       Variadic<AnyRankedTensor>:$inputs, Variadic<Index>:$origins);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumAxes() { return getAxes().size(); }
    AxisAttr getAxis(unsigned i) { return ::llvm::cast<AxisAttr>(getAxes()[i]); }
    /// The origin of axis `i`, or null for origin 0.
    ::mlir::Value getOrigin(unsigned i);
  }];
}

def Scalar_ReduceOp : Scalar_Op<"reduce", [Pure, AttrSizedOperandSegments, IsolatedFromAbove,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a statement that combines elements over its reduction axes";
  let description = statementText # [{
    The body gives the elements (K values for a K-tuple, K = number of results), `combine` merges two
    K-tuples and must be associative and commutative up to rounding, `identity` is its neutral
    element and the value of an empty reduction. Points outside the domain do not take part. With `init`
    the results start from those tiles instead of the identity.

    ```mlir
    %S = nautilus_scalar.reduce "S" [i: M, j: N] over [k: K] (%a = %A[i, k] : tensor<128x64xf16>, %b = %B[k, j] : tensor<64x?xf16>) -> tensor<128x?xf32> {
      %0 = arith.extf %a : f16 to f32
      %1 = arith.extf %b : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      nautilus_scalar.yield %2 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    ```
    Constraints:
    - (C1) one indexing map per input over `axes` followed by `reduction_axes`.
    - (C2) axis names are distinct; each dim is declared by the kernel; there is at least one reduction axis.
    - (C3) each result has one dim per axis of `axes`: `tile` if it is set, else the extent of the dim.
    - (C4) as for `map`; `origin_axes` covers `axes` then `reduction_axes`.
    - (C5) the body has one argument per input and yields K values of the results' element types.
    - (C6) `combine` has 2K arguments of the results' element types and yields K such values; `identity` has K attributes of those types.
    - (C7) `inits` is empty or has the K types of the results.
  }];
  let arguments = (ins StrAttr:$name, ArrayAttr:$axes, ArrayAttr:$reduction_axes, DenseBoolArrayAttr:$origin_axes,
                       AffineMapArrayAttr:$indexing_maps, ArrayAttr:$identities,
                       Variadic<AnyRankedTensor>:$inputs, Variadic<Index>:$origins, Variadic<AnyRankedTensor>:$inits);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Number of axes, then of all axes with the reduction axes last.
    unsigned getNumParallelAxes() { return getAxes().size(); }
    unsigned getNumAxes() { return getAxes().size() + getReductionAxes().size(); }
    AxisAttr getAxis(unsigned i) {
      unsigned p = getNumParallelAxes();
      return ::llvm::cast<AxisAttr>(i < p ? getAxes()[i] : getReductionAxes()[i - p]);
    }
    /// The origin of axis `i` (reduction axes last), or null for origin 0.
    ::mlir::Value getOrigin(unsigned i);
  }];
}

def Scalar_YieldOp : Scalar_Op<"yield", [Pure, Terminator]> {
  let summary = "ends a statement body, a combiner or a serial loop with its values";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def Scalar_IndexOp : Scalar_Op<"index", [Pure]> {
  let summary = "the coordinate of an axis of the enclosing statement";
  let description = [{
    In coordinates of the whole dim, also when the axis is a tile. Constraint: (C1) stands in a
    statement body and names one of that statement's axes.
  }];
  let arguments = (ins StrAttr:$axis);
  let results = (outs Index:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}

def Scalar_DimOp : Scalar_Op<"dim", [Pure]> {
  let summary = "the extent of a dim of the kernel";
  let description = [{
    Stands in a kernel or in a statement body. Folds to a constant when the dim is static. Constraint:
    (C1) names a declared dim.
  }];
  let arguments = (ins StrAttr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===-- Loop form ---------------------------------------------------------===//

def Scalar_GridOp : Scalar_Op<"grid", [RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "parallel tile loops, one thread block per point; assembles its results from tiles";
  let description = [{
    Runs its body once for each tile of the product of `axes` (all with a tile), in any order. Block
    arguments are the origins of the tiles, in elements. The body ends in `assemble`, which gives the
    tile of each result and the axes that its dims walk; result `r` is the whole tensor over the dims of
    those axes. Axes with a tile that covers their dim need not be loop axes.

    ```mlir
    %C = nautilus_scalar.grid (%i0, %j0) = [i: M tile 128, j: N tile 128] -> tensor<?x?xf32> {
      ...
      nautilus_scalar.assemble %c [i: M, j: N] : tensor<128x128xf32>
    }
    ```
    Constraints:
    - (C1) every axis has a tile > 0; names are distinct; dims are declared by the kernel.
    - (C2) one block argument of type index per axis.
    - (C3) `assemble` names every grid axis, with its dim and tile, in every result, so that no two blocks write one element.
    - (C4) result `r` has the extents of the dims of its axes and the element type of its tile.
  }];
  let arguments = (ins ArrayAttr:$axes);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    AxisAttr getAxis(unsigned i) { return ::llvm::cast<AxisAttr>(getAxes()[i]); }
    AssembleOp getAssemble();
  }];
}

def Scalar_AssembleOp : Scalar_Op<"assemble", [Pure, Terminator, HasParent<"GridOp">]> {
  let summary = "ends a grid: which tile each result is made of, and the axes of its dims";
  let description = [{
    `axes` holds one list of `#nautilus_scalar.axis` per operand, one axis per dim of the tile, with
    `tile` set to the size of that dim (so the text leaves it out). Elements outside a dim's extent
    are dropped. Several results: `assemble %c [i: M, j: N], %m [i: M] : tensor<…>, tensor<…>`.

    Constraints:
    - (C1) one list of axes per tile, one axis per dim, with `tile` equal to that dim's static size.
    - (C2) axis names are distinct within a list; each dim is declared by the kernel.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$tiles, ArrayAttr:$axes);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Scalar_ForOp : Scalar_Op<"for", [AttrSizedOperandSegments, RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a serial tile loop that carries values";
  let description = [{
    Runs over the tiles of one axis from `lower` to `upper` (both in elements, multiples of the tile from
    `lower` on; default the whole dim), with loop-carried tiles. The body yields the next values; the
    results are the last ones, or the initial ones if the loop does not run.

    ```mlir
    %acc = nautilus_scalar.for %k0 = [k: K tile 64] iter (%c = %zero : tensor<128x128xf32>) {
      ...
      nautilus_scalar.yield %next : tensor<128x128xf32>
    }
    %r = nautilus_scalar.for %j0 = [j: N tile 128] from %lo to %hi iter (...) { ... }
    ```
    Constraints:
    - (C1) the axis has a tile > 0 and its dim is declared.
    - (C2) block arguments: the origin (index), then one per carried value, of its type; `yield` and the results have those types.
  }];
  let arguments = (ins Scalar_AxisAttr:$axis, Optional<Index>:$lower, Optional<Index>:$upper, Variadic<AnyRankedTensor>:$inits);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Scalar_FillOp : Scalar_Op<"fill", [Pure]> {
  let summary = "a tile with one value everywhere: the start of a carried value";
  let description = [{
    Constraints:
    - (C1) the result has a static shape.
    - (C2) `value` has the element type of the result.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of nautilus_vrtile in the order that data flows through them.

#ifndef NAUTILUS_DIALECT_VRTILE_IR_VRTILEOPS_TD
#define NAUTILUS_DIALECT_VRTILE_IR_VRTILEOPS_TD

include "nautilus/Dialect/VRTile/IR/VRTileDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class VRTile_Op<string mnemonic, list<Trait> traits = []> : Op<VRTile_Dialect, mnemonic, traits>;

def VRTile_Tile : StaticShapeTensorOf<[AnyType]>;

def VRTile_KernelOp : VRTile_Op<"kernel", [IsolatedFromAbove, FunctionOpInterface, SingleBlock]> {
  let summary = "the program of one thread block";
  let description = [{
    Block arguments: one strided memref per tensor, then the dims (index) that the program needs. The
    host entry launches as many blocks as `origin` has tiles.

    ```mlir
    nautilus_vrtile.kernel @double(%X: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %N: index) {
      %i0 = nautilus_vrtile.origin [128 of %N] : index
      %x = nautilus_vrtile.load %X[%i0] walk [0] bounds [%N] : memref<?xf32, strided<[?], offset: ?>> -> tensor<128xf32>
      %y = arith.addf %x, %x : tensor<128xf32>
      nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%N] : tensor<128xf32>, memref<?xf32, strided<[?], offset: ?>>
      nautilus_vrtile.return
    }
    ```
    Constraints:
    - (C1) arguments are memrefs and index values.
    - (C2) it has exactly one `origin`, at the top level of the body.

    Created by the conversion from nautilus_scalar, one per `grid`; gone after the conversion to nautilus_matile.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    OriginOp getOrigin();
  }];
}

def VRTile_ReturnOp : VRTile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "ends a kernel";
  let assemblyFormat = "attr-dict";
}

def VRTile_OriginOp : VRTile_Op<"origin", [AttrSizedOperandSegments, HasParent<"KernelOp">]> {
  let summary = "where this block stands: the origin of its tile along each grid axis";
  let description = [{
    The grid is the product of ceil(extent / tile) over the axes; block number b, in row-major order with
    the last axis fastest, gives the tile numbers, and the results are tile number times tile size.
    `static_extents` has the extent of an axis, or ShapedType::kDynamic with an operand in `extents`.
    Constraints: (C1) tiles are positive, one per axis; (C2) one operand per dynamic extent; (C3) one result per axis.
    Its order attribute, if any, permutes blocks; it never changes which tiles there are.
  }];
  let arguments = (ins DenseI64ArrayAttr:$tiles, DenseI64ArrayAttr:$static_extents, Variadic<Index>:$extents, Optional<Index>:$block);
  let results = (outs Variadic<Index>:$origins);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

defvar accessText = [{
    `indices` gives one coordinate per dim of the memref; `walk` says, for each dim of the tile, along
    which memref dim it runs. `bounds` (one per tile dim when given, else none) are the extents along those dims:
    elements at or past a bound, or below 0, are not touched. `static_bounds` has the bound of a tile dim,
    ShapedType::kDynamic for an operand of `bounds`, or -1 for a dim that is proven inside.
}];

def VRTile_LoadOp : VRTile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "a tile of a tensor in global memory; `padding` outside its bounds";
  let description = accessText # [{
    An element outside the bounds has the value `padding` (zero if absent).
    Constraints: (C1) one index per memref dim; (C2) `walk` has distinct memref dims, one per tile dim; (C3) `static_bounds` has
    one entry per tile dim and one operand per dynamic one; (C4) element types agree; `padding` has that type.
  }];
  let arguments = (ins Arg<AnyStridedMemRef, "source", [MemRead]>:$source, Variadic<Index>:$indices, DenseI64ArrayAttr:$walk,
                       DenseI64ArrayAttr:$static_bounds, Variadic<Index>:$bounds, OptionalAttr<TypedAttrInterface>:$padding);
  let results = (outs VRTile_Tile:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def VRTile_StoreOp : VRTile_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "write a tile to a tensor in global memory, inside its bounds only";
  let description = accessText # [{
    Constraints as for `load`.
  }];
  let arguments = (ins VRTile_Tile:$value, Arg<AnyStridedMemRef, "destination", [MemWrite]>:$dest, Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$walk, DenseI64ArrayAttr:$static_bounds, Variadic<Index>:$bounds);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def VRTile_DotOp : VRTile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + lhs * rhs, products and sums in the accumulator type";
  let description = [{
    `lhs` is MxK, or KxM with `transpose_lhs`; `rhs` is KxN, or NxK with `transpose_rhs`; `acc` is MxN.
    Constraints: (C1) ranks are 2 and the extents agree; (C2) lhs and rhs have one element type, float of at most
    the width of acc's float type.
  }];
  let arguments = (ins VRTile_Tile:$lhs, VRTile_Tile:$rhs, VRTile_Tile:$acc, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs VRTile_Tile:$result);
  let assemblyFormat = [{
    $lhs (`transpose` $transpose_lhs^)? `,` $rhs (`transpose` $transpose_rhs^)? `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def VRTile_ReduceOp : VRTile_Op<"reduce", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "combine the elements of K tiles along one dim";
  let description = [{
    The combiner has 2K scalar arguments and yields K values; `identities` are its neutral elements. The order
    is unspecified. Constraints: (C1) inputs have one shape, `dim` is inside its rank, results are that shape
    without `dim` and with the inputs' element types; (C2) combiner arguments and yields, and `identities`, have the element types.
  }];
  let arguments = (ins Variadic<VRTile_Tile>:$inputs, I64Attr:$dim, ArrayAttr:$identities);
  let results = (outs Variadic<VRTile_Tile>:$outputs);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $inputs `along` $dim `identity` $identities attr-dict `:` type($inputs) `->` type($outputs) $combiner
  }];
  let hasVerifier = 1;
}

def VRTile_YieldOp : VRTile_Op<"yield", [Pure, Terminator, HasParent<"ReduceOp">]> {
  let summary = "ends a combiner";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def VRTile_BroadcastOp : VRTile_Op<"broadcast", [Pure]> {
  let summary = "repeat a tile along new dims";
  let description = [{
    `dims` gives, for each dim of the operand, the result dim that it becomes, in increasing order; the result does not depend
    on the others. Constraints: (C1) one entry per operand dim, increasing, inside the result's rank; (C2) those extents agree;
    (C3) element types agree.
  }];
  let arguments = (ins VRTile_Tile:$source, DenseI64ArrayAttr:$dims);
  let results = (outs VRTile_Tile:$result);
  let assemblyFormat = "$source `to` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VRTile_TransposeOp : VRTile_Op<"transpose", [Pure]> {
  let summary = "permute the dims of a tile: result dim i is operand dim permutation[i]";
  let arguments = (ins VRTile_Tile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs VRTile_Tile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VRTile_IotaOp : VRTile_Op<"iota", [Pure]> {
  let summary = "start plus the position along one dim, as a symbolic tile";
  let description = [{
    Never folds into a dense constant, so that masks stay symbolic. Constraint: (C1) integer or index elements; `dim` inside the rank.
  }];
  let arguments = (ins Index:$start, I64Attr:$dim);
  let results = (outs VRTile_Tile:$result);
  let assemblyFormat = "$start `along` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def VRTile_SplatOp : VRTile_Op<"splat", [Pure]> {
  let summary = "a scalar everywhere in a tile";
  let arguments = (ins AnyType:$value);
  let results = (outs VRTile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

#endif

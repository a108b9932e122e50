// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of nautilus_scalar: dims, axes over them, tensors declared with them, and how a launch
// runs.

#ifndef NAUTILUS_DIALECT_SCALAR_IR_SCALARATTRIBUTES_TD
#define NAUTILUS_DIALECT_SCALAR_IR_SCALARATTRIBUTES_TD

include "nautilus/Dialect/Scalar/IR/ScalarDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Scalar_Attr<string name, string mnemonic_> : AttrDef<Scalar_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Scalar_DimAttr : Scalar_Attr<"Dim", "dim"> {
  let summary = "a named extent";
  let description = [{
    `size` is the extent, or ShapedType::kDynamic when it is known only at the call. `hint`
    (0 = none) is a typical size for scheduling; it never limits what is right.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size, DefaultValuedParameter<"int64_t", "0">:$hint);
  let assemblyFormat = "`<` $name `,` $size (`,` $hint^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isDynamic() const { return ::mlir::ShapedType::isDynamic(getSize()); }
  }];
}

def Scalar_AxisAttr : Scalar_Attr<"Axis", "axis"> {
  let summary = "an axis of a statement or loop: a name that runs over a dim, whole or by tiles";
  let description = [{
    `tile` = 0: the axis runs over the whole dim (math form, or a loop-form axis that one tile
    covers at origin 0 is written with `tile` equal to the size). `tile` > 0: the axis has that many
    points, starting at the origin that the op gives, and points at or past the extent of the dim
    are outside the domain. The name is an identifier (dots and `$` allowed) other than a word of
    affine expressions (`mod`, `floordiv`, `ceildiv`, `symbol`), because subscripts print it bare.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$dim, DefaultValuedParameter<"int64_t", "0">:$tile);
  let assemblyFormat = "`<` $name `,` $dim (`,` $tile^)? `>`";
  let genVerifyDecl = 1;
}

def Scalar_TensorAttr : Scalar_Attr<"Tensor", "tensor"> {
  let summary = "the declaration of a kernel tensor: its name and, for each dim that a caller sees, the named dims whose product it is";
  let description = [{
    `Q[B, G*R, M, D]` is a rank-4 tensor for the caller and a rank-5 tensor in the kernel:
    `dims = [["B"], ["G", "R"], ["M"], ["D"]]`. The last factor of a product runs fastest.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::ArrayAttr":$dims);
  let assemblyFormat = "`<` $name `,` $dims `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The named dims in kernel order, products flattened.
    ::llvm::SmallVector<::mlir::StringAttr> getFlatDims() const;
    /// Rank that the caller sees.
    int64_t getOuterRank() const { return getDims().size(); }
  }];
}

def Scalar_GridOrder : I32EnumAttr<"GridOrder", "the order in which the tiles of a grid are started", [
    I32EnumAttrCase<"Natural", 0, "natural">, I32EnumAttrCase<"LongestFirst", 1, "longest_first">,
    I32EnumAttrCase<"Grouped", 2, "grouped">]> {
  let cppNamespace = "::mlir::nautilus::scalar";
  let genSpecializedAttr = 0;
}

def Scalar_LaunchAttr : Scalar_Attr<"Launch", "launch"> {
  let summary = "how a launch runs, apart from what it computes";
  let description = [{
    `warps` is the number of computing warps, `stages` the number of slots of a channel that is filled in a loop; 0, or left out, leaves the number to the back end.
    With `persistent` blocks stay and take several tiles each. `order` says which tiles are started first: as they are numbered (`natural`), those with
    the longest loops (`longest_first`), or neighbours along two axes together, which share operands (`grouped`).

    ```mlir
    #nautilus_scalar.launch<warps = 8, stages = 2, persistent, order = longest_first>
    ```
    The discardable attribute `nautilus_scalar.launch` holds it on a `grid`, and below on the kernel that is made of the grid. Written by materialisation
    (primitive `configure`), read by the conversion to nautilus_matile and the passes there.

    Constraints: (C1) warps are 0 to 16; (C2) stages are 0 to 16.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$warps, DefaultValuedParameter<"int64_t", "0">:$stages,
                        DefaultValuedParameter<"bool", "false">:$persistent,
                        DefaultValuedParameter<"::mlir::nautilus::scalar::GridOrder", "::mlir::nautilus::scalar::GridOrder::Natural">:$order);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The most that either number may be.
    static constexpr int64_t kMaxCount = 16;
    /// The attribute of a grid or kernel, or null.
    static LaunchAttr lookup(::mlir::Operation *op);
  }];
}

#endif

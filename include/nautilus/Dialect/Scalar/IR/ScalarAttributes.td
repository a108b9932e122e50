// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of nautilus_scalar: dims, axes over them, and tensors declared with them.

#ifndef NAUTILUS_DIALECT_SCALAR_IR_SCALARATTRIBUTES_TD
#define NAUTILUS_DIALECT_SCALAR_IR_SCALARATTRIBUTES_TD

include "nautilus/Dialect/Scalar/IR/ScalarDialect.td"
include "mlir/IR/AttrTypeBase.td"

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

#endif

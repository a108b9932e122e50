// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes and types of nautilus_matile: layouts, buffers, channels.

#ifndef NAUTILUS_DIALECT_MATILE_IR_MATILETYPES_TD
#define NAUTILUS_DIALECT_MATILE_IR_MATILETYPES_TD

include "nautilus/Dialect/MATile/IR/MATileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

def MATile_LayoutAttr : AttrDef<MATile_Dialect, "Layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which register of which thread holds which element of a fragment";
  let description = [{
    A linear map over GF(2) from the bits of (register, lane, warp) to tile coordinates (nautilus/Layout/Layout.h): bit k of an index contributes
    basis k, contributions are combined by exclusive or. A zero basis repeats the data. Registers whose elements lie outside the tile are
    not there. `warp` counts the warps that hold the tile, from 0.

    ```mlir
    #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
    ```
    Constraints: (C1) every basis has one coordinate per dim of the tensor; (C2) the map covers the tile.
  }];
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"int32_t">:$reg, ArrayRefParameter<"int32_t">:$lane, ArrayRefParameter<"int32_t">:$warp);
  let hasCustomAssemblyFormat = 1;
}

class MATile_I32Enum<string name, string text, list<I32EnumAttrCase> cases> : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::mlir::nautilus::matile";
  let genSpecializedAttr = 0;
}

def MATile_DotKind : MATile_I32Enum<"DotKind", "how a product is computed", [
    I32EnumAttrCase<"Wgmma", 0, "wgmma">, I32EnumAttrCase<"MmaSync", 1, "mma_sync">, I32EnumAttrCase<"Fma", 2, "fma">]>;
def MATile_DotKindAttr : EnumAttr<MATile_Dialect, MATile_DotKind, "dot_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def MATile_BufferType : TypeDef<MATile_Dialect, "Buffer", [ShapedTypeInterface]> {
  let mnemonic = "buffer";
  let summary = "a tile in shared memory";
  let description = [{
    Row-major with the last dim contiguous, cut along that dim into slabs of `swizzle` bytes (32, 64 or 128; 0 = one plain slab): slab s holds columns
    [s*w, (s+1)*w) of all rows, rows 'swizzle' bytes apart, and inside a slab 16-byte chunks are permuted by the exclusive-or pattern that TMA and wgmma
    share. A slab starts at a multiple of 1024 bytes.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$swizzle);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    BufferType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type elementType) const;
    /// The tile with its dims before the last as rows.
    ::nautilus::layout::SharedLayout getSharedLayout() const;
    /// Bytes of shared memory that the tile takes, a multiple of 1024 when swizzled.
    int64_t getSizeInBytes() const;
    /// Columns of one slab.
    int64_t getSlabColumns() const;
    /// Number of slabs and the distance between them, in bytes.
    int64_t getNumSlabs() const;
    int64_t getSlabStride() const;
  }];
}

def MATile_ChannelType : TypeDef<MATile_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "a ring of slots in shared memory, each with a full and an empty barrier";
  let parameters = (ins "int64_t":$slots, "BufferType":$buffer);
  let assemblyFormat = "`<` $slots `x` $buffer `>`";
  let genVerifyDecl = 1;
}

#endif

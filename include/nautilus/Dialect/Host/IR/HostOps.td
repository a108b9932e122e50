// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_host dialect: what the host does at each call of a kernel.

#ifndef NAUTILUS_DIALECT_HOST_IR_HOSTOPS_TD
#define NAUTILUS_DIALECT_HOST_IR_HOSTOPS_TD

include "nautilus/Dialect/Host/IR/HostTypes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Host_Op<string mnemonic, list<Trait> traits = []> : Op<Host_Dialect, mnemonic, traits>;

def Host_EntryOp : Host_Op<"entry", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "the calling side of one kernel of the source program";
  let description = [{
    ```mlir
    nautilus_host.entry @matmul dims [#nautilus_scalar.dim<"M", 128>, ...] arguments [#nautilus_scalar.tensor<"A", [["M"], ["K"]]>, ...]
        types [tensor<128x64xf16>, ...] results 1 {
      ...
    }
    ```
    `tensors` lists arguments, then the `num_results` results (the caller provides both). `types` has their kernel-rank tensor types.
    Constraints: (C1) one type per tensor; (C2) tensor and dim names are distinct; (C3) every factor of a tensor dim is a declared dim.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$dims, ArrayAttr:$tensors, TypeArrayAttr:$types, I64Attr:$num_results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `dims` $dims `tensors` $tensors `types` $types `results` $num_results attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Position of the tensor of that name, or -1.
    int64_t lookupTensor(::llvm::StringRef name);
    /// True if a dim of that name is declared.
    bool hasDim(::llvm::StringRef name);
  }];
}

def Host_DimOp : Host_Op<"dim", [Pure]> {
  let summary = "the extent of a named dim at this call";
  let arguments = (ins StrAttr:$dim);
  let results = (outs I64:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

def Host_AddressOp : Host_Op<"address", [Pure]> {
  let summary = "the address of the first element of a tensor";
  let arguments = (ins StrAttr:$tensor);
  let results = (outs I64:$result);
  let assemblyFormat = "$tensor attr-dict";
  let hasVerifier = 1;
}

def Host_StrideOp : Host_Op<"stride", [Pure]> {
  let summary = "the stride of a kernel dim of a tensor, in elements";
  let description = [{
    Kernel dims are the flattened factors: in a product dim `G*R` of stride s, R has stride s and G has s times the extent of R.
  }];
  let arguments = (ins StrAttr:$tensor, I64Attr:$index);
  let results = (outs I64:$result);
  let assemblyFormat = "$tensor `[` $index `]` attr-dict";
  let hasVerifier = 1;
}

def Host_MultiprocessorsOp : Host_Op<"multiprocessors", [Pure]> {
  let summary = "the number of multiprocessors of the device that the call runs on";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict";
}

def Host_WorkspaceOp : Host_Op<"workspace", []> {
  let summary = "the address of that many bytes of the caller's workspace, 256-byte aligned, for this call only";
  let arguments = (ins I64:$bytes);
  let results = (outs I64:$address);
  let assemblyFormat = "$bytes attr-dict";
}

def Host_CheckOp : Host_Op<"check", []> {
  let summary = "fail the call with a message unless the condition holds";
  let description = [{ `{0}`, `{1}` … in the message stand for the values. }];
  let arguments = (ins I1:$condition, StrAttr:$message, Variadic<I64>:$values);
  let assemblyFormat = "$condition `,` $message (`(` $values^ `)`)? attr-dict";
}

def Host_MakeTensorMapOp : Host_Op<"make_tensor_map", [AttrSizedOperandSegments, Pure]> {
  let summary = "a TMA tensor map over a strided tensor";
  let description = [{
    Dims are innermost first, as the hardware has them. `strides` are in bytes, for dims 1 and up. `box` has the extents of one copy. `swizzle` is
    0, 32, 64 or 128 (bytes). The caller of this op must have checked the hardware's rules: 16-byte base and strides. Constraints: (C1) rank 1 to 5,
    rank-1 strides, rank box extents of 1 to 256; (C2) swizzle is one of those and spans at least the inner box.
  }];
  let arguments = (ins I64:$address, TypeAttr:$element_type, Variadic<I64>:$dims, Variadic<I64>:$strides, DenseI64ArrayAttr:$box, I64Attr:$swizzle);
  let results = (outs Host_TensorMapType:$result);
  let assemblyFormat = [{
    $address `of` $element_type `dims` `(` $dims `)` `strides` `(` $strides `)` `box` $box `swizzle` $swizzle attr-dict
  }];
  let hasVerifier = 1;
}

def Host_ViewOp : Host_Op<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "a kernel-rank strided view of a tensor or workspace address, for launches of kernels that take memrefs";
  let description = [{
    Names a tensor (address and strides are its own), or takes an address and the extents of a dense row-major tensor.
    Gone once kernels take addresses and strides. Constraint: (C1) exactly one of the two forms; one extent per dim of the memref.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$tensor, Optional<I64>:$address, Variadic<I64>:$extents);
  let results = (outs AnyStridedMemRef:$result);
  let assemblyFormat = "($tensor^)? ($address^ `extents` `(` $extents `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Host_LaunchOp : Host_Op<"launch", []> {
  let summary = "launch a kernel on the caller's stream";
  let description = [{
    `grid` is the number of blocks; a launch of 0 blocks does nothing. `threads`, `shared_bytes` and `cluster` are set when the kernel has been
    given memory and threads. Arguments match the kernel's in number; index arguments are given as i64.
  }];
  let arguments = (ins SymbolRefAttr:$kernel, I64:$grid, Variadic<AnyType>:$args, OptionalAttr<I64Attr>:$threads,
                       OptionalAttr<I64Attr>:$shared_bytes, OptionalAttr<I64Attr>:$cluster);
  let assemblyFormat = "$kernel `grid` `(` $grid `)` `(` $args `)` attr-dict `:` `(` type($args) `)`";
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of nautilus_matile: the kernel, global memory, shared memory and channels. Ops on fragments are in MATileFragmentOps.td.

#ifndef NAUTILUS_DIALECT_MATILE_IR_MATILEOPS_TD
#define NAUTILUS_DIALECT_MATILE_IR_MATILEOPS_TD

include "nautilus/Dialect/MATile/IR/MATileTypes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "nautilus/Dialect/Host/IR/HostTypes.td"

class MATile_Op<string mnemonic, list<Trait> traits = []> : Op<MATile_Dialect, mnemonic, traits>;

def MATile_Fragment : StaticShapeTensorOf<[AnyType]>;
def MATile_Buffer : Type<CPred<"::llvm::isa<::mlir::nautilus::matile::BufferType>($_self)">, "buffer", "::mlir::nautilus::matile::BufferType">;
def MATile_Channel : Type<CPred<"::llvm::isa<::mlir::nautilus::matile::ChannelType>($_self)">, "channel", "::mlir::nautilus::matile::ChannelType">;
def MATile_FragmentOrBuffer : AnyTypeOf<[MATile_Fragment, MATile_Buffer]>;

def MATile_KernelOp : MATile_Op<"kernel", [IsolatedFromAbove, FunctionOpInterface, SingleBlock]> {
  let summary = "the program of one thread block, with threads and memory";
  let description = [{
    Arguments: strided memrefs, dims (index) and tensor maps. `warps` is the number of warps that hold fragments (all fragments of the kernel are
    spread over them); a `warp_specialize` adds a producer warpgroup in front of them. `shared_bytes` is set once shared memory has been laid out.
    Constraints: (C1) arguments are memrefs, index values and tensor maps; (C2) `warps` is 1 to 16; (C3) the layouts of fragments
    cover their tiles with that many warps.
    Created by the conversion from nautilus_vrtile; gone after the conversion to nvvm.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       I64Attr:$warps, OptionalAttr<I64Attr>:$shared_bytes);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    /// The warp specialisation of the kernel, or null when all warps do the same.
    WarpSpecializeOp getWarpSpecialize();
    /// Threads of a block: those that hold fragments and the producer warpgroup, if any.
    int64_t getNumThreads();
  }];
}

def MATile_ReturnOp : MATile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "ends a kernel";
  let assemblyFormat = "attr-dict";
}

def MATile_OriginOp : MATile_Op<"origin", [AttrSizedOperandSegments]> {
  let summary = "where this block stands: the origin of its tile along each grid axis";
  let description = [{
    As `nautilus_vrtile.origin`; `block` overrides the block number. Constraints: (C1) tiles are positive, one per axis; (C2) one operand per dynamic
    extent; (C3) one result per axis.
  }];
  let arguments = (ins DenseI64ArrayAttr:$tiles, DenseI64ArrayAttr:$static_extents, Variadic<Index>:$extents, Optional<Index>:$block);
  let results = (outs Variadic<Index>:$origins);
  let assemblyFormat = [{
    $tiles `of` $static_extents (`dynamic` `(` $extents^ `)`)? (`block` $block^)? attr-dict `:` type($origins)
  }];
  let hasVerifier = 1;
}

def MATile_BlockOp : MATile_Op<"block", [Pure]> {
  let summary = "the number of this block in the grid, and how many blocks the grid has";
  let description = [{ Made where blocks take more than one work item each, or items in another order than blocks are numbered. }];
  let results = (outs Index:$number, Index:$count);
  let assemblyFormat = "attr-dict";
}

//===-- Global memory ------------------------------------------------------===//

defvar accessText = [{
    `indices`, `walk`, `static_bounds` and `bounds` are those of `nautilus_vrtile.load`. Constraints: (C1) one index per memref dim; (C2) `walk` has
    distinct memref dims, one per tile dim; (C3) one bound per tile dim and one operand per dynamic one; (C4) element types agree, also `padding`'s.
}];

def MATile_LoadOp : MATile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "global memory to a fragment, by predicated loads of each thread";
  let description = accessText # [{
    `vector` is how many elements along the last tile dim one access may take: it is more than 1 only if the last dim is contiguous and every such group is
    aligned and wholly inside or outside the bounds. (C5) It is a power of two that divides the number of registers; that many registers follow each other.
  }];
  let arguments = (ins Arg<AnyStridedMemRef, "source", [MemRead]>:$source, Variadic<Index>:$indices, DenseI64ArrayAttr:$walk, DenseI64ArrayAttr:$static_bounds,
                       Variadic<Index>:$bounds, OptionalAttr<TypedAttrInterface>:$padding, DefaultValuedAttr<I64Attr, "1">:$vector);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `walk` $walk `bounds` $static_bounds (`(` $bounds^ `)`)? (`padding` $padding^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MATile_StoreOp : MATile_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "a fragment to global memory, by predicated stores of each thread";
  let description = accessText # [{
    `vector` as for `load`. A repeated element is stored once. With `map` the tile may leave through a buffer in shared memory instead, see `copy_out`: `swizzle`
    is then the map's. (C6) With a map the walk increases and ends at the memref's last dim, and there is a swizzle.
  }];
  let arguments = (ins MATile_Fragment:$value, Arg<AnyStridedMemRef, "destination", [MemWrite]>:$dest, Variadic<Index>:$indices, DenseI64ArrayAttr:$walk,
                       DenseI64ArrayAttr:$static_bounds, Variadic<Index>:$bounds, Optional<Host_TensorMapType>:$map, OptionalAttr<I64Attr>:$swizzle,
                       DefaultValuedAttr<I64Attr, "1">:$vector);
  let assemblyFormat = [{
    $value `,` $dest `[` $indices `]` `walk` $walk `bounds` $static_bounds (`(` $bounds^ `)`)? (`map` $map^ `swizzle` $swizzle)? attr-dict `:` type($value) `,` type($dest)
  }];
  let hasVerifier = 1;
}

def MATile_CopyOutOp : MATile_Op<"copy_out", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a buffer in shared memory to global memory, by TMA; the buffer has been read when the op is complete";
  let description = accessText # [{
    The bounds are the extents of the memref, so that what the hardware clips is what the op leaves out. Stands behind the `write` that fills the buffer. (C5) The walk
    increases and ends at the memref's last dim.
  }];
  let arguments = (ins MATile_Buffer:$buffer, Arg<AnyStridedMemRef, "destination", [MemWrite]>:$dest, Variadic<Index>:$indices, DenseI64ArrayAttr:$walk,
                       DenseI64ArrayAttr:$static_bounds, Variadic<Index>:$bounds, Host_TensorMapType:$map);
  let assemblyFormat = [{
    $buffer `,` $dest `[` $indices `]` `walk` $walk `bounds` $static_bounds (`(` $bounds^ `)`)? `map` $map attr-dict `:` type($buffer) `,` type($dest)
  }];
  let hasVerifier = 1;
}

def MATile_StageOp : MATile_Op<"stage", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "global memory to a buffer in shared memory";
  let description = accessText # [{
    With `map` the copy is TMA's: the tile walks memref dims whose last is contiguous, padding is zero, and the bounds are the extents of the memref,
    so that the hardware's zero fill is what the op means. Without it threads copy. (C5) With a map the walk increases and ends at the memref's last dim.
    Gone after channels are made.
  }];
  let arguments = (ins Arg<AnyStridedMemRef, "source", [MemRead]>:$source, Variadic<Index>:$indices, DenseI64ArrayAttr:$walk, DenseI64ArrayAttr:$static_bounds,
                       Variadic<Index>:$bounds, Optional<Host_TensorMapType>:$map);
  let results = (outs MATile_Buffer:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `walk` $walk `bounds` $static_bounds (`(` $bounds^ `)`)? (`map` $map^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===-- Channels -----------------------------------------------------------===//

def MATile_CreateChannelOp : MATile_Op<"create_channel", []> {
  let summary = "shared memory and barriers of a channel";
  let description = [{
    `offset` (of slot 0) and `barriers` (of the full barrier of slot 0; slots follow, then the empty ones), both in bytes of shared memory, are set when shared memory is laid out.
    The n-th `put` and the n-th `get` (n from 0) use slot n mod slots; a put waits until the slot's last user has released it.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$barriers);
  let results = (outs MATile_Channel:$channel);
  let assemblyFormat = "attr-dict `:` type($channel)";
}

def MATile_PutOp : MATile_Op<"put", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fill the next slot of a channel from global memory";
  let description = accessText # [{
    Waits until slot `count` mod slots is empty, starts the copy, and lets the copy's end complete the full barrier. `map` as for `stage` (C5).
  }];
  let arguments = (ins MATile_Channel:$channel, Index:$count, AnyStridedMemRef:$source, Variadic<Index>:$indices, DenseI64ArrayAttr:$walk,
                       DenseI64ArrayAttr:$static_bounds, Variadic<Index>:$bounds, Optional<Host_TensorMapType>:$map);
  let assemblyFormat = [{
    $channel `at` $count `from` $source `[` $indices `]` `walk` $walk `bounds` $static_bounds (`(` $bounds^ `)`)? (`map` $map^)? attr-dict `:` type($channel) `,` type($source)
  }];
  let hasVerifier = 1;
}

def MATile_GetOp : MATile_Op<"get", []> {
  let summary = "wait until slot `count` mod slots is full; the buffer in it";
  let description = [{ The buffer may be read until the `release` with the same count. }];
  let arguments = (ins MATile_Channel:$channel, Index:$count);
  let results = (outs MATile_Buffer:$buffer);
  let assemblyFormat = "$channel `at` $count attr-dict `:` type($channel) `->` type($buffer)";
  let hasVerifier = 1;
}

def MATile_ReleaseOp : MATile_Op<"release", []> {
  let summary = "this warp has read slot `count` mod slots for the last time";
  let arguments = (ins MATile_Channel:$channel, Index:$count);
  let assemblyFormat = "$channel `at` $count attr-dict `:` type($channel)";
}

def MATile_WarpSpecializeOp : MATile_Op<"warp_specialize", [NoTerminator, HasParent<"KernelOp">, RecursiveMemoryEffects]> {
  let summary = "give the filling of channels and the computing to different warps";
  let description = [{
    The first warpgroup of the block runs `producer` (one elected thread of it issues copies) with `producer_registers` registers per thread; the kernel's `warps` warps run
    `consumer` with `consumer_registers`. Both regions see the same channels and run the same loops, so that puts and gets count alike.
    Constraints: (C1) `put` stands in the producer only, `get` and `release` in the consumer only; (C2) register counts are multiples of 8 from 24 to 256 and fit the
    register file: 128 threads times the producer's plus 32 * warps times the consumer's is at most 65536.
  }];
  let arguments = (ins I64Attr:$producer_registers, I64Attr:$consumer_registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = "`producer` $producer_registers $producer `consumer` $consumer_registers $consumer attr-dict";
  let hasVerifier = 1;
}

//===-- Shared memory and fragments ----------------------------------------===//

def MATile_AllocOp : MATile_Op<"alloc", []> {
  let summary = "a buffer in shared memory that the computing warps fill themselves";
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs MATile_Buffer:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def MATile_WriteOp : MATile_Op<"write", []> {
  let summary = "a fragment to a buffer; afterwards all computing warps and the asynchronous proxy see it";
  let description = [{ Waits for earlier readers of the buffer first. Constraint: (C1) equal shapes and element types. }];
  let arguments = (ins MATile_Fragment:$value, MATile_Buffer:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def MATile_ReadOp : MATile_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "a buffer to a fragment";
  let description = [{ Constraint: (C1) equal shapes and element types. }];
  let arguments = (ins MATile_Buffer:$buffer);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

include "nautilus/Dialect/MATile/IR/MATileFragmentOps.td"

#endif

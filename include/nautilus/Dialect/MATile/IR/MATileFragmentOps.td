// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of nautilus_matile on fragments. Included by MATileOps.td.

#ifndef NAUTILUS_DIALECT_MATILE_IR_MATILEFRAGMENTOPS_TD
#define NAUTILUS_DIALECT_MATILE_IR_MATILEFRAGMENTOPS_TD

def MATile_DotOp : MATile_Op<"dot", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + lhs * rhs on tensor cores or FMA units; complete when the op is";
  let description = [{
    As `nautilus_vrtile.dot`. With kind `wgmma`: `rhs` is a swizzled buffer, `lhs` a swizzled buffer or a fragment in the instruction's A layout, `acc` is in
    its accumulator layout. With `mma_sync`: as `wgmma`, and each warp reads its
    operands from the buffers itself; any swizzle. With `fma`: lhs and rhs are buffers, any layout of acc.
    Constraints: (C1) extents agree; (C2) operand forms fit the kind; (C3) `wgmma` and `mma_sync`: the kernel's warps take 16 rows
    each (`wgmma`: in warpgroups of 4), columns are a multiple of 8 up to 256, the contraction is a multiple of 16, both operands have 16-bit floats of one type,
    and acc is f32.
  }];
  let arguments = (ins MATile_FragmentOrBuffer:$lhs, MATile_FragmentOrBuffer:$rhs, MATile_Fragment:$acc, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
                       MATile_DotKindAttr:$kind);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = [{
    $kind $lhs (`transpose` $transpose_lhs^)? `,` $rhs (`transpose` $transpose_rhs^)? `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MATile_StartDotOp : MATile_Op<"start_dot", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "issue a wgmma product as a group of its own; the result is in flight until a `wait_dot`";
  let description = [{
    Operands as for `dot` with kind `wgmma`. The result may only be passed on to `wait_dot` or another `start_dot` as accumulator; buffers and A fragments must
    stay untouched until then. Constraints: those of `dot`, and (C4) the result goes to `wait_dot`, to `start_dot` as accumulator, or around a loop only.
  }];
  let arguments = (ins MATile_FragmentOrBuffer:$lhs, MATile_Buffer:$rhs, MATile_Fragment:$acc, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = [{
    $lhs (`transpose` $transpose_lhs^)? `,` $rhs (`transpose` $transpose_rhs^)? `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MATile_WaitDotOp : MATile_Op<"wait_dot", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "wait until at most `pending` younger groups are in flight; the finished accumulator";
  let description = [{
    An accumulator that no product is in flight for passes through, as after a loop that ran no iteration. Constraint: (C1) `pending` is 0 to 7.
  }];
  let arguments = (ins MATile_Fragment:$acc, I64Attr:$pending);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = "$acc `pending` $pending attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def MATile_WaitGroupsOp : MATile_Op<"wait_groups", []> {
  let summary = "wait until at most `pending` groups of this warp are in flight";
  let description = [{
    As `wait_dot`, where no accumulator is wanted yet: what the older groups read may be overwritten or released afterwards. Constraint: (C1) `pending` is 0
    to 7.
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
  let hasVerifier = 1;
}

def MATile_ConvertLayoutOp : MATile_Op<"convert_layout", [Pure]> {
  let summary = "the same tile in another layout";
  let description = [{
    How (registers only, shuffles, shared memory) is derived from the two layouts. `offset` is the place of its shared scratch memory, if it needs any.
    Constraint: (C1) equal shapes and element types.
  }];
  let arguments = (ins MATile_Fragment:$source, OptionalAttr<I64Attr>:$offset);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MATile_ReduceOp : MATile_Op<"reduce", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "combine the elements of K fragments along one dim";
  let description = [{
    As `nautilus_vrtile.reduce`. Registers are combined first, then lanes by shuffles, then warps through shared memory at `offset`, as the
    layout demands. Constraints: (C1) the results' layout is the inputs' without `dim`, and element types agree; (C2) combiner arguments and yields, and `identities`,
    have the element types.
  }];
  let arguments = (ins Variadic<MATile_Fragment>:$inputs, I64Attr:$dim, ArrayAttr:$identities, OptionalAttr<I64Attr>:$offset);
  let results = (outs Variadic<MATile_Fragment>:$outputs);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $inputs `along` $dim `identity` $identities attr-dict `:` type($inputs) `->` type($outputs) $combiner
  }];
  let hasVerifier = 1;
}

def MATile_YieldOp : MATile_Op<"yield", [Pure, Terminator, HasParent<"ReduceOp">]> {
  let summary = "ends a combiner";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def MATile_BroadcastOp : MATile_Op<"broadcast", [Pure]> {
  let summary = "repeat a fragment along new dims";
  let description = [{
    As `nautilus_vrtile.broadcast`. Constraints: (C1) the operand's layout is the result's without the new dims, so that no data moves between threads; (C2) `dims`
    increase inside the result's rank, one per operand dim; (C3) element types agree.
  }];
  let arguments = (ins MATile_Fragment:$source, DenseI64ArrayAttr:$dims);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = "$source `to` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def MATile_TransposeOp : MATile_Op<"transpose", [Pure]> {
  let summary = "permute the dims of a fragment and of its layout; no data moves";
  let description = [{ Result dim i is operand dim permutation[i]. Constraint: (C1) the result's layout is the operand's with its dims permuted; element types agree. }];
  let arguments = (ins MATile_Fragment:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def MATile_IotaOp : MATile_Op<"iota", [Pure]> {
  let summary = "start plus the position along one dim";
  let description = [{ Constraint: (C1) integer or index elements; `dim` inside the rank. }];
  let arguments = (ins Index:$start, I64Attr:$dim);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = "$start `along` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def MATile_SplatOp : MATile_Op<"splat", [Pure]> {
  let summary = "a scalar everywhere in a fragment";
  let description = [{ Constraint: (C1) the fragment has the scalar's type. }];
  let arguments = (ins AnyType:$value);
  let results = (outs MATile_Fragment:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

#endif

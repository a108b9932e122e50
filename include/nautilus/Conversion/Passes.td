// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversions between levels, in the order that a kernel passes through them.

#ifndef NAUTILUS_CONVERSION_PASSES_TD
#define NAUTILUS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToNautilusScalarPass : Pass<"convert-linalg-to-nautilus-scalar", "::mlir::ModuleOp"> {
  let summary = "functions of linalg ops on tensors as kernels of formulas";
  let description = [{
    *What and why.* The border to other MLIR compilers: every function from tensors to tensors that holds linalg ops becomes a `nautilus_scalar.kernel` of the same
    name with one statement per op. Ops are read through LinalgOp's interface (iteration space, indexing maps, body), so named and generic forms are
    one; ops with a decomposition (AggregatedOpInterface) are decomposed first. Dims that one iteration dim walks become one named dim `d0`, `d1`, ….
    Reductions of floats narrower than f32 accumulate in f32.

    *Requires.* linalg on tensors (generic with projected-permutation, broadcast and constant maps, fill, matmul and its batched and transposed forms,
    reduce, transpose, broadcast, elementwise ops), `tensor.empty`, `tensor.dim`, constants.

    *Guarantees.* Converted functions are gone; the values are those of the linalg ops up to the order of sums and the accumulation type.

    *Example.* `test/Conversion/LinalgToScalar/matmul.mlir`

    *Refuses.* Another op in such a function, a reduction that is no sum, product, minimum, maximum or bitwise op, a dynamic extent that no
    argument has: a located error names the rule. Functions without linalg ops are left alone.
  }];
  let dependentDialects = ["::mlir::nautilus::scalar::ScalarDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numFunctions", "num-functions", "Functions converted">];
}

def ConvertNautilusScalarToVRTilePass : Pass<"convert-nautilus-scalar-to-vrtile", "::mlir::ModuleOp"> {
  let summary = "turn kernels in loop form into programs of one thread block and a host entry";
  let description = [{
    *What and why.* Each `grid` of a `nautilus_scalar.kernel` becomes a `nautilus_vrtile.kernel` of its own (`@name_0`, `@name_1`, …), and the kernel a
    `nautilus_host.entry` of its name that launches them in order; what one grid makes and a later one reads lives in the workspace. Serial loops become
    `scf.for`. A statement becomes loads in the order of memory, `arith` and `math` on tiles, and products or reductions. Tiles lose their dims of one
    point. A sum of products of two tiles that share just the summed axis becomes `dot`, whatever the axes are called.

    *Requires.* Kernels in loop form: every statement stands in a grid, every axis of a dynamic dim has a tile.

    *Guarantees.* No nautilus_scalar op is left (its attributes name the entry's dims and tensors). Values are unchanged for every extent: loads and stores
    have bounds unless the tile is provably inside; what a reduction reads outside the domain is neutral, through the load's padding where that
    suffices, else through a mask; both factors of a product are zero there. Attributes of kernels, grids, loops and statements move along.

    *Example.* `test/Conversion/ScalarToVRTile/dot.mlir`

    *Refuses.* With an error that names the rule: a statement outside of grids; a subscript of a tile axis other than axis plus offset
    (below a quotient or remainder: of an aligned tile whose size divides all else); a diagonal of a tile; part of
    a tile value; a result that no grid makes; an op in a body that is not elementwise.
  }];
  let dependentDialects = ["::mlir::nautilus::vrtile::VRTileDialect", "::mlir::nautilus::host::HostDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Kernels made, one per grid">,
    Statistic<"numDots", "num-dots", "Reductions that became products">,
    Statistic<"numMasks", "num-masks", "Masks that guard a reduction or product">
  ];
}

def ConvertNautilusVRTileToMATilePass : Pass<"convert-nautilus-vrtile-to-matile", "::mlir::ModuleOp"> {
  let summary = "give tiles their memory and their threads";
  let description = [{
    *What and why.* Turns every `nautilus_vrtile.kernel` into a `nautilus_matile.kernel`: a layout for each fragment, found by spreading the layouts that
    products demand over elementwise work, reductions and loops; tensor-core products where types and extents allow; `stage` for tiles that products read from
    memory; tensor maps, made by the host entry, where TMA's rules hold.

    *Requires.* nautilus_vrtile kernels launched by `nautilus_host.entry` ops.

    *Guarantees.* No nautilus_vrtile op is left. Values are unchanged: the products' order of summation is the only freedom taken.

    *Example.* `test/Conversion/VRTileToMATile/matmul.mlir`

    The launch options of a kernel (`nautilus_scalar.launch`) move along; their number of warps is taken where products allow it.

    *Refuses.* A product that fits no tensor core takes the plain path (kind `fma`) and leaves a missed remark with the broken rule. So does a number of warps
    that would keep a product off the tensor cores.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"", "Target architecture: sm_90a has wgmma and TMA, others use mma.sync and copies by threads">
  ];
  let dependentDialects = ["::mlir::nautilus::matile::MATileDialect", "::mlir::nautilus::host::HostDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numTensorCoreDots", "num-tensor-core-dots", "Products on tensor cores">,
    Statistic<"numPlainDots", "num-plain-dots", "Products on FMA units">,
    Statistic<"numConversions", "num-layout-conversions", "Layout conversions inserted">
  ];
}

def ConvertNautilusMATileToGPUPass : Pass<"convert-nautilus-matile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "per-thread code: one scalar per register, in a gpu.module";
  let description = [{
    *What and why.* Emits an `llvm.func` for every `nautilus_matile.kernel` into one `gpu.module` per module: fragments become scalars, buffers addresses,
    channels mbarriers and TMA copies, products wgmma. Launches in host entries get addresses and strides in place of views.

    *Requires.* Shared memory laid out (`nautilus-matile-allocate-shared`); channels in place of `stage`.

    *Guarantees.* Only llvm, nvvm, arith, math and scf ops stand in the gpu.module; host entries hold no views.

    *Example.* `test/Conversion/MATileToGPU/elementwise.mlir`

    *Refuses.* An op that has no meaning in a kernel is a located error.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numKernels", "num-kernels", "Kernels emitted">];
}

def ConvertNautilusMathToNVVMPass : Pass<"convert-nautilus-math-to-nvvm"> {
  let summary = "scalar maths as the GPU's own approximations and tested expansions";
  let description = [{
    *What and why.* Lowers `math` ops on scalars by a table of our own, so that a kernel never calls a device library: exp2, exp, log2, log and rsqrt become the special function
    unit's instructions (flush-to-zero forms, PTX ISA: ex2 2 ulp, lg2 absolute error 2^-22 near 1, rsqrt 2^-22.9 relative), others are expanded.

    *Requires.* Scalar f32 operands (or f16 and bf16, computed in f32); f64 operands stay for upstream's lowering where LLVM has one.

    *Guarantees.* None of the ops named above on f32, f16 or bf16 is left.

    *Example.* `test/Conversion/MathToNVVM/exp.mlir`

    *Refuses.* Nothing: an op without a rule is left for the conversions that follow.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
  let statistics = [Statistic<"numLowered", "num-lowered", "Maths ops lowered">];
}

#endif

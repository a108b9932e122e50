// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_vrtile dialect: tiles as values, loops as expressions.

#ifndef NAUTILUS_DIALECT_VRTILE_IR_VRTILEDIALECT_TD
#define NAUTILUS_DIALECT_VRTILE_IR_VRTILEDIALECT_TD

include "mlir/IR/DialectBase.td"

def VRTile_Dialect : Dialect {
  let name = "nautilus_vrtile";
  let summary = "Tiles in virtual registers: one thread block's program over static tensors";
  let description = [{
    The middle level ("VR-tile IR" in the paper). A `kernel` is the program of one thread block. Tiles
    are values of static `tensor` types in an unlimited number of virtual registers; elementwise work is
    `arith` and `math` on them; loops are `scf.for` with loop-carried tiles. Own ops stand only where
    upstream has none that fits: where the block stands in the grid, tile loads and stores with affine
    origins and bounds, products, reductions, and symbolic index tiles. How a tile is spread over threads
    and memory is not said here; algebraic rewriting lives at this level and only here.
  }];
  let cppNamespace = "::mlir::nautilus::vrtile";
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

#endif

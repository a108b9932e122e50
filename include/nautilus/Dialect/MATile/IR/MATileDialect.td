// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_matile dialect: tiles with their memory and their threads.

#ifndef NAUTILUS_DIALECT_MATILE_IR_MATILEDIALECT_TD
#define NAUTILUS_DIALECT_MATILE_IR_MATILEDIALECT_TD

include "mlir/IR/DialectBase.td"

def MATile_Dialect : Dialect {
  let name = "nautilus_matile";
  let summary = "Tiles with explicit memory: fragments with layouts, shared buffers, channels, tensor cores";
  let description = [{
    The lowest tile level ("MA-tile IR" in the paper). A tile is either a **fragment**, a static `tensor` whose encoding is a
    `#nautilus_matile.layout` (which thread and register holds which element), or a **buffer** in shared memory. Data comes from
    global memory by `load` (to a fragment) or `stage` (to a buffer); `stage` turns into **channels**, rings of slots with full and empty
    barriers, filled by `put` and read between `get` and `release`. `warp_specialize` gives the putting and the computing
    to different warps. Elementwise work stays `arith` and `math` on fragments; loops stay `scf.for`.

    Every choice is an attribute that a choosing pass writes and a doing pass reads.
  }];
  let cppNamespace = "::mlir::nautilus::matile";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{ void registerTypes(); }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::nautilus::host::HostDialect"];
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nautilus_host dialect and its types.

#ifndef NAUTILUS_DIALECT_HOST_IR_HOSTTYPES_TD
#define NAUTILUS_DIALECT_HOST_IR_HOSTTYPES_TD

include "mlir/IR/AttrTypeBase.td"

def Host_Dialect : Dialect {
  let name = "nautilus_host";
  let summary = "What the host does at each call: check arguments, make tensor maps, choose a variant, launch";
  let description = [{
    A host `entry` is the only description of a kernel's calling side. It stands in the module from nautilus_vrtile
    on and has three readings: the bundle's manifest, which the runtime evaluates at each call; calls into the runtime's C ABI;
    and `gpu.launch_func` for embedders. Its integer work is `arith` on i64, its choices are `scf.if`.
    Dims and tensors are named as in the nautilus_scalar kernel that it comes from.
  }];
  let cppNamespace = "::mlir::nautilus::host";
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::nautilus::scalar::ScalarDialect"];
}

def Host_TensorMapType : TypeDef<Host_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "a TMA tensor map, made on the host and passed to a kernel by value (128 bytes)";
}

#endif

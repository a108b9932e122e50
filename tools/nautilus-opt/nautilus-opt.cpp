// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes on MLIR text that may hold any dialect of Nautilus.

#include "nautilus/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::nautilus::registerAllDialects(registry);
  mlir::nautilus::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Nautilus optimizer driver\n", registry));
}

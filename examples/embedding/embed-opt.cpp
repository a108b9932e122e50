// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An opt-like tool of an embedding compiler: all passes of Nautilus and its own.

#include "CountLaunches.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "nautilus/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::nautilus::registerAllDialects(registry);
  mlir::nautilus::registerAllPasses();
  embedding::registerCountLaunchesPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Optimizer driver of an embedding compiler\n", registry));
}

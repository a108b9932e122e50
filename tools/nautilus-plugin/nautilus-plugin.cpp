// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialects and passes as a plugin of a stock mlir-opt of the same LLVM release:
//
//   mlir-opt-22 --load-dialect-plugin=NautilusPlugin.so --load-pass-plugin=NautilusPlugin.so
//     --pass-pipeline='builtin.module(convert-linalg-to-nautilus-scalar)' matmul.mlir
//
// Both sides share one libMLIR, so that their type ids agree.

#include "nautilus/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Nautilus", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) { mlir::nautilus::registerAllDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Nautilus", LLVM_VERSION_STRING,
          [] { mlir::nautilus::registerAllPasses(); }};
}

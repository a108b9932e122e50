// A stock mlir-opt runs the whole pipeline when it loads the plugin.
//
// REQUIRES: plugin
// RUN: mlir-opt --load-dialect-plugin=%nautilus_plugin --load-pass-plugin=%nautilus_plugin \
// RUN:   --pass-pipeline='builtin.module(convert-linalg-to-nautilus-scalar,nautilus-stage-scheduled,nautilus-stage-applied,nautilus-stage-vrtile)' %s \
// RUN:   | FileCheck %s

// CHECK: nautilus_vrtile.kernel @matmul_0
// CHECK: nautilus_vrtile.dot
// CHECK: nautilus_host.entry @matmul
func.func @matmul(%a: tensor<?x64xf16>, %b: tensor<64x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// RUN: nautilus-opt %s --convert-nautilus-vrtile-to-matile | FileCheck %s

// The layout of a reduction's result and of a broadcast's operand is a slice of the larger tile's:
// nothing is converted between them.
// CHECK-DAG: #[[TILE:.*]] = #nautilus_matile.layout<reg = {{\[}}[0, 1], [0, 2], [0, 4]], lane = {{\[}}[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = {{\[}}[8, 0], [0, 0]]>
// CHECK-DAG: #[[ROW:.*]] = #nautilus_matile.layout<reg = [], lane = {{\[}}[0], [0], [1], [2], [4]], warp = {{\[}}[8], [0]]>
// CHECK-LABEL: nautilus_matile.kernel @rows(
// CHECK: %[[SUM:.*]] = nautilus_matile.reduce %{{.*}} along 1 identity [0.000000e+00 : f16] : tensor<16x32xf16, #[[TILE]]> -> tensor<16xf16, #[[ROW]]>
// CHECK: nautilus_matile.broadcast %[[SUM]] to [0] : tensor<16xf16, #[[ROW]]> -> tensor<16x32xf16, #[[TILE]]>
// CHECK-NOT: convert_layout
nautilus_vrtile.kernel @rows(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %n: index) {
  %o = nautilus_vrtile.origin [16 of %n]
  %c0 = arith.constant 0 : index
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] bounds [%n, 32] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x32xf16>
  %s = nautilus_vrtile.reduce %a along 1 identity [0.0 : f16] : tensor<16x32xf16> -> tensor<16xf16> {
  ^bb0(%l: f16, %r: f16):
    %0 = arith.addf %l, %r : f16
    nautilus_vrtile.yield %0 : f16
  }
  %b = nautilus_vrtile.broadcast %s to [0] : tensor<16xf16> -> tensor<16x32xf16>
  %d = arith.subf %a, %b : tensor<16x32xf16>
  nautilus_vrtile.store %d, %x[%o, %c0] walk [0, 1] bounds [%n, 32] : tensor<16x32xf16>, memref<?x?xf16, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// The accumulator of a product and its column sums: the slice has warps that repeat each other.
// CHECK-LABEL: nautilus_matile.kernel @columns(
// CHECK: nautilus_matile.dot <wgmma>
// CHECK: nautilus_matile.reduce %{{.*}} along 0 identity [0.000000e+00 : f32] : tensor<64x8xf32, #{{.*}}> -> tensor<8xf32, #{{.*}}>
// CHECK-NOT: convert_layout
nautilus_vrtile.kernel @columns(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %y: memref<?xf32, strided<[?], offset: ?>>) {
  %o = nautilus_vrtile.origin [64 of 64]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<64x16xf16>
  %b = nautilus_vrtile.load %x[%c0, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x8xf16>
  %d = nautilus_vrtile.dot %a, %b, %zero : tensor<64x16xf16>, tensor<16x8xf16> -> tensor<64x8xf32>
  %s = nautilus_vrtile.reduce %d along 0 identity [0.0 : f32] : tensor<64x8xf32> -> tensor<8xf32> {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_vrtile.yield %0 : f32
  }
  nautilus_vrtile.store %s, %y[%c0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

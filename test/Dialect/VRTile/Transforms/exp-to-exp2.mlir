// exp becomes exp2; its constant goes into scales and rows.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-exp-to-exp2))' --mlir-disable-threading --remarks-filter=Algebra --verify-diagnostics | FileCheck %s

// One multiplication per element, by the product of both constants; the row takes log2(e) before it is broadcast.
// CHECK-LABEL: @scaled
// CHECK-DAG:     %[[c:.*]] = arith.constant dense<0.180336878> : tensor<8x16xf32>
// CHECK-DAG:     %[[k:.*]] = arith.constant dense<1.44269502> : tensor<8xf32>
// CHECK-DAG:     %[[s:.*]] = arith.mulf %{{.*}}, %[[c]] : tensor<8x16xf32>
// CHECK-DAG:     %[[r:.*]] = arith.mulf %{{.*}}, %[[k]] : tensor<8xf32>
// CHECK-DAG:     %[[b:.*]] = nautilus_vrtile.broadcast %[[r]] to [0]
// CHECK:         %[[d:.*]] = arith.subf %[[s]], %[[b]]
// CHECK:         math.exp2 %[[d]]
nautilus_vrtile.kernel @scaled(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %c = arith.constant dense<8.0> : tensor<8x16xf32>
  %s = arith.divf %x, %c : tensor<8x16xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %d = arith.subf %s, %b : tensor<8x16xf32>
  %y = math.exp %d : tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// Neither side takes the constant for free: one multiplication after the difference.
// CHECK-LABEL: @difference
// CHECK:         %[[d:.*]] = arith.subf %[[x:.*]], %{{.*}} : tensor<8x16xf32>
// CHECK:         %[[m:.*]] = arith.mulf %[[d]], %{{.*}} : tensor<8x16xf32>
// CHECK:         math.exp2 %[[m]]
nautilus_vrtile.kernel @difference(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %z = nautilus_vrtile.load %X[%j0, %i0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %d = arith.subf %x, %z : tensor<8x16xf32>
  %y = math.exp %d : tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// Half precision has no such instruction here.
// CHECK-LABEL: @half
// CHECK:         math.exp %
nautilus_vrtile.kernel @half(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %h = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xf16>
  // expected-remark @+1 {{exp stays: expected f32 or f64}}
  %e = math.exp %h : tensor<8x16xf16>
  %y = arith.extf %e : tensor<8x16xf16> to tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

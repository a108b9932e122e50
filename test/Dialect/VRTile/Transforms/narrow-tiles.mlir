// Elementwise work goes before broadcasts and transposes.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-narrow-tiles))' | FileCheck %s

// Once per row, casts too; the constant shrinks with it.
// CHECK-LABEL: @row
// CHECK-DAG:     %[[two:.*]] = arith.constant dense<2.000000e+00> : tensor<8xf32>
// CHECK-DAG:     %[[r:.*]] = nautilus_vrtile.load {{.*}} -> tensor<8xf32>
// CHECK:         %[[d:.*]] = arith.mulf %[[r]], %[[two]] : tensor<8xf32>
// CHECK:         %[[e:.*]] = math.exp %[[d]] : tensor<8xf32>
// CHECK:         %[[b:.*]] = nautilus_vrtile.broadcast %[[e]] to [0] : tensor<8xf32> -> tensor<8x16xf32>
// CHECK:         arith.addf %{{.*}}, %[[b]]
nautilus_vrtile.kernel @row(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %two = arith.constant dense<2.0> : tensor<8x16xf32>
  %d = arith.mulf %b, %two : tensor<8x16xf32>
  %e = math.exp %d : tensor<8x16xf32>
  %y = arith.addf %x, %e : tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// Rows and columns do not meet before they are broadcast.
// CHECK-LABEL: @mixed
// CHECK:         %[[b:.*]] = nautilus_vrtile.broadcast %{{.*}} to [0]
// CHECK:         %[[c:.*]] = nautilus_vrtile.broadcast %{{.*}} to [1]
// CHECK:         arith.addf %[[b]], %[[c]] : tensor<8x16xf32>
nautilus_vrtile.kernel @mixed(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %c0 = nautilus_vrtile.load %R[%j0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<16xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %c = nautilus_vrtile.broadcast %c0 to [1] : tensor<16xf32> -> tensor<8x16xf32>
  %y = arith.addf %b, %c : tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// A cast and a transpose end in the product's flag; two transposes cancel.
// CHECK-LABEL: @product
// CHECK:         %[[x:.*]] = nautilus_vrtile.load {{.*}} -> tensor<8x16xf32>
// CHECK:         %[[h:.*]] = arith.truncf %[[x]] : tensor<8x16xf32> to tensor<8x16xf16>
// CHECK:         nautilus_vrtile.dot %[[h]], %[[h]] transpose, %{{.*}} : tensor<8x16xf16>, tensor<8x16xf16> -> tensor<8x8xf32>
nautilus_vrtile.kernel @product(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %t = nautilus_vrtile.transpose %x [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  %h = arith.truncf %t : tensor<16x8xf32> to tensor<16x8xf16>
  %g = nautilus_vrtile.transpose %h [1, 0] : tensor<16x8xf16> -> tensor<8x16xf16>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %y = nautilus_vrtile.dot %g, %h, %zero : tensor<8x16xf16>, tensor<16x8xf16> -> tensor<8x8xf32>
  nautilus_vrtile.store %y, %Y[%i0, %i0] walk [0, 1] : tensor<8x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// A reduction of a transposed tile, and a transposed broadcast.
// CHECK-LABEL: @reduced
// CHECK-NOT:     nautilus_vrtile.transpose
// CHECK:         nautilus_vrtile.reduce %{{.*}} along 0 identity [0.000000e+00 : f32] : tensor<8x16xf32> -> tensor<16xf32>
// CHECK:         nautilus_vrtile.broadcast %{{.*}} to [1] : tensor<16xf32> -> tensor<8x16xf32>
nautilus_vrtile.kernel @reduced(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %t = nautilus_vrtile.transpose %x [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  %s = nautilus_vrtile.reduce %t along 1 identity [0.0 : f32] : tensor<16x8xf32> -> tensor<16xf32> {
  ^bb0(%lhs: f32, %rhs: f32):
    %sum = arith.addf %lhs, %rhs : f32
    nautilus_vrtile.yield %sum : f32
  }
  %b = nautilus_vrtile.broadcast %s to [0] : tensor<16xf32> -> tensor<16x8xf32>
  %y = nautilus_vrtile.transpose %b [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

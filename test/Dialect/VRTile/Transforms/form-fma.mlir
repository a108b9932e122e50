// Products that only a sum reads are fused into it.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-form-fma))' | FileCheck %s

// CHECK-LABEL: @difference
// CHECK:         %[[n:.*]] = arith.negf %{{.*}} : tensor<8xf32>
// CHECK:         %[[b:.*]] = nautilus_vrtile.broadcast %[[n]] to [0]
// CHECK:         math.fma %{{.*}}, %{{.*}}, %[[b]] : tensor<8x16xf32>
// CHECK-NOT:     arith.mulf
nautilus_vrtile.kernel @difference(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %c = arith.constant dense<0.18> : tensor<8x16xf32>
  %s = arith.mulf %x, %c : tensor<8x16xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %y = arith.subf %s, %b : tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// The sign of a subtracted product goes into its constant.
// CHECK-LABEL: @subtracted
// CHECK:         %[[c:.*]] = arith.constant dense<-1.500000e+00>
// CHECK:         math.fma %[[x:.*]], %[[c]], %[[x]] : tensor<8x16xf32>
nautilus_vrtile.kernel @subtracted(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %c = arith.constant dense<1.5> : tensor<8x16xf32>
  %s = arith.mulf %x, %c : tensor<8x16xf32>
  %y = arith.subf %x, %s : tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// The product has another use.
// CHECK-LABEL: @used
// CHECK:         arith.mulf
// CHECK:         arith.addf
nautilus_vrtile.kernel @used(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %c = arith.constant dense<1.5> : tensor<8x16xf32>
  %s = arith.mulf %x, %c : tensor<8x16xf32>
  nautilus_vrtile.store %s, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %y = arith.addf %x, %s : tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// Folds: identities go, splats keep their value in another shape, iotas stay symbolic.
//
// RUN: nautilus-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @identities(
// CHECK:         %[[x:.*]] = nautilus_vrtile.load
// CHECK-NEXT:    nautilus_vrtile.store %[[x]]
nautilus_vrtile.kernel @identities(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %x = nautilus_vrtile.load %X[%i0, %i0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x8xf32>
  %a = nautilus_vrtile.broadcast %x to [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %b = nautilus_vrtile.transpose %a [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  nautilus_vrtile.store %b, %X[%i0, %i0] walk [0, 1] : tensor<4x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// A mask that is known folds through its broadcast into the select.
// CHECK-LABEL: @splats(
// CHECK-NOT:     nautilus_vrtile.broadcast
// CHECK-NOT:     nautilus_vrtile.transpose
// CHECK:         %[[x:.*]] = nautilus_vrtile.load
// CHECK-NEXT:    nautilus_vrtile.store %[[x]]
nautilus_vrtile.kernel @splats(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %x = nautilus_vrtile.load %X[%i0, %i0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x8xf32>
  %true = arith.constant dense<true> : tensor<4xi1>
  %mask = nautilus_vrtile.broadcast %true to [1] : tensor<4xi1> -> tensor<8x4xi1>
  %turned = nautilus_vrtile.transpose %mask [1, 0] : tensor<8x4xi1> -> tensor<4x8xi1>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %y = arith.select %turned, %x, %zero : tensor<4x8xi1>, tensor<4x8xf32>
  nautilus_vrtile.store %y, %X[%i0, %i0] walk [0, 1] : tensor<4x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// CHECK-LABEL: @symbolic(
// CHECK:         nautilus_vrtile.iota
// CHECK:         arith.cmpi
nautilus_vrtile.kernel @symbolic(%X: memref<?xi1, strided<[?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %c0 = arith.constant 0 : index
  %j = nautilus_vrtile.iota %c0 along 0 : tensor<4xindex>
  %n = arith.constant dense<3> : tensor<4xindex>
  %y = arith.cmpi slt, %j, %n : tensor<4xindex>
  nautilus_vrtile.store %y, %X[%i0] walk [0] : tensor<4xi1>, memref<?xi1, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

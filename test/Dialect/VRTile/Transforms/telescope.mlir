// Factors that cancel between iterations leave the loop.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-telescope))' | FileCheck %s

// CHECK-LABEL: @rows
// CHECK:         %[[o:.*]]:2 = scf.for {{.*}} iter_args(%[[a:.*]] = %{{.*}}, %[[y:.*]] = %{{.*}})
// CHECK:           %[[z:.*]] = nautilus_vrtile.load
// CHECK-NOT:       arith.divf
// CHECK:           %[[n:.*]] = arith.addf %[[a]], %[[z]] : tensor<8x16xf32>
// CHECK:           scf.yield %[[n]]
// CHECK:         %[[l:.*]] = nautilus_vrtile.broadcast %[[o]]#1 to [0]
// CHECK:         %[[q:.*]] = arith.divf %[[o]]#0, %[[l]]
// CHECK:         arith.select %{{.*}}, %[[q]], %[[o]]#0
nautilus_vrtile.kernel @rows(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>, %N: index) {
  %i0 = nautilus_vrtile.origin [8 of 64]
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %o, %l = scf.for %j0 = %c0 to %N step %c16 iter_args(%a = %zero, %y = %one) -> (tensor<8x16xf32>, tensor<8xf32>) {
    %z = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] bounds [inside, %N] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
    %t = nautilus_vrtile.load %R[%j0] walk [0] bounds [%N] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
    %y1 = arith.addf %y, %t : tensor<8xf32>
    %f = arith.divf %y, %y1 : tensor<8xf32>
    %fw = nautilus_vrtile.broadcast %f to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %repaired = arith.mulf %a, %fw : tensor<8x16xf32>
    %wide = nautilus_vrtile.broadcast %y1 to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %term = arith.divf %z, %wide : tensor<8x16xf32>
    %next = arith.addf %repaired, %term : tensor<8x16xf32>
    scf.yield %next, %y1 : tensor<8x16xf32>, tensor<8xf32>
  }
  nautilus_vrtile.store %o, %Y[%i0, %c0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.store %l, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// The other grouping.
// CHECK-LABEL: @product
// CHECK:         scf.for
// CHECK-NOT:       arith.divf
// CHECK:           scf.yield
nautilus_vrtile.kernel @product(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>, %N: index) {
  %i0 = nautilus_vrtile.origin [8 of 64]
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %o, %l = scf.for %j0 = %c0 to %N step %c16 iter_args(%a = %zero, %y = %one) -> (tensor<8x16xf32>, tensor<8xf32>) {
    %z = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] bounds [inside, %N] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
    %t = nautilus_vrtile.load %R[%j0] walk [0] bounds [%N] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
    %y1 = arith.addf %y, %t : tensor<8xf32>
    %yw = nautilus_vrtile.broadcast %y to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %ay = arith.mulf %a, %yw : tensor<8x16xf32>
    %nw = nautilus_vrtile.broadcast %y1 to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %repaired = arith.divf %ay, %nw : tensor<8x16xf32>
    %wide = nautilus_vrtile.broadcast %y1 to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %term = arith.divf %z, %wide : tensor<8x16xf32>
    %next = arith.addf %repaired, %term : tensor<8x16xf32>
    scf.yield %next, %y1 : tensor<8x16xf32>, tensor<8xf32>
  }
  nautilus_vrtile.store %o, %Y[%i0, %c0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.store %l, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// The factor is upside down.
// CHECK-LABEL: @inverse
// CHECK:         scf.for
// CHECK:           arith.divf
// CHECK:           arith.divf
// CHECK:           scf.yield
nautilus_vrtile.kernel @inverse(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>, %N: index) {
  %i0 = nautilus_vrtile.origin [8 of 64]
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %o, %l = scf.for %j0 = %c0 to %N step %c16 iter_args(%a = %zero, %y = %one) -> (tensor<8x16xf32>, tensor<8xf32>) {
    %z = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] bounds [inside, %N] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
    %t = nautilus_vrtile.load %R[%j0] walk [0] bounds [%N] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
    %y1 = arith.addf %y, %t : tensor<8xf32>
    %f = arith.divf %y1, %y : tensor<8xf32>
    %fw = nautilus_vrtile.broadcast %f to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %repaired = arith.mulf %a, %fw : tensor<8x16xf32>
    %wide = nautilus_vrtile.broadcast %y1 to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %term = arith.divf %z, %wide : tensor<8x16xf32>
    %next = arith.addf %repaired, %term : tensor<8x16xf32>
    scf.yield %next, %y1 : tensor<8x16xf32>, tensor<8xf32>
  }
  nautilus_vrtile.store %o, %Y[%i0, %c0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.store %l, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

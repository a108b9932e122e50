// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-hoist-invariant))' | FileCheck %s

// The load at the block's own origin leaves the loop; the one at the loop's origin stays.
// CHECK-LABEL: @moves
// CHECK: %[[I:[0-9]+]] = nautilus_vrtile.origin
// CHECK: nautilus_vrtile.load %{{.*}}[%[[I]]]
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK-NEXT: nautilus_vrtile.load %{{.*}}[%[[K]]]
nautilus_vrtile.kernel @moves(%X: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %N: index) {
  %i0 = nautilus_vrtile.origin [16 of %N]
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = scf.for %k0 = %c0 to %N step %c16 iter_args(%s = %zero) -> (tensor<16xf32>) {
    %a = nautilus_vrtile.load %X[%i0] walk [0] bounds [%N] : memref<?xf32, strided<[?], offset: ?>> -> tensor<16xf32>
    %b = nautilus_vrtile.load %X[%k0] walk [0] bounds [%N] : memref<?xf32, strided<[?], offset: ?>> -> tensor<16xf32>
    %c = arith.mulf %a, %b : tensor<16xf32>
    %d = arith.addf %s, %c : tensor<16xf32>
    scf.yield %d : tensor<16xf32>
  }
  nautilus_vrtile.store %r, %Y[%i0] walk [0] bounds [%N] : tensor<16xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// A loop that stores keeps its loads: they may read what an earlier iteration wrote.
// CHECK-LABEL: @stays
// CHECK: scf.for
// CHECK-NEXT: nautilus_vrtile.load
nautilus_vrtile.kernel @stays(%X: memref<?xf32, strided<[?], offset: ?>>, %N: index) {
  %i0 = nautilus_vrtile.origin [16 of %N]
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %k0 = %c0 to %N step %c16 {
    %a = nautilus_vrtile.load %X[%i0] walk [0] bounds [%N] : memref<?xf32, strided<[?], offset: ?>> -> tensor<16xf32>
    %d = arith.addf %a, %a : tensor<16xf32>
    nautilus_vrtile.store %d, %X[%i0] walk [0] bounds [%N] : tensor<16xf32>, memref<?xf32, strided<[?], offset: ?>>
  }
  nautilus_vrtile.return
}

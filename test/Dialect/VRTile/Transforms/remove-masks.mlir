// Masks and bounds that ranges prove go.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-remove-masks))' --mlir-disable-threading --remarks-filter=Algebra --verify-diagnostics | FileCheck %s

// The loop ends at a multiple of its step below N: the tile is inside, the tail's mask true. Rows of the last block may
// be outside, so their bound stays.
// CHECK-LABEL: @bare(
// CHECK-SAME:    %[[M:[a-z0-9]*]]: index, %[[N:[a-z0-9]*]]: index
// CHECK:         scf.for
// CHECK:           nautilus_vrtile.load %{{.*}} walk [0, 1] bounds [%[[M]], inside] :
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.constant dense<true> : tensor<16xi1>
nautilus_vrtile.kernel @bare(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>, %M: index, %N: index) {
  %i0 = nautilus_vrtile.origin [8 of %M]
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %tiles = arith.divsi %N, %c16 : index
  %end = arith.muli %tiles, %c16 : index
  %y = scf.for %j0 = %c0 to %end step %c16 iter_args(%acc = %zero) -> tensor<8x16xf32> {
    %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] bounds [%M, %N] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
    %j = nautilus_vrtile.iota %j0 along 0 : tensor<16xindex>
    %n = nautilus_vrtile.splat %N : index -> tensor<16xindex>
    %in = arith.cmpi slt, %j, %n : tensor<16xindex>
    %mask = nautilus_vrtile.broadcast %in to [1] : tensor<16xi1> -> tensor<8x16xi1>
    %kept = arith.select %mask, %x, %zero : tensor<8x16xi1>, tensor<8x16xf32>
    %next = arith.addf %acc, %kept : tensor<8x16xf32>
    scf.yield %next : tensor<8x16xf32>
  }
  nautilus_vrtile.store %y, %Y[%i0, %c0] walk [0, 1] bounds [%M, %N] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// A maximum in the bound: either case proves it. An unsigned comparison has two sides.
// CHECK-LABEL: @clamped(
// CHECK-NOT:     arith.cmpi
// CHECK:         arith.constant dense<true> : tensor<16xi1>
nautilus_vrtile.kernel @clamped(%Y: memref<?xf32, strided<[?], offset: ?>>, %N: index) {
  %i0 = nautilus_vrtile.origin [16 of %N]
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c100 = arith.constant 100 : index
  %low = arith.subi %i0, %c100 : index
  %start = arith.maxsi %low, %c0 : index
  %j = nautilus_vrtile.iota %start along 0 : tensor<16xindex>
  %far = arith.addi %i0, %c16 : index
  %n = nautilus_vrtile.splat %far : index -> tensor<16xindex>
  %in = arith.cmpi ult, %j, %n : tensor<16xindex>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %y = arith.select %in, %one, %zero : tensor<16xi1>, tensor<16xf32>
  nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%N] : tensor<16xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// True nowhere, and true somewhere.
// CHECK-LABEL: @other(
// CHECK:         arith.constant dense<false> : tensor<16xi1>
// CHECK:         arith.cmpi slt
nautilus_vrtile.kernel @other(%Y: memref<?xf32, strided<[?], offset: ?>>, %N: index) {
  %i0 = nautilus_vrtile.origin [16 of %N]
  %j = nautilus_vrtile.iota %i0 along 0 : tensor<16xindex>
  %c0 = arith.constant dense<0> : tensor<16xindex>
  %never = arith.cmpi slt, %j, %c0 : tensor<16xindex>
  %n = nautilus_vrtile.splat %N : index -> tensor<16xindex>
  // expected-remark @+1 {{the mask stays: expected one value for all elements of all iterations}}
  %tail = arith.cmpi slt, %j, %n : tensor<16xindex>
  %mask = arith.ori %never, %tail : tensor<16xi1>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %y = arith.select %mask, %one, %zero : tensor<16xi1>, tensor<16xf32>
  nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%N] : tensor<16xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

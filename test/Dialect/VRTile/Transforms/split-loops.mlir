// Iterations whose masks are true everywhere get a loop of their own.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-split-loops,canonicalize))' --mlir-disable-threading --remarks-filter=Algebra --verify-diagnostics | FileCheck %s

// The tail: whole tiles first, then the rest from the values so far.
// CHECK-LABEL: @tail(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index)
// CHECK:         %[[c:.*]] = arith.divsi
// CHECK:         %[[last:.*]] = arith.muli %[[c]], %{{.*}}
// CHECK:         %[[end:.*]] = arith.minsi %[[last]], %[[N]]
// CHECK:         %[[bare:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[end]] step
// CHECK-NOT:       arith.select
// CHECK:           scf.yield
// CHECK:         scf.for %{{.*}} = %[[last]] to %[[N]] step {{.*}} iter_args(%{{.*}} = %[[bare]]#0, %{{.*}} = %[[bare]]#1)
// CHECK:           arith.select
nautilus_vrtile.kernel @tail(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %M: index, %N: index) {
  %i0 = nautilus_vrtile.origin [8 of %M]
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %ninf = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %i = nautilus_vrtile.iota %i0 along 0 : tensor<8x16xindex>
  %m, %l = scf.for %j0 = %c0 to %N step %c16 iter_args(%m0 = %none, %l0 = %zero) -> (tensor<8xf32>, tensor<8xf32>) {
    %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] bounds [%M, %N] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
    %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
    %n = nautilus_vrtile.splat %N : index -> tensor<8x16xindex>
    %in = arith.cmpi slt, %j, %n : tensor<8x16xindex>
    %s = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
    %best = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %m1 = arith.maximumf %m0, %best : tensor<8xf32>
    %l1 = arith.addf %l0, %one : tensor<8xf32>
    scf.yield %m1, %l1 : tensor<8xf32>, tensor<8xf32>
  }
  %y = arith.addf %m, %l : tensor<8xf32>
  nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%M] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// Masks at both ends.
// CHECK-LABEL: @both(
// CHECK:         %[[first:.*]]:2 = scf.for
// CHECK:           arith.select
// CHECK:         %[[bare:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[first]]#0, %{{.*}} = %[[first]]#1)
// CHECK-NOT:       arith.select
// CHECK:           scf.yield
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[bare]]#0, %{{.*}} = %[[bare]]#1)
// CHECK:           arith.select
nautilus_vrtile.kernel @both(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %M: index, %N: index) {
  %i0 = nautilus_vrtile.origin [8 of %M]
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %ninf = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %i = nautilus_vrtile.iota %i0 along 0 : tensor<8x16xindex>
  %m, %l = scf.for %j0 = %c0 to %N step %c16 iter_args(%m0 = %none, %l0 = %zero) -> (tensor<8xf32>, tensor<8xf32>) {
    %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] bounds [%M, %N] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
    %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
    %n = nautilus_vrtile.splat %N : index -> tensor<8x16xindex>
    %tail = arith.cmpi slt, %j, %n : tensor<8x16xindex>
    %c5 = arith.constant dense<5> : tensor<8x16xindex>
    %low = arith.subi %i, %c5 : tensor<8x16xindex>
    %window = arith.cmpi sgt, %j, %low : tensor<8x16xindex>
    %in = arith.andi %tail, %window : tensor<8x16xi1>
    %s = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
    %best = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %m1 = arith.maximumf %m0, %best : tensor<8xf32>
    %l1 = arith.addf %l0, %one : tensor<8xf32>
    scf.yield %m1, %l1 : tensor<8xf32>, tensor<8xf32>
  }
  %y = arith.addf %m, %l : tensor<8xf32>
  nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%M] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// A mask that the loop does not reach is not a reason to split it.
// CHECK-LABEL: @rows(
// CHECK:         scf.for
// CHECK-NOT:     scf.for
nautilus_vrtile.kernel @rows(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %M: index, %N: index) {
  %i0 = nautilus_vrtile.origin [8 of %M]
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %ninf = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %i = nautilus_vrtile.iota %i0 along 0 : tensor<8x16xindex>
  %m, %l = scf.for %j0 = %c0 to %N step %c16 iter_args(%m0 = %none, %l0 = %zero) -> (tensor<8xf32>, tensor<8xf32>) {
    %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] bounds [%M, %N] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
    %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
    %n = nautilus_vrtile.splat %M : index -> tensor<8x16xindex>
    %in = arith.cmpi slt, %i, %n : tensor<8x16xindex>
    %s = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
    %best = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %m1 = arith.maximumf %m0, %best : tensor<8xf32>
    %l1 = arith.addf %l0, %one : tensor<8xf32>
    scf.yield %m1, %l1 : tensor<8xf32>, tensor<8xf32>
  }
  %y = arith.addf %m, %l : tensor<8xf32>
  nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%M] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// A step that is known only at the call.
// CHECK-LABEL: @step(
// CHECK:         scf.for
// CHECK-NOT:     scf.for
nautilus_vrtile.kernel @step(%Y: memref<?xf32, strided<[?], offset: ?>>, %N: index, %S: index) {
  %i0 = nautilus_vrtile.origin [16 of 16]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %n = nautilus_vrtile.splat %N : index -> tensor<16xindex>
  // expected-remark @+1 {{the loop stays whole: expected a constant step}}
  %y = scf.for %j0 = %c0 to %N step %S iter_args(%acc = %zero) -> tensor<16xf32> {
    %j = nautilus_vrtile.iota %j0 along 0 : tensor<16xindex>
    %in = arith.cmpi slt, %j, %n : tensor<16xindex>
    %kept = arith.select %in, %one, %zero : tensor<16xi1>, tensor<16xf32>
    %next = arith.addf %acc, %kept : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  nautilus_vrtile.store %y, %Y[%i0] walk [0] : tensor<16xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// Iterations whose mask is false everywhere go, if they change nothing.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-drop-dead-iterations))' --mlir-disable-threading --remarks-filter=Algebra --verify-diagnostics | FileCheck %s
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-drop-dead-iterations{numerics=strict}))' | FileCheck %s --check-prefix=STRICT

// A rolling sum of exponentials: with -inf everywhere, the maximum stays, the repair is one, the sum gains zero.
// Columns past the last row of the block see nothing.
// CHECK-LABEL: @causal(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index)
// CHECK:         %[[i0:.*]] = nautilus_vrtile.origin
// CHECK:         %[[end:.*]] = arith.addi %[[i0]], %{{.*}} : index
// CHECK:         %[[upper:.*]] = arith.minsi %[[N]], %[[end]]
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[upper]] step
// STRICT-LABEL: @causal(
// STRICT-NOT:   arith.minsi
nautilus_vrtile.kernel @causal(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %M: index, %N: index) {
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
    %in = arith.cmpi sle, %j, %i : tensor<8x16xindex>
    %s = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
    %best = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %m1 = arith.maximumf %m0, %best : tensor<8xf32>
    %dead0 = arith.cmpf oeq, %m0, %none : tensor<8xf32>
    %shift0 = arith.select %dead0, %zero, %m0 : tensor<8xi1>, tensor<8xf32>
    %dead1 = arith.cmpf oeq, %m1, %none : tensor<8xf32>
    %shift1 = arith.select %dead1, %zero, %m1 : tensor<8xi1>, tensor<8xf32>
    %moved = arith.subf %shift0, %shift1 : tensor<8xf32>
    %factor = math.exp2 %moved : tensor<8xf32>
    %repair = arith.select %dead0, %one, %factor : tensor<8xi1>, tensor<8xf32>
    %b1 = nautilus_vrtile.broadcast %shift1 to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %d = arith.subf %s, %b1 : tensor<8x16xf32>
    %e = math.exp2 %d : tensor<8x16xf32>
    %part = nautilus_vrtile.reduce %e along 1 identity [0.0 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %l1 = math.fma %l0, %repair, %part : tensor<8xf32>
    scf.yield %m1, %l1 : tensor<8xf32>, tensor<8xf32>
  }
  %y = arith.addf %m, %l : tensor<8xf32>
  nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%M] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// The first columns are before the window of every row: the loop starts at a multiple of its step.
// CHECK-LABEL: @window(
// CHECK:         arith.maxsi
// CHECK:         arith.divsi
// CHECK:         arith.muli
// CHECK:         %[[lower:.*]] = arith.addi
// CHECK:         scf.for %{{.*}} = %[[lower]] to
nautilus_vrtile.kernel @window(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %M: index, %N: index) {
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
    %c5 = arith.constant dense<5> : tensor<8x16xindex>
    %low = arith.subi %i, %c5 : tensor<8x16xindex>
    %in = arith.cmpi sgt, %j, %low : tensor<8x16xindex>
    %s = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
    %best = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %m1 = arith.maximumf %m0, %best : tensor<8xf32>
    %dead0 = arith.cmpf oeq, %m0, %none : tensor<8xf32>
    %shift0 = arith.select %dead0, %zero, %m0 : tensor<8xi1>, tensor<8xf32>
    %dead1 = arith.cmpf oeq, %m1, %none : tensor<8xf32>
    %shift1 = arith.select %dead1, %zero, %m1 : tensor<8xi1>, tensor<8xf32>
    %moved = arith.subf %shift0, %shift1 : tensor<8xf32>
    %factor = math.exp2 %moved : tensor<8xf32>
    %repair = arith.select %dead0, %one, %factor : tensor<8xi1>, tensor<8xf32>
    %b1 = nautilus_vrtile.broadcast %shift1 to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %d = arith.subf %s, %b1 : tensor<8x16xf32>
    %e = math.exp2 %d : tensor<8x16xf32>
    %part = nautilus_vrtile.reduce %e along 1 identity [0.0 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %l1 = math.fma %l0, %repair, %part : tensor<8xf32>
    scf.yield %m1, %l1 : tensor<8xf32>, tensor<8xf32>
  }
  %y = arith.addf %m, %l : tensor<8xf32>
  nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%M] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// Every iteration counts, whatever the mask.
// CHECK-LABEL: @counts(
// CHECK-NOT:     arith.minsi
nautilus_vrtile.kernel @counts(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %M: index, %N: index) {
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
    // expected-remark @+1 {{iterations stay where the mask is false everywhere: expected that they change no carried value}}
    %in = arith.cmpi sle, %j, %i : tensor<8x16xindex>
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

// An unguarded shift: exp2(-inf - m) with m = -inf is not a number.
// CHECK-LABEL: @unguarded(
// CHECK-NOT:     arith.minsi
nautilus_vrtile.kernel @unguarded(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %Y: memref<?xf32, strided<[?], offset: ?>>, %M: index, %N: index) {
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
    // expected-remark @+1 {{iterations stay where the mask is false everywhere}}
    %in = arith.cmpi sle, %j, %i : tensor<8x16xindex>
    %s = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
    %best = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maximumf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %m1 = arith.maximumf %m0, %best : tensor<8xf32>
    %dead0 = arith.cmpf oeq, %m0, %none : tensor<8xf32>
    %shift0 = arith.select %dead0, %zero, %m0 : tensor<8xi1>, tensor<8xf32>
    %dead1 = arith.cmpf oeq, %m1, %none : tensor<8xf32>
    %shift1 = arith.select %dead1, %zero, %m1 : tensor<8xi1>, tensor<8xf32>
    %moved = arith.subf %shift0, %shift1 : tensor<8xf32>
    %factor = math.exp2 %moved : tensor<8xf32>
    %repair = arith.select %dead0, %one, %factor : tensor<8xi1>, tensor<8xf32>
    %b1 = nautilus_vrtile.broadcast %m1 to [0] : tensor<8xf32> -> tensor<8x16xf32>
    %d = arith.subf %s, %b1 : tensor<8x16xf32>
    %e = math.exp2 %d : tensor<8x16xf32>
    %part = nautilus_vrtile.reduce %e along 1 identity [0.0 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      nautilus_vrtile.yield %0 : f32
    }
    %l1 = math.fma %l0, %repair, %part : tensor<8xf32>
    scf.yield %m1, %l1 : tensor<8xf32>, tensor<8xf32>
  }
  %y = arith.addf %m, %l : tensor<8xf32>
  nautilus_vrtile.store %y, %Y[%i0] walk [0] bounds [%M] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

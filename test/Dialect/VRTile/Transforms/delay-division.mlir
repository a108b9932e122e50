// Divisors that a sum does not see leave it, and its loop.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-delay-division))' --mlir-disable-threading --remarks-filter=Algebra --verify-diagnostics | FileCheck %s
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-delay-division{numerics=fast}))' | FileCheck %s --check-prefix=FAST

// CHECK-LABEL: @sum
// CHECK:         %[[s:.*]] = nautilus_vrtile.reduce %[[x:.*]] along 1 {{.*}} : tensor<8x16xf32> -> tensor<8xf32>
// CHECK:         arith.divf %[[s]], %{{.*}} : tensor<8xf32>
nautilus_vrtile.kernel @sum(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %q = arith.divf %x, %b : tensor<8x16xf32>
  %y = nautilus_vrtile.reduce %q along 1 identity [0.0 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
  ^bb0(%lhs: f32, %rhs: f32):
    %sum = arith.addf %lhs, %rhs : f32
    nautilus_vrtile.yield %sum : f32
  }
  nautilus_vrtile.store %y, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// The divisor runs along the summed dim.
// CHECK-LABEL: @along
// CHECK:         arith.divf
// CHECK:         nautilus_vrtile.reduce
nautilus_vrtile.kernel @along(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %q = arith.divf %x, %b : tensor<8x16xf32>
  %s = nautilus_vrtile.reduce %q along 0 identity [0.0 : f32] : tensor<8x16xf32> -> tensor<16xf32> {
  ^bb0(%lhs: f32, %rhs: f32):
    %sum = arith.addf %lhs, %rhs : f32
    nautilus_vrtile.yield %sum : f32
  }
  nautilus_vrtile.store %s, %R[%j0] walk [0] : tensor<16xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// Rows of a product: past a rounding to bf16, which has the range of f32; past one to f16 only if approved.
// CHECK-LABEL: @rows
// CHECK:         arith.divf %{{.*}}, %{{.*}} : tensor<8x16xf32>
// CHECK:         %[[p:.*]] = nautilus_vrtile.dot
// CHECK:         %[[b:.*]] = nautilus_vrtile.broadcast %{{.*}} to [0] : tensor<8xf32> -> tensor<8x8xf32>
// CHECK:         arith.divf %[[p]], %[[b]] : tensor<8x8xf32>
// CHECK:         nautilus_vrtile.dot
// CHECK-NOT:     arith.divf
// FAST-LABEL: @rows
// FAST-NOT:      arith.divf {{.*}} : tensor<8x16xf32>
// FAST-LABEL: @loop
nautilus_vrtile.kernel @rows(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %q = arith.divf %x, %b : tensor<8x16xf32>
  %h = arith.truncf %q : tensor<8x16xf32> to tensor<8x16xbf16>
  %v = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xbf16>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %p = nautilus_vrtile.dot %h, %v transpose, %zero : tensor<8x16xbf16>, tensor<8x16xbf16> -> tensor<8x8xf32>
  nautilus_vrtile.store %p, %Y[%i0, %i0] walk [0, 1] : tensor<8x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %g = arith.truncf %q : tensor<8x16xf32> to tensor<8x16xf16>
  %w = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xf16>
  // expected-remark @+1 {{the factor stays in the sum: without it a rounding to a type of smaller range}}
  %o = nautilus_vrtile.dot %g, %w transpose, %zero : tensor<8x16xf16>, tensor<8x16xf16> -> tensor<8x8xf32>
  nautilus_vrtile.store %o, %Y[%i0, %i0] walk [0, 1] : tensor<8x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// An invariant divisor of all that a loop adds; a loop that does not run still gives zero.
// CHECK-LABEL: @loop
// CHECK:         %[[s:.*]] = scf.for
// CHECK-NOT:       arith.divf
// CHECK:           scf.yield
// CHECK:         %[[q:.*]] = arith.divf %[[s]], %{{.*}} : tensor<8x16xf32>
// CHECK:         %[[ran:.*]] = arith.cmpi sgt
// CHECK:         %[[mask:.*]] = nautilus_vrtile.splat %[[ran]] : i1 -> tensor<8x16xi1>
// CHECK:         arith.select %[[mask]], %[[q]], %[[s]]
nautilus_vrtile.kernel @loop(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>, %N: index) {
  %i0 = nautilus_vrtile.origin [8 of 64]
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %y = scf.for %j0 = %c0 to %N step %c16 iter_args(%acc = %zero) -> tensor<8x16xf32> {
    %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] bounds [inside, %N] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
    %q = arith.divf %x, %b : tensor<8x16xf32>
    %next = arith.addf %acc, %q : tensor<8x16xf32>
    scf.yield %next : tensor<8x16xf32>
  }
  nautilus_vrtile.store %y, %Y[%i0, %c0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

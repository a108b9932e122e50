// The mask of the exponent serves for what follows the exponential.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-reuse-masks,cse))' --mlir-disable-threading --remarks-filter=Algebra --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @guarded
// CHECK:         %[[m:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x16xi1>, tensor<8x16xf32>
// CHECK:         %[[s:.*]] = arith.mulf %[[m]], %{{.*}}
// CHECK:         %[[d:.*]] = arith.subf %[[s]], %{{.*}}
// CHECK:         %[[e:.*]] = math.exp2 %[[d]]
// CHECK-NOT:     arith.select
// CHECK:         %[[h:.*]] = arith.truncf %[[e]]
// CHECK:         nautilus_vrtile.dot %[[h]], %[[h]] transpose
nautilus_vrtile.kernel @guarded(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
  %n = arith.constant dense<50> : tensor<8x16xindex>
  %in = arith.cmpi slt, %j, %n : tensor<8x16xindex>
  %ninf = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %rninf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %rzero = arith.constant dense<0.0> : tensor<8xf32>
  %dead = arith.cmpf oeq, %r, %rninf : tensor<8xf32>
  %shift = arith.select %dead, %rzero, %r : tensor<8xi1>, tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %hzero = arith.constant dense<0.0> : tensor<8x16xf16>
  %m = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
  nautilus_vrtile.store %m, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %c = arith.constant dense<0.18> : tensor<8x16xf32>
  %sx = arith.mulf %x, %c : tensor<8x16xf32>
  %b = nautilus_vrtile.broadcast %shift to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %d = arith.subf %sx, %b : tensor<8x16xf32>
  %e = math.exp2 %d : tensor<8x16xf32>
  %y = arith.select %in, %e, %zero : tensor<8x16xi1>, tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %h = arith.truncf %e : tensor<8x16xf32> to tensor<8x16xf16>
  %g = arith.select %in, %h, %hzero : tensor<8x16xi1>, tensor<8x16xf16>
  %acc = arith.constant dense<0.0> : tensor<8x8xf32>
  %p = nautilus_vrtile.dot %g, %g transpose, %acc : tensor<8x16xf16>, tensor<8x16xf16> -> tensor<8x8xf32>
  nautilus_vrtile.store %p, %Y[%i0, %i0] walk [0, 1] : tensor<8x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// The shift may be -inf, and -inf less -inf is not a number: one mask on the exponent itself.
// CHECK-LABEL: @unguarded
// CHECK:         %[[d:.*]] = arith.subf %{{.*}}, %{{.*}} : tensor<8x16xf32>
// CHECK:         %[[m:.*]] = arith.select %{{.*}}, %[[d]], %{{.*}} : tensor<8x16xi1>, tensor<8x16xf32>
// CHECK:         %[[e:.*]] = math.exp2 %[[m]]
// CHECK-NOT:     arith.select
// CHECK:         arith.truncf %[[e]]
nautilus_vrtile.kernel @unguarded(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
  %n = arith.constant dense<50> : tensor<8x16xindex>
  %in = arith.cmpi slt, %j, %n : tensor<8x16xindex>
  %ninf = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %hzero = arith.constant dense<0.0> : tensor<8x16xf16>
  %m = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
  nautilus_vrtile.store %m, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %c = arith.constant dense<0.18> : tensor<8x16xf32>
  %sx = arith.mulf %x, %c : tensor<8x16xf32>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %d = arith.subf %sx, %b : tensor<8x16xf32>
  %e = math.exp2 %d : tensor<8x16xf32>
  %y = arith.select %in, %e, %zero : tensor<8x16xi1>, tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %h = arith.truncf %e : tensor<8x16xf32> to tensor<8x16xf16>
  %g = arith.select %in, %h, %hzero : tensor<8x16xi1>, tensor<8x16xf16>
  %acc = arith.constant dense<0.0> : tensor<8x8xf32>
  %p = nautilus_vrtile.dot %g, %g transpose, %acc : tensor<8x16xf16>, tensor<8x16xf16> -> tensor<8x8xf32>
  nautilus_vrtile.store %p, %Y[%i0, %i0] walk [0, 1] : tensor<8x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// The exponential has a use outside of the mask.
// CHECK-LABEL: @leaks
// CHECK:         math.exp2
// CHECK:         arith.select
nautilus_vrtile.kernel @leaks(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
  %n = arith.constant dense<50> : tensor<8x16xindex>
  %in = arith.cmpi slt, %j, %n : tensor<8x16xindex>
  %ninf = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %rninf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %rzero = arith.constant dense<0.0> : tensor<8xf32>
  %dead = arith.cmpf oeq, %r, %rninf : tensor<8xf32>
  %shift = arith.select %dead, %rzero, %r : tensor<8xi1>, tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %hzero = arith.constant dense<0.0> : tensor<8x16xf16>
  %m = arith.select %in, %x, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
  nautilus_vrtile.store %m, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %c = arith.constant dense<0.18> : tensor<8x16xf32>
  %sx = arith.mulf %x, %c : tensor<8x16xf32>
  %b = nautilus_vrtile.broadcast %shift to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %d = arith.subf %sx, %b : tensor<8x16xf32>
  %e = math.exp2 %d : tensor<8x16xf32>
  nautilus_vrtile.store %e, %Y[%j0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  // expected-remark @+1 {{the mask stays after the exponential}}
  %y = arith.select %in, %e, %zero : tensor<8x16xi1>, tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %h = arith.truncf %e : tensor<8x16xf32> to tensor<8x16xf16>
  // expected-remark @+1 {{the mask stays after the exponential}}
  %g = arith.select %in, %h, %hzero : tensor<8x16xi1>, tensor<8x16xf16>
  %acc = arith.constant dense<0.0> : tensor<8x8xf32>
  %p = nautilus_vrtile.dot %g, %g transpose, %acc : tensor<8x16xf16>, tensor<8x16xf16> -> tensor<8x8xf32>
  nautilus_vrtile.store %p, %Y[%i0, %i0] walk [0, 1] : tensor<8x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-rewrite-algebra,cse))' | FileCheck %s
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-rewrite-algebra{numerics=strict}))' | FileCheck %s --check-prefix=STRICT

// The scale is folded into the exponential's own, the mask into its argument, the quotient into one reciprocal per row.
// CHECK-LABEL: @row
// CHECK: %[[MASKED:.*]] = arith.select %{{.*}}, %[[X:.*]], %{{.*}} : tensor<8x16xi1>, tensor<8x16xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[MASKED]], %{{.*}}
// CHECK: %[[ARG:.*]] = arith.subf %[[SCALED]]
// CHECK: math.exp2 %[[ARG]]
// CHECK-NOT: math.exp %
// CHECK: arith.divf %{{.*}} : tensor<8xf32>
// CHECK-NOT: arith.divf
// STRICT-LABEL: @row
// STRICT: arith.divf %{{.*}} : tensor<8x16xf32>
// STRICT: math.exp %
nautilus_vrtile.kernel @row(%X: memref<8x16xf32>, %M: memref<8xf32>, %Y: memref<8x16xf32>, %C: memref<8x16xi1>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 8, 16 of 16]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<8x16xf32> -> tensor<8x16xf32>
  %c = nautilus_vrtile.load %C[%i0, %j0] walk [0, 1] : memref<8x16xi1> -> tensor<8x16xi1>
  %m = nautilus_vrtile.load %M[%i0] walk [0] : memref<8xf32> -> tensor<8xf32>
  %ninf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero1 = arith.constant dense<0.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %eight = arith.constant dense<8.0> : tensor<8x16xf32>
  %dead = arith.cmpf oeq, %m, %ninf : tensor<8xf32>
  %ms = arith.select %dead, %zero1, %m : tensor<8xi1>, tensor<8xf32>
  %mb = nautilus_vrtile.broadcast %ms to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %s = arith.divf %x, %eight : tensor<8x16xf32>
  %d = arith.subf %s, %mb : tensor<8x16xf32>
  %e = math.exp %d : tensor<8x16xf32>
  %p = arith.select %c, %e, %zero : tensor<8x16xi1>, tensor<8x16xf32>
  %y = arith.divf %p, %mb : tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<8x16xf32>
  nautilus_vrtile.return
}

// A subtrahend that may be -inf keeps the mask outside: -inf - -inf is no number.
// CHECK-LABEL: @unguarded
// CHECK: math.exp2
// CHECK: arith.select
nautilus_vrtile.kernel @unguarded(%X: memref<8x16xf32>, %M: memref<8x16xf32>, %Y: memref<8x16xf32>, %C: memref<8x16xi1>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 8, 16 of 16]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<8x16xf32> -> tensor<8x16xf32>
  %m = nautilus_vrtile.load %M[%i0, %j0] walk [0, 1] : memref<8x16xf32> -> tensor<8x16xf32>
  %c = nautilus_vrtile.load %C[%i0, %j0] walk [0, 1] : memref<8x16xi1> -> tensor<8x16xi1>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %d = arith.subf %x, %m : tensor<8x16xf32>
  %e = math.exp %d : tensor<8x16xf32>
  %p = arith.select %c, %e, %zero : tensor<8x16xi1>, tensor<8x16xf32>
  nautilus_vrtile.store %p, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<8x16xf32>
  nautilus_vrtile.return
}

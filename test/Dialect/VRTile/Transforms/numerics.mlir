// A strict policy keeps algebraic families off; each says so once.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-exp-to-exp2{numerics=strict},nautilus-vrtile-reuse-masks{numerics=strict},nautilus-vrtile-delay-division{numerics=strict},nautilus-vrtile-telescope{numerics=strict},nautilus-vrtile-reciprocal{numerics=strict},nautilus-vrtile-form-fma{numerics=strict}))' --mlir-disable-threading --remarks-filter=Algebra 2>&1 | FileCheck %s
// CHECK:     ExpToExp2 | Category:Algebra | Remark="not tried: the rewrite is algebraic, which the numeric policy does not allow"
// CHECK-NOT: ExpToExp2
// CHECK:     ReuseMask | {{.*}}not tried
// CHECK:     DelayDivision | {{.*}}not tried
// CHECK:     Reciprocal | {{.*}}not tried
// CHECK:     FormFMA | {{.*}}not tried
// CHECK:     nautilus_vrtile.kernel @all
// CHECK:     math.exp
// CHECK:     math.exp
// CHECK-NOT: math.fma
nautilus_vrtile.kernel @all(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
  %n = arith.constant dense<50> : tensor<8x16xindex>
  %in = arith.cmpi slt, %j, %n : tensor<8x16xindex>
  %b = nautilus_vrtile.broadcast %r to [0] : tensor<8xf32> -> tensor<8x16xf32>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %e = math.exp %x : tensor<8x16xf32>
  %f = math.exp %e : tensor<8x16xf32>
  %g = arith.select %in, %f, %zero : tensor<8x16xi1>, tensor<8x16xf32>
  %q = arith.divf %g, %b : tensor<8x16xf32>
  %s = nautilus_vrtile.reduce %q along 1 identity [0.0 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
  ^bb0(%lhs: f32, %rhs: f32):
    %sum = arith.addf %lhs, %rhs : f32
    nautilus_vrtile.yield %sum : f32
  }
  %p = arith.mulf %s, %r : tensor<8xf32>
  %y = arith.addf %p, %r : tensor<8xf32>
  nautilus_vrtile.store %y, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// An inlined statement is computed by each reader; reads that become equal are merged.
//
// RUN: nautilus-opt %s --nautilus-scalar-apply-schedule | FileCheck %s
// RUN: nautilus-run %s --dims M=7,N=9 --pipeline='builtin.module(nautilus-scalar-apply-schedule)' | FileCheck %s --check-prefix=VALUES

// VALUES: Y: max_abs
// VALUES: PASS
module attributes {transform.with_named_sequence} {
  // CHECK-NOT: map "S"
  // CHECK-NOT: map "E"
  // S and then E go into both readers; X is read once, and `index` names the reader's axis.
  // CHECK: nautilus_scalar.map "Y" [i: M tile 32 at %{{.*}}, j: N tile 128 at %{{.*}}] (%[[X:.*]] = %X[i, j] : tensor<?x?xf32>) -> tensor<32x128xf32> {
  // CHECK: %[[S:.*]] = arith.mulf %[[X]]
  // CHECK: nautilus_scalar.index "j"
  // CHECK: %[[A:.*]] = arith.addf %[[S]]
  // CHECK: %[[E:.*]] = arith.mulf %[[A]], %[[X]]
  // CHECK: math.exp %[[E]]
  // CHECK: nautilus_scalar.reduce "Z" [i: M tile 8 at %{{.*}}] over [j: N tile 1024 at %{{.*}}] (%{{.*}} = %X[i, j] : tensor<?x?xf32>)
  nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M, N] : tensor<?x?xf32>, Z[M] : tensor<?xf32>) {
    %S = nautilus_scalar.map "S" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %c = arith.constant 2.0 : f32
      %0 = arith.mulf %x, %c : f32
      nautilus_scalar.yield %0 : f32
    }
    %E = nautilus_scalar.map "E" [r: M, c: N] (%x = %X[r, c] : tensor<?x?xf32>, %s = %S[r, c] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %i = nautilus_scalar.index "c"
      %0 = arith.index_cast %i : index to i32
      %1 = arith.sitofp %0 : i32 to f32
      %2 = arith.addf %s, %1 : f32
      %3 = arith.mulf %2, %x : f32
      nautilus_scalar.yield %3 : f32
    }
    %Y = nautilus_scalar.map "Y" [i: M, j: N] (%e = %E[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = math.exp %e : f32
      nautilus_scalar.yield %0 : f32
    }
    %Z = nautilus_scalar.reduce "Z" [i: M] over [j: N] (%e = %E[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %e : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %Y, %Z : tensor<?x?xf32>, tensor<?xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.inline %kernel "S" : !transform.any_op
    transform.nautilus_scalar.inline %kernel "E" : !transform.any_op
    transform.yield
  }
}

// Options belong to a launch: a later step replaces an earlier one's, a statement that joins another launch takes that
// one's, and they reach the kernel that runs.
//
// RUN: nautilus-opt %s --nautilus-scalar-apply-schedule | FileCheck %s
// RUN: nautilus-opt %s --nautilus-scalar-apply-schedule --convert-nautilus-scalar-to-vrtile | FileCheck %s --check-prefix=VRTILE
// RUN: nautilus-opt %s --nautilus-scalar-apply-schedule --convert-nautilus-scalar-to-vrtile --convert-nautilus-vrtile-to-matile | FileCheck %s --check-prefix=MATILE
// RUN: nautilus-run %s --dims M=37,N=50 --pipeline='builtin.module(nautilus-scalar-apply-schedule)' | FileCheck %s --check-prefix=VALUES

// CHECK: nautilus_scalar.grid (%{{.*}}) = [i: M tile 16]
// CHECK-SAME: attributes {nautilus_scalar.launch = #nautilus_scalar.launch<warps = 2, persistent>}
// CHECK-NOT: nautilus_scalar.grid
// VRTILE: nautilus_vrtile.kernel @k_0
// VRTILE-SAME: nautilus_scalar.launch = #nautilus_scalar.launch<warps = 2, persistent>
// MATILE: nautilus_matile.kernel @k_0
// MATILE-SAME: nautilus_scalar.launch = #nautilus_scalar.launch<warps = 2, persistent>
// MATILE-SAME: warps = 2
// VALUES: PASS
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (R[M] : tensor<?xf32>) {
    %S = nautilus_scalar.map "S" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = math.exp %x : f32
      nautilus_scalar.yield %0 : f32
    }
    %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%s = %S[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %s : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %R : tensor<?xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.configure %kernel "R" <warps = 8, stages = 3, order = longest_first> : !transform.any_op
    transform.nautilus_scalar.configure %kernel "S" <stages = 5> : !transform.any_op
    transform.nautilus_scalar.tile %kernel "R"["i"] by 16 : !transform.any_op
    transform.nautilus_scalar.tile %kernel "R"["j"] by 8 : !transform.any_op
    transform.nautilus_scalar.configure %kernel "R" <warps = 2, persistent> : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "S" into "R"["j"] : !transform.any_op
    transform.yield
  }
}

// Three blocks per tile of rows each sum up their part of the columns, in whole tiles; a second launch adds the three sums.
//
// RUN: nautilus-opt %s --nautilus-scalar-apply-schedule --canonicalize | FileCheck %s
// DEFINE: %{values} = nautilus-run %s --pipeline='builtin.module(nautilus-scalar-apply-schedule)'
// RUN: %{values} --dims M=37,N=50 | FileCheck %s --check-prefix=VALUES
// RUN: %{values} --dims M=5,N=9 | FileCheck %s --check-prefix=VALUES
// RUN: %{values} --dims M=5,N=0 | FileCheck %s --check-prefix=VALUES

// CHECK: nautilus_scalar.kernel @k dims [M, N, N.parts = 3]
// CHECK: %[[PARTS:.*]] = nautilus_scalar.grid (%{{.*}}, %[[P:.*]]) = [i: M tile 16, j.part: N.parts tile 1] -> tensor<3x?xf32>
// CHECK: nautilus_scalar.for %{{.*}} = [j: N tile 8] from %{{.*}} to %{{.*}} iter (%{{.*}} : tensor<1x16xf32>) attributes {nautilus_scalar.part = "j.part"}
// CHECK: nautilus_scalar.map "S" [j.part: N.parts tile 1 at %[[P]], i: M tile 16
// CHECK: nautilus_scalar.reduce "R.split"
// CHECK: nautilus_scalar.grid (%{{.*}}) = [i: M tile 16] -> tensor<?xf32>
// CHECK: nautilus_scalar.for %{{.*}} = [j.part: N.parts tile 1] iter
// CHECK: nautilus_scalar.reduce "R" [i: M tile 16 {{.*}}] over [j.part: N.parts tile 1 {{.*}}] (%{{.*}} = %[[PARTS]][j.part, i]
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
    transform.nautilus_scalar.tile %kernel "R"["i"] by 16 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "R"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "R"["j"] by 8 : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "S" into "R"["j"] : !transform.any_op
    transform.nautilus_scalar.split_reduce %kernel "R"["j"] into 3 : !transform.any_op
    transform.yield
  }
}

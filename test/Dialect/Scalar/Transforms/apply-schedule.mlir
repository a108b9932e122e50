// A script is carried out: structure from its steps, sizes from knobs and parameters, the rest from
// the plain schedule.
//
// RUN: nautilus-opt %s --nautilus-scalar-apply-schedule | FileCheck %s
// RUN: nautilus-run %s --dims M=37,N=50,K=70 --pipeline='builtin.module(nautilus-scalar-apply-schedule)' | FileCheck %s --check-prefix=VALUES

// CHECK: module {
module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: nautilus_scalar.kernel @matmul
  // CHECK: %[[D:.*]] = nautilus_scalar.grid (%[[I:.*]], %[[J:.*]]) = [i: M tile 16, j: N tile 32] -> tensor<?x?xf32> {
  // CHECK: %[[Z:.*]] = nautilus_scalar.fill 0.000000e+00 : f32 : tensor<16x32xf32>
  // CHECK: %[[ACC:.*]] = nautilus_scalar.for %[[K:.*]] = [k: K tile 64] iter (%[[C:.*]] = %[[Z]] : tensor<16x32xf32>) {
  // CHECK: %[[NEXT:.*]] = nautilus_scalar.reduce "C" [i: M tile 16 at %[[I]], j: N tile 32 at %[[J]]] over [k: K tile 64 at %[[K]]]
  // CHECK-SAME: init(%[[C]] : tensor<16x32xf32>)
  // CHECK: nautilus_scalar.yield %[[NEXT]] : tensor<16x32xf32>
  // The fused statement reads the tile, not the whole tensor.
  // CHECK: nautilus_scalar.map "D" [i: M tile 16 at %[[I]], j: N tile 32 at %[[J]]] (%{{.*}} = %[[ACC]][i, j] : tensor<16x32xf32>)
  // CHECK: nautilus_scalar.assemble %{{.*}} [i: M, j: N] : tensor<16x32xf32>
  // CHECK: nautilus_scalar.return %[[D]]
  // CHECK-NOT: transform
  // VALUES: D: max_abs
  // VALUES: PASS
  nautilus_scalar.kernel @matmul dims [M, N, K] (%A = A[M, K] : tensor<?x?xf32>, %B = B[K, N] : tensor<?x?xf32>) -> (D[M, N] : tensor<?x?xf32>)
      attributes {nautilus_scalar.parameters = {T_j = 32}} {
    %C = nautilus_scalar.reduce "C" [i: M, j: N] over [k: K] (%a = %A[i, k] : tensor<?x?xf32>, %b = %B[k, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = arith.mulf %a, %b : f32
      nautilus_scalar.yield %0 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %D = nautilus_scalar.map "D" [i: M, j: N] (%c = %C[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = math.exp %c : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %D : tensor<?x?xf32>
  }
  transform.named_sequence @matmul_schedule(%kernel: !transform.any_op {transform.readonly}) {
    %ti = transform.tune.knob<"T_i"> = 16 from options = [16, 128] -> !transform.any_param
    %tj = transform.tune.knob<"T_j"> options = [32, 64] -> !transform.any_param
    transform.nautilus_scalar.tile %kernel "C"["i"] by %ti : !transform.any_op, !transform.any_param
    transform.nautilus_scalar.bind %kernel "C"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["j"] by %tj : !transform.any_op, !transform.any_param
    transform.nautilus_scalar.bind %kernel "C"["j"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "D" into "C"["j"] : !transform.any_op
    transform.yield
  }
}

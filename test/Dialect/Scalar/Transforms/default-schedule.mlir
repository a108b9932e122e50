// The plain schedule's tile sizes by rule. Nothing is fused; the kernels stay in math form.
//
// RUN: nautilus-opt %s --split-input-file --nautilus-scalar-default-schedule | FileCheck %s

// A contraction gets 128 x 128 x 64, never less than 16 deep; elementwise work 32 x 128.
// CHECK-LABEL: nautilus_scalar.kernel @matmul
// CHECK-NOT: nautilus_scalar.grid
// CHECK: transform.named_sequence @matmul_schedule(%[[K:.*]]: !transform.any_op {transform.readonly}) {
// CHECK-NEXT: transform.nautilus_scalar.tile %[[K]] "C"["i"] by 128 : !transform.any_op
// CHECK-NEXT: transform.nautilus_scalar.bind %[[K]] "C"["i"] : !transform.any_op
// CHECK-NEXT: transform.nautilus_scalar.tile %[[K]] "C"["j"] by 64
// CHECK-NEXT: transform.nautilus_scalar.bind %[[K]] "C"["j"]
// CHECK-NEXT: transform.nautilus_scalar.tile %[[K]] "C"["k"] by 16
// CHECK-NEXT: transform.nautilus_scalar.tile %[[K]] "D"["i"] by 64
// CHECK-NEXT: transform.nautilus_scalar.bind %[[K]] "D"["i"]
// CHECK-NEXT: transform.nautilus_scalar.tile %[[K]] "D"["j"] by 64
// CHECK-NEXT: transform.nautilus_scalar.bind %[[K]] "D"["j"]
// CHECK-NEXT: transform.yield
nautilus_scalar.kernel @matmul dims [M = 1000, N hint 50, K = 8]
    (%A = A[M, K] : tensor<1000x8xf32>, %B = B[K, N] : tensor<8x?xf32>) -> (D[M, N] : tensor<1000x?xf32>) {
  %C = nautilus_scalar.reduce "C" [i: M, j: N] over [k: K] (%a = %A[i, k] : tensor<1000x8xf32>, %b = %B[k, j] : tensor<8x?xf32>) -> tensor<1000x?xf32> {
    %0 = arith.mulf %a, %b : f32
    nautilus_scalar.yield %0 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %D = nautilus_scalar.map "D" [i: M, j: N] (%c = %C[i, j] : tensor<1000x?xf32>) -> tensor<1000x?xf32> {
    %0 = math.exp %c : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %D : tensor<1000x?xf32>
}

// Row sums walk long rows; column sums walk many columns. An axis that one tile covers has no loop.
// CHECK: transform.named_sequence @sums_schedule
// CHECK-NEXT: tile %{{.*}} "R"["i"] by 8
// CHECK-NEXT: bind %{{.*}} "R"["i"]
// CHECK-NEXT: tile %{{.*}} "R"["j"] by 1024
// CHECK-NEXT: tile %{{.*}} "C"["j"] by 64
// CHECK-NEXT: bind %{{.*}} "C"["j"]
// CHECK-NEXT: tile %{{.*}} "C"["i"] by 64
// CHECK-NEXT: transform.yield
nautilus_scalar.kernel @sums dims [M, N, P = 32] (%X = X[M, N] : tensor<?x?xf32>, %Z = Z[P] : tensor<32xf32>) -> (R[M] : tensor<?xf32>, C[N] : tensor<?xf32>, E[P] : tensor<32xf32>) {
  %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %C = nautilus_scalar.reduce "C" [j: N] over [i: M] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %E = nautilus_scalar.map "E" [p: P] (%z = %Z[p] : tensor<32xf32>) -> tensor<32xf32> {
    nautilus_scalar.yield %z : f32
  }
  nautilus_scalar.return %R, %C, %E : tensor<?xf32>, tensor<?xf32>, tensor<32xf32>
}

// -----

// A kernel with a schedule keeps it.
// CHECK: transform.named_sequence @own_schedule
// CHECK-NEXT: tile %{{.*}} "Y"["i"] by 2
// CHECK-NEXT: transform.yield
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @own dims [M] (%X = X[M] : tensor<?xf32>) -> (Y[M] : tensor<?xf32>) {
    %Y = nautilus_scalar.map "Y" [i: M] (%x = %X[i] : tensor<?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.return %Y : tensor<?xf32>
  }
  transform.named_sequence @own_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "Y"["i"] by 2 : !transform.any_op
    transform.yield
  }
}

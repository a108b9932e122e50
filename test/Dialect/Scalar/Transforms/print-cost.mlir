// The terms of the cost model per kernel, and the best of the sizes that a script leaves to choose.
//
// RUN: nautilus-opt %s --pass-pipeline="builtin.module(nautilus-scalar-print-cost{rank=2 extents=M=4096,N=4096,K=4096})" -o /dev/null | FileCheck %s
// RUN: nautilus-opt %s --pass-pipeline="builtin.module(nautilus-scalar-print-cost{arch=sm_80})" -o /dev/null | FileCheck %s --check-prefix=AMPERE
// RUN: not nautilus-opt %s --pass-pipeline="builtin.module(nautilus-scalar-print-cost{arch=sm_1})" 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not nautilus-opt %s --pass-pipeline="builtin.module(nautilus-scalar-print-cost{extents=M})" 2>&1 | FileCheck %s --check-prefix=EXTENT

// CHECK-LABEL: @matmul
// CHECK: kernel
// One launch; 1024 blocks of 128 x 128, eight warps, one product of 4096^3 on tensor cores.
// CHECK-NEXT: {{^D .*[0-9]+\.[0-9]+ +(l2|tensor) +1024 .* 8 }}
// CHECK-NEXT: total
// CHECK-NEXT: lower bound
// CHECK-NEXT: us  C.i={{128|256}} C.j={{128|256}} C.k={{[0-9]+}} (warps 8
// CHECK-NEXT: us  C.i

// AMPERE-LABEL: @matmul
// AMPERE: D

// ARCH: error: expected an architecture of sm_80, {{.*}}, got 'sm_1'
// EXTENT: error: expected extents of the form M=4096, got 'M'

module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @matmul dims [M, N, K] (%A = A[M, K] : tensor<?x?xf16>, %B = B[K, N] : tensor<?x?xf16>) -> (D[M, N] : tensor<?x?xf16>) {
    %C = nautilus_scalar.reduce "C" [i: M, j: N] over [k: K] (%a = %A[i, k] : tensor<?x?xf16>, %b = %B[k, j] : tensor<?x?xf16>) -> tensor<?x?xf32> {
      %0 = arith.extf %a : f16 to f32
      %1 = arith.extf %b : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      nautilus_scalar.yield %2 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %D = nautilus_scalar.map "D" [i: M, j: N] (%c = %C[i, j] : tensor<?x?xf32>) -> tensor<?x?xf16> {
      %0 = arith.truncf %c : f32 to f16
      nautilus_scalar.yield %0 : f16
    }
    nautilus_scalar.return %D : tensor<?x?xf16>
  }
  transform.named_sequence @matmul_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "C"["i"] by 128 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "C"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["j"] by 128 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "C"["j"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "C"["k"] by 64 : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "D" into "C"["j"] : !transform.any_op
    transform.yield
  }
}

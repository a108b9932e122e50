// Why configure is refused. What the attribute itself forbids is in ../IR/attrs.mlir.
//
// RUN: nautilus-opt %s --verify-diagnostics --nautilus-scalar-apply-schedule

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
    // expected-error @below {{expected the name of a statement, got 'T'}}
    transform.nautilus_scalar.configure %kernel "T" <warps = 8> : !transform.any_op
    transform.yield
  }
}

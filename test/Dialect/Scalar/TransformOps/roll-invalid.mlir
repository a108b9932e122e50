// RUN: nautilus-opt %s --nautilus-scalar-apply-schedule --verify-diagnostics

// sum(tanh(x - max x)) has no repair: the maximum is under a function with no rule.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
    %m = nautilus_scalar.reduce "m" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0xFF800000 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.maximumf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %y = nautilus_scalar.reduce "y" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>, %mm = %m[i] : tensor<?xf32>) -> tensor<?xf32> {
      %0 = arith.subf %x, %mm : f32
      %1 = math.tanh %0 : f32
      nautilus_scalar.yield %1 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %y : tensor<?xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "m"["i"] by 16 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "m"["i"] : !transform.any_op
    transform.nautilus_scalar.tile %kernel "m"["j"] by 64 : !transform.any_op
    // expected-error @+1 {{no repair for statement 'y': 'tanh(c0 - r0)' does not separate into elements and unfinished reductions}}
    transform.nautilus_scalar.roll %kernel "y" into "m"["j"] : !transform.any_op
    transform.yield
  }
}

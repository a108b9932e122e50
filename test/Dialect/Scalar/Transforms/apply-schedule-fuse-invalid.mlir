// Steps that put a statement into the loops of another and are refused, each with its reason at the step.
//
// RUN: nautilus-opt %s --split-input-file --verify-diagnostics --nautilus-scalar-apply-schedule

// A reader of an unfinished reduction.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N, D = 48] (%X = X[M, N] : tensor<?x?xf32>, %W = W[N, D] : tensor<?x48xf32>) -> (Y[M, N] : tensor<?x?xf32>, Z[M, D] : tensor<?x48xf32>) {
    %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %r = %R[i] : tensor<?xf32>) -> tensor<?x?xf32> {
      %0 = arith.divf %x, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Z = nautilus_scalar.reduce "Z" [i: M, d: D] over [j: N] (%y = %Y[i, j] : tensor<?x?xf32>, %w = %W[j, d] : tensor<?x48xf32>) -> tensor<?x48xf32> {
      %0 = arith.mulf %y, %w : f32
      nautilus_scalar.yield %0 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %Y, %Z : tensor<?x?xf32>, tensor<?x48xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "R"["i"] by 16 : !transform.any_op
    transform.nautilus_scalar.tile %kernel "R"["j"] by 16 : !transform.any_op
    // expected-error @below {{statement 'Y' reads reduction 'R' inside the loop over 'j' in which it isn't complete; roll the reduction that uses 'Y' instead}}
    transform.nautilus_scalar.fuse %kernel "Y" into "R"["j"] : !transform.any_op
    transform.yield
  }
}

// -----

// A parallel axis of a fused statement.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N, D = 48] (%X = X[M, N] : tensor<?x?xf32>, %W = W[N, D] : tensor<?x48xf32>) -> (Y[M, N] : tensor<?x?xf32>, Z[M, D] : tensor<?x48xf32>) {
    %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %r = %R[i] : tensor<?xf32>) -> tensor<?x?xf32> {
      %0 = arith.divf %x, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Z = nautilus_scalar.reduce "Z" [i: M, d: D] over [j: N] (%y = %Y[i, j] : tensor<?x?xf32>, %w = %W[j, d] : tensor<?x48xf32>) -> tensor<?x48xf32> {
      %0 = arith.mulf %y, %w : f32
      nautilus_scalar.yield %0 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %Y, %Z : tensor<?x?xf32>, tensor<?x48xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "R"["i"] by 16 : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "Y" into "R"["i"] : !transform.any_op
    // expected-error @below {{axis 'j' of statement 'Y' can't be tiled any more: the statement shares its loops with others, which would not get the new loop}}
    transform.nautilus_scalar.tile %kernel "Y"["j"] by 16 : !transform.any_op
    transform.yield
  }
}

// -----

// Fusing what has loops.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N, D = 48] (%X = X[M, N] : tensor<?x?xf32>, %W = W[N, D] : tensor<?x48xf32>) -> (Y[M, N] : tensor<?x?xf32>, Z[M, D] : tensor<?x48xf32>) {
    %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %r = %R[i] : tensor<?xf32>) -> tensor<?x?xf32> {
      %0 = arith.divf %x, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Z = nautilus_scalar.reduce "Z" [i: M, d: D] over [j: N] (%y = %Y[i, j] : tensor<?x?xf32>, %w = %W[j, d] : tensor<?x48xf32>) -> tensor<?x48xf32> {
      %0 = arith.mulf %y, %w : f32
      nautilus_scalar.yield %0 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %Y, %Z : tensor<?x?xf32>, tensor<?x48xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "R"["i"] by 16 : !transform.any_op
    transform.nautilus_scalar.tile %kernel "Y"["i"] by 16 : !transform.any_op
    // expected-error @below {{expected statement 'Y' to stand alone without loops, because it takes over the loops of its destination}}
    transform.nautilus_scalar.fuse %kernel "Y" into "R"["i"] : !transform.any_op
    transform.yield
  }
}

// -----

// A fused reduction without the grid axis.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N, D = 48] (%X = X[M, N] : tensor<?x?xf32>, %W = W[N, D] : tensor<?x48xf32>) -> (Y[M, N] : tensor<?x?xf32>, Z[M, D] : tensor<?x48xf32>) {
    %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %r = %R[i] : tensor<?xf32>) -> tensor<?x?xf32> {
      %0 = arith.divf %x, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Z = nautilus_scalar.reduce "Z" [i: M, d: D] over [j: N] (%y = %Y[i, j] : tensor<?x?xf32>, %w = %W[j, d] : tensor<?x48xf32>) -> tensor<?x48xf32> {
      %0 = arith.mulf %y, %w : f32
      nautilus_scalar.yield %0 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %Y, %Z : tensor<?x?xf32>, tensor<?x48xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "Z"["i"] by 16 : !transform.any_op
    transform.nautilus_scalar.tile %kernel "Z"["d"] by 16 : !transform.any_op
    // expected-error @below {{statement 'Y' would be repeated in every iteration of the loop over 'd', an axis that it doesn't have}}
    transform.nautilus_scalar.fuse %kernel "Y" into "Z"["d"] : !transform.any_op
    transform.yield
  }
}

// -----

// Statements before one another.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N, D = 48] (%X = X[M, N] : tensor<?x?xf32>, %W = W[N, D] : tensor<?x48xf32>) -> (Y[M, N] : tensor<?x?xf32>, Z[M, D] : tensor<?x48xf32>) {
    %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %r = %R[i] : tensor<?xf32>) -> tensor<?x?xf32> {
      %0 = arith.divf %x, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Z = nautilus_scalar.reduce "Z" [i: M, d: D] over [j: N] (%y = %Y[i, j] : tensor<?x?xf32>, %w = %W[j, d] : tensor<?x48xf32>) -> tensor<?x48xf32> {
      %0 = arith.mulf %y, %w : f32
      nautilus_scalar.yield %0 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %Y, %Z : tensor<?x?xf32>, tensor<?x48xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "R"["i"] by 16 : !transform.any_op
    // expected-error @below {{statements 'Z' and 'R' would have to run before one another}}
    transform.nautilus_scalar.fuse %kernel "Z" into "R"["i"] : !transform.any_op
    transform.yield
  }
}

// -----

// One tile has to cover an axis of a fused statement whose dim is dynamic.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N, D = 48] (%X = X[M, N] : tensor<?x?xf32>, %W = W[N, D] : tensor<?x48xf32>) -> (Y[M, N] : tensor<?x?xf32>, Z[M, D] : tensor<?x48xf32>) {
    %R = nautilus_scalar.reduce "R" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    // expected-error @below {{expected a tile or a static extent for axis 'j' of statement 'Y'; dim 'N' is dynamic and one tile has to cover it}}
    %Y = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %r = %R[i] : tensor<?xf32>) -> tensor<?x?xf32> {
      %0 = arith.divf %x, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    %Z = nautilus_scalar.reduce "Z" [i: M, d: D] over [j: N] (%y = %Y[i, j] : tensor<?x?xf32>, %w = %W[j, d] : tensor<?x48xf32>) -> tensor<?x48xf32> {
      %0 = arith.mulf %y, %w : f32
      nautilus_scalar.yield %0 : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.return %Y, %Z : tensor<?x?xf32>, tensor<?x48xf32>
  }
  transform.named_sequence @k_schedule(%kernel: !transform.any_op {transform.readonly}) {
    transform.nautilus_scalar.tile %kernel "R"["i"] by 16 : !transform.any_op
    transform.nautilus_scalar.bind %kernel "R"["i"] : !transform.any_op
    transform.nautilus_scalar.fuse %kernel "Y" into "R"["i"] : !transform.any_op
    transform.yield
  }
}

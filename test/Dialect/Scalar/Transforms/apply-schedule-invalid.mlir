// Steps that are refused, each with its reason at the step.
//
// RUN: nautilus-opt %s --split-input-file --verify-diagnostics --nautilus-scalar-apply-schedule

// Unknown names.
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
    // expected-error @below {{expected the name of a statement, got 'Q'}}
    transform.nautilus_scalar.tile %kernel "Q"["i"] by 16 : !transform.any_op
    transform.yield
  }
}

// -----

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
    // expected-error @below {{expected an axis of statement 'R', got 'q'}}
    transform.nautilus_scalar.tile %kernel "R"["q"] by 16 : !transform.any_op
    transform.yield
  }
}

// -----

// A loop that isn't there.
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
    // expected-error @below {{expected a loop over axis 'i' around statement 'R'; tile it first}}
    transform.nautilus_scalar.bind %kernel "R"["i"] : !transform.any_op
    transform.yield
  }
}

// -----

// Tile twice.
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
    // expected-error @below {{axis 'i' of statement 'R' is tiled already}}
    transform.nautilus_scalar.tile %kernel "R"["i"] by 16 : !transform.any_op
    transform.yield
  }
}

// -----

// Sizes.
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
    // expected-error @below {{expected a power of two, a multiple of 8 or the extent of its dim as tile of axis 'i', got 12}}
    transform.nautilus_scalar.tile %kernel "R"["i"] by 12 : !transform.any_op
    transform.yield
  }
}

// -----

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
    transform.nautilus_scalar.tile %kernel "Z"["d"] by 48 : !transform.any_op
    // expected-error @below {{expected a multiple of 16 as tile of contraction axis 'j' of statement 'Z', got 8}}
    transform.nautilus_scalar.tile %kernel "Z"["j"] by 8 : !transform.any_op
    transform.yield
  }
}

// -----

// Binding a reduction.
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
    transform.nautilus_scalar.tile %kernel "R"["j"] by 16 : !transform.any_op
    // expected-error @below {{the loop over 'j' can't be bound to the grid: statement 'R' reduces over it, so its iterations depend on one another}}
    transform.nautilus_scalar.bind %kernel "R"["j"] : !transform.any_op
    transform.yield
  }
}

// -----

// An open knob, and a value that isn't an option of its knob.
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
    // expected-error @below {{expected a selected option, or a value for it in 'nautilus_scalar.parameters' of kernel @k}}
    %t = transform.tune.knob<"T"> options = [16, 32] -> !transform.any_param
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @p dims [M] (%X = X[M] : tensor<?xf32>) -> (Y[M] : tensor<?xf32>) attributes {nautilus_scalar.parameters = {T = 8}} {
    %Y = nautilus_scalar.map "Y" [i: M] (%x = %X[i] : tensor<?xf32>) -> tensor<?xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.return %Y : tensor<?xf32>
  }
  transform.named_sequence @p_schedule(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error @below {{expected one of [16, 32] from 'nautilus_scalar.parameters' of kernel @p, got 8 : i64}}
    %t = transform.tune.knob<"T"> options = [16, 32] -> !transform.any_param
    transform.yield
  }
}

// Why inline and clone are refused.
//
// RUN: nautilus-opt %s --split-input-file --verify-diagnostics --nautilus-scalar-apply-schedule

// Inline.
module attributes {transform.with_named_sequence} {
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
    // expected-error @below {{expected the name of a statement, got 'Q'}}
    transform.nautilus_scalar.inline %kernel "Q" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
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
    // expected-error @below {{expected an elementwise statement, got reduction 'Z'}}
    transform.nautilus_scalar.inline %kernel "Z" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
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
    // expected-error @below {{statement 'Y' is a result of the kernel}}
    transform.nautilus_scalar.inline %kernel "Y" : !transform.any_op
    transform.yield
  }
}

// -----

// Clone.
module attributes {transform.with_named_sequence} {
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
    // expected-error @below {{expected a new name, got 'Y', which a statement has}}
    transform.nautilus_scalar.clone %kernel "E" for "Z" as "Y" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
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
    // expected-error @below {{statement 'Z' reads 'S' in a way that its body can't be put in place of the read}}
    transform.nautilus_scalar.clone %kernel "S" for "Z" as "S.1" : !transform.any_op
    transform.yield
  }
}

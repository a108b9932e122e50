// Why split_reduce is refused.
//
// RUN: nautilus-opt %s --split-input-file --verify-diagnostics --nautilus-scalar-apply-schedule

// One part is the loop as it was.
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
    // expected-error @below {{expected 2 to 1024 parts of the loop over 'j', got 1}}
    transform.nautilus_scalar.split_reduce %kernel "R"["j"] into 1 : !transform.any_op
    transform.yield
  }
}

// -----

// No loop.
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
    // expected-error @below {{expected a loop over axis 'j' around statement 'R'; tile it first}}
    transform.nautilus_scalar.split_reduce %kernel "R"["j"] into 4 : !transform.any_op
    transform.yield
  }
}

// -----

// A loop whose iterations are independent.
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
    // expected-error @below {{expected a serial loop over 'i', got one that no reduction needs}}
    transform.nautilus_scalar.split_reduce %kernel "R"["i"] into 4 : !transform.any_op
    transform.yield
  }
}

// -----

// Twice.
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
    transform.nautilus_scalar.split_reduce %kernel "R"["j"] into 4 : !transform.any_op
    // expected-error @below {{expected an axis of statement 'R', got 'j'}}
    transform.nautilus_scalar.split_reduce %kernel "R"["j"] into 4 : !transform.any_op
    transform.yield
  }
}

// -----

// The parts themselves.
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
    transform.nautilus_scalar.split_reduce %kernel "R"["j"] into 4 : !transform.any_op
    // expected-error @below {{the loop over 'j' can't be cut into parts: its range is split already}}
    transform.nautilus_scalar.split_reduce %kernel "R.split"["j"] into 4 : !transform.any_op
    transform.yield
  }
}

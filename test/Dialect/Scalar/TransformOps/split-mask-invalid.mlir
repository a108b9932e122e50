// Why split_mask is refused.
//
// RUN: nautilus-opt %s --split-input-file --verify-diagnostics --nautilus-scalar-apply-schedule

// A loop that no reduction needs.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (R[M] : tensor<?xf32>) {
    %S = nautilus_scalar.map "S" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %i = nautilus_scalar.index "i"
      %j = nautilus_scalar.index "j"
      %c5 = arith.constant 5 : index
      %0 = arith.addi %j, %c5 : index
      %1 = arith.cmpi sle, %j, %i : index
      %2 = arith.cmpi sgt, %0, %i : index
      %3 = arith.andi %1, %2 : i1
      %out = arith.constant 0.0 : f32
      %4 = arith.select %3, %x, %out : f32
      nautilus_scalar.yield %4 : f32
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
    // expected-error @below {{expected a serial loop over 'i', got one that no reduction needs}}
    transform.nautilus_scalar.split_mask %kernel "R"["i"] : !transform.any_op
    transform.yield
  }
}

// -----

// No mask.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (R[M] : tensor<?xf32>) {
    %S = nautilus_scalar.map "S" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %four = arith.constant 4.0 : f32
      %4 = arith.mulf %x, %four : f32
      nautilus_scalar.yield %4 : f32
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
    // expected-error @below {{no statement in the loop over 'j' selects by an affine comparison of that axis}}
    transform.nautilus_scalar.split_mask %kernel "R"["j"] : !transform.any_op
    transform.yield
  }
}

// -----

// What is masked in place of a value counts, so nothing may be dropped.
module attributes {transform.with_named_sequence} {
  nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (R[M] : tensor<?xf32>) {
    %S = nautilus_scalar.map "S" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
      %i = nautilus_scalar.index "i"
      %j = nautilus_scalar.index "j"
      %c5 = arith.constant 5 : index
      %0 = arith.addi %j, %c5 : index
      %1 = arith.cmpi sle, %j, %i : index
      %2 = arith.cmpi sgt, %0, %i : index
      %3 = arith.andi %1, %2 : i1
      %out = arith.constant 1.0 : f32
      %4 = arith.select %3, %x, %out : f32
      nautilus_scalar.yield %4 : f32
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
    // expected-error @below {{an iteration of the loop over 'j' in which a mask hides everything isn't shown to leave all carried values unchanged}}
    transform.nautilus_scalar.split_mask %kernel "R"["j"] : !transform.any_op
    transform.yield
  }
}

// A window of 5: tiles before and after it are dropped, tiles inside it run without the mask. The parts carry
// on from one another.
//
// RUN: nautilus-opt %s --nautilus-scalar-apply-schedule --canonicalize | FileCheck %s
// RUN: nautilus-run %s --dims M=37,N=50 --pipeline='builtin.module(nautilus-scalar-apply-schedule)' | FileCheck %s --check-prefix=VALUES
// RUN: nautilus-run %s --dims M=70,N=20 --pipeline='builtin.module(nautilus-scalar-apply-schedule)' | FileCheck %s --check-prefix=VALUES
// RUN: nautilus-run %s --dims M=5,N=0 --pipeline='builtin.module(nautilus-scalar-apply-schedule)' | FileCheck %s --check-prefix=VALUES

// VALUES: PASS
module attributes {transform.with_named_sequence} {
  // CHECK: %[[LOW:.*]] = nautilus_scalar.for %{{.*}} = [j: N tile 8] from %{{.*}} to %{{.*}} iter
  // CHECK: arith.select
  // CHECK: %[[BARE:.*]] = nautilus_scalar.for %{{.*}} = [j: N tile 8] from %{{.*}} to %{{.*}} iter (%{{.*}} = %[[LOW]] : tensor<16xf32>) attributes {nautilus_scalar.bare}
  // CHECK-NOT: arith.select
  // CHECK: %[[HIGH:.*]] = nautilus_scalar.for %{{.*}} = [j: N tile 8] from %{{.*}} to %{{.*}} iter (%{{.*}} = %[[BARE]] : tensor<16xf32>) {
  // CHECK: arith.select
  // CHECK: nautilus_scalar.assemble %[[HIGH]]
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
    transform.nautilus_scalar.split_mask %kernel "R"["j"] : !transform.any_op
    transform.yield
  }
}

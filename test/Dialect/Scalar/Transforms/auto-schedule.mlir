// RUN: nautilus-opt %s --split-input-file --nautilus-scalar-auto-schedule --mlir-disable-threading --remarks-filter=Schedule --verify-diagnostics | FileCheck %s

// A sum that reads an earlier sum over the same axis is rolled into its loop; the statement between them goes along.

// CHECK-LABEL: nautilus_scalar.kernel @rows
// CHECK: transform.named_sequence @rows_schedule
// CHECK: %[[I:.*]] = transform.tune.knob<"m.i"> = {{.*}} from options = [
// CHECK-NEXT: tile %{{.*}} "m"["i"] by %[[I]]
// CHECK-NEXT: %[[J:.*]] = transform.tune.knob<"m.j"> = {{.*}} from options = [
// CHECK-NEXT: tile %{{.*}} "m"["j"] by %[[J]]
// CHECK-NEXT: roll %{{.*}} "l" into "m"["j"]
// CHECK-NEXT: bind %{{.*}} "m"["i"]
// CHECK-NEXT: configure %{{.*}} "l" <warps =
// CHECK-NEXT: transform.yield
// expected-remark @+1 {{chose 1 launch for 3 statements}}
nautilus_scalar.kernel @rows dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (l[M] : tensor<?xf32>) {
  %m = nautilus_scalar.reduce "m" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    nautilus_scalar.yield %c : f32
  }
  %e = nautilus_scalar.map "e" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>, %y = %m[i] : tensor<?xf32>) -> tensor<?x?xf32> {
    %v = arith.mulf %x, %y : f32
    nautilus_scalar.yield %v : f32
  }
  %l = nautilus_scalar.reduce "l" [i: M] over [j: N] (%x = %e[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    nautilus_scalar.yield %c : f32
  }
  nautilus_scalar.return %l : tensor<?xf32>
}

// -----

// A kernel with a script of its own is left alone.

// CHECK-LABEL: nautilus_scalar.kernel @scripted
// CHECK: transform.named_sequence @scripted_schedule
// CHECK-NEXT: transform.yield
// CHECK-NOT: transform.named_sequence @scripted_schedule
module attributes {transform.with_named_sequence} {
nautilus_scalar.kernel @scripted dims [M] (%X = X[M] : tensor<?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.map "Y" [i: M] (%x = %X[i] : tensor<?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}
transform.named_sequence @scripted_schedule(%kernel: !transform.any_op {transform.readonly}) {
  transform.yield
}
}

// Subscripts that may leave their tensor for some extents are checked at each call, the others not.
//
// RUN: nautilus-opt %s --nautilus-stage-scheduled --nautilus-stage-applied --convert-nautilus-scalar-to-vrtile | FileCheck %s

// Y[i] = X[i + 1] over M, from N elements: M <= N - 1, or no points at all. W is read at proven places.
// CHECK-LABEL: nautilus_host.entry @shift
// CHECK:         %[[M:.*]] = nautilus_host.dim "M"
// CHECK:         %[[LAST:.*]] = arith.addi %[[M]],
// CHECK:         %[[HIGH:.*]] = arith.addi %[[LAST]],
// CHECK:         %[[N:.*]] = nautilus_host.dim "N"
// CHECK:         arith.cmpi slt, %[[HIGH]], %[[N]] : i64
// CHECK:         arith.cmpi eq, %[[M]],
// CHECK:         nautilus_host.check %{{.*}}, "expected subscript 0 of X in Y to stay inside [0, {0}), got {1} to {2}"(%[[N]], %{{.*}}, %[[HIGH]])
// CHECK-NOT:     nautilus_host.check
// CHECK:         nautilus_host.launch
nautilus_scalar.kernel @shift dims [M, N, S = 8] (%X = X[N] : tensor<?xf32>, %W = W[S] : tensor<8xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.map "Y" [i: M] (%x = %X[i + 1] : tensor<?xf32>, %w = %W[i mod 8] : tensor<8xf32>) -> tensor<?xf32> {
    %0 = arith.mulf %x, %w : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// RUN: nautilus-opt %s | nautilus-opt | FileCheck %s
// RUN: nautilus-opt %s --mlir-print-op-generic | nautilus-opt | FileCheck %s

// CHECK-LABEL: nautilus_scalar.kernel @matmul dims [M = 128, N hint 4096, K = 64](
// CHECK-SAME: %A = A[M, K] : tensor<128x64xf16>, %B = B[K, N] : tensor<64x?xf16>) -> (C[M, N] : tensor<128x?xf32>)
nautilus_scalar.kernel @matmul dims [M = 128, N hint 4096, K = 64]
    (%A = A[M, K] : tensor<128x64xf16>, %B = B[K, N] : tensor<64x?xf16>)
    -> (C[M, N] : tensor<128x?xf32>) {
  // CHECK: %[[C:.*]] = nautilus_scalar.reduce "C" [i: M, j: N] over [k: K]
  // CHECK-SAME: (%[[a:.*]] = %A[i, k] : tensor<128x64xf16>, %[[b:.*]] = %B[k, j] : tensor<64x?xf16>) -> tensor<128x?xf32> {
  %C = nautilus_scalar.reduce "C" [i: M, j: N] over [k: K] (%a = %A[i, k] : tensor<128x64xf16>, %b = %B[k, j] : tensor<64x?xf16>) -> tensor<128x?xf32> {
    // CHECK: arith.extf %[[a]]
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    nautilus_scalar.yield %2 : f32
  // CHECK: } combine identity [0.000000e+00 : f32] {
  // CHECK-NEXT: ^bb0(%[[l:.*]]: f32, %[[r:.*]]: f32):
  // CHECK-NEXT: arith.addf %[[l]], %[[r]]
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  // CHECK: nautilus_scalar.return %[[C]] : tensor<128x?xf32>
  nautilus_scalar.return %C : tensor<128x?xf32>
}

// A product dim is two kernel dims; its axes have dotted names.
// CHECK-LABEL: nautilus_scalar.kernel private @products dims [G, R, N](
// CHECK-SAME: %X = X[G*R, N] : tensor<?x?x?xf32>, %Y = Y[G, N] : tensor<?x?xf32>) -> (Z[G*R, N] : tensor<?x?x?xf32>)
// CHECK-SAME: attributes {note = "kept"}
nautilus_scalar.kernel private @products dims [G, R, N] (%X = X[G*R, N] : tensor<?x?x?xf32>, %Y = Y[G, N] : tensor<?x?xf32>)
    -> (Z[G*R, N] : tensor<?x?x?xf32>) attributes {note = "kept"} {
  // CHECK: nautilus_scalar.map "Z.0" [h.G: G, h.R: R, n: N] (%{{.*}} = %X[h.G, h.R, n] : tensor<?x?x?xf32>, %{{.*}} = %Y[h.G, n] : tensor<?x?xf32>) -> tensor<?x?x?xf32> attributes {tag} {
  %Z = nautilus_scalar.map "Z.0" [h.G: G, h.R: R, n: N] (%x = %X[h.G, h.R, n] : tensor<?x?x?xf32>, %y = %Y[h.G, n] : tensor<?x?xf32>)
      -> tensor<?x?x?xf32> attributes {tag} {
    %0 = arith.addf %x, %y : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %Z : tensor<?x?x?xf32>
}

// CHECK-LABEL: nautilus_scalar.kernel @subscripts
nautilus_scalar.kernel @subscripts dims [N, P = 4] (%X = X[N, P] : tensor<?x4xf32>) -> (Y[N] : tensor<?xf32>) {
  // CHECK: %X[i + 1, 3] : tensor<?x4xf32>
  // CHECK-SAME: %X[i - 1, 0] : tensor<?x4xf32>
  // CHECK-SAME: %X[i * 2 + 5, i mod 4] : tensor<?x4xf32>
  // CHECK-SAME: %X[(i + 1) floordiv 3, (i floordiv 2) mod 4] : tensor<?x4xf32>
  // CHECK-SAME: %X[-i + 7, i floordiv 2] : tensor<?x4xf32>
  // CHECK-SAME: %X[i - (i mod 4) * 2, i ceildiv 2] : tensor<?x4xf32>
  %Y = nautilus_scalar.map "Y" [i: N] (
      %a = %X[i + 1, 3] : tensor<?x4xf32>,
      %b = %X[i - 1, 0] : tensor<?x4xf32>,
      %c = %X[i * 2 + 5, i mod 4] : tensor<?x4xf32>,
      %d = %X[(i + 1) floordiv 3, (i floordiv 2) mod 4] : tensor<?x4xf32>,
      %e = %X[7 - i, i floordiv 2] : tensor<?x4xf32>,
      %f = %X[i - 2 * (i mod 4), i ceildiv 2] : tensor<?x4xf32>) -> tensor<?xf32> {
    %0 = arith.addf %a, %b : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// A statement without inputs, a rank-0 result, and a body that reads coordinates.
// CHECK-LABEL: nautilus_scalar.kernel @indices dims [N]() -> (Y[N] : tensor<?xi64>, S[] : tensor<i64>)
nautilus_scalar.kernel @indices dims [N] () -> (Y[N] : tensor<?xi64>, S[] : tensor<i64>) {
  // CHECK: nautilus_scalar.map "Y" [i: N] () -> tensor<?xi64>
  %Y = nautilus_scalar.map "Y" [i: N] () -> tensor<?xi64> {
    // CHECK: nautilus_scalar.index "i"
    %0 = nautilus_scalar.index "i"
    // CHECK: nautilus_scalar.dim "N"
    %1 = nautilus_scalar.dim "N"
    %2 = arith.addi %0, %1 : index
    %3 = arith.index_cast %2 : index to i64
    nautilus_scalar.yield %3 : i64
  }
  // CHECK: nautilus_scalar.reduce "S" [] over [i: N] (%{{.*}} = %{{.*}}[i] : tensor<?xi64>) -> tensor<i64>
  %S = nautilus_scalar.reduce "S" [] over [i: N] (%y = %Y[i] : tensor<?xi64>) -> tensor<i64> {
    nautilus_scalar.yield %y : i64
  } combine identity [0] {
  ^bb0(%l: i64, %r: i64):
    %0 = arith.addi %l, %r : i64
    nautilus_scalar.yield %0 : i64
  }
  nautilus_scalar.return %Y, %S : tensor<?xi64>, tensor<i64>
}

// Several results.
// CHECK-LABEL: nautilus_scalar.kernel @pairs
nautilus_scalar.kernel @pairs dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (V[M] : tensor<?xf32>, I[M] : tensor<?xindex>) {
  // CHECK: %[[V:.*]]:2 = nautilus_scalar.reduce "V" [i: M] over [j: N] (%{{.*}} = %X[i, j] : tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xindex>)
  %V, %I = nautilus_scalar.reduce "V" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xindex>) {
    %j = nautilus_scalar.index "j"
    nautilus_scalar.yield %x, %j : f32, index
  // CHECK: combine identity [0xFF800000 : f32, 0 : index]
  } combine identity [0xFF800000 : f32, 0 : index] {
  ^bb0(%lv: f32, %li: index, %rv: f32, %ri: index):
    %0 = arith.cmpf oge, %lv, %rv : f32
    %1 = arith.select %0, %lv, %rv : f32
    %2 = arith.select %0, %li, %ri : index
    nautilus_scalar.yield %1, %2 : f32, index
  }
  nautilus_scalar.return %V, %I : tensor<?xf32>, tensor<?xindex>
}

// Loop form of a matmul.
// CHECK-LABEL: nautilus_scalar.kernel @loops
nautilus_scalar.kernel @loops dims [M, N, K] (%A = A[M, K] : tensor<?x?xf32>, %B = B[K, N] : tensor<?x?xf32>) -> (C[M, N] : tensor<?x?xf32>) {
  // CHECK: %[[G:.*]] = nautilus_scalar.grid (%i0, %j0) = [i: M tile 128, j: N tile 64] -> tensor<?x?xf32> {
  %C = nautilus_scalar.grid (%i0, %j0) = [i: M tile 128, j: N tile 64] -> tensor<?x?xf32> {
    // CHECK: %[[Z:.*]] = nautilus_scalar.fill 0.000000e+00 : f32 : tensor<128x64xf32>
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<128x64xf32>
    // CHECK: %[[ACC:.*]] = nautilus_scalar.for %k0 = [k: K tile 32] iter (%[[c:.*]] = %[[Z]] : tensor<128x64xf32>) {
    %acc = nautilus_scalar.for %k0 = [k: K tile 32] iter (%c = %zero : tensor<128x64xf32>) {
      // CHECK: nautilus_scalar.reduce "C" [i: M tile 128 at %i0, j: N tile 64 at %j0] over [k: K tile 32 at %k0]
      // CHECK-SAME: init(%[[c]] : tensor<128x64xf32>) -> tensor<128x64xf32>
      %next = nautilus_scalar.reduce "C" [i: M tile 128 at %i0, j: N tile 64 at %j0] over [k: K tile 32 at %k0]
          (%a = %A[i, k] : tensor<?x?xf32>, %b = %B[k, j] : tensor<?x?xf32>) init(%c : tensor<128x64xf32>) -> tensor<128x64xf32> {
        %0 = arith.mulf %a, %b : f32
        nautilus_scalar.yield %0 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<128x64xf32>
    }
    // CHECK: nautilus_scalar.assemble %[[ACC]] [i: M, j: N] : tensor<128x64xf32>
    nautilus_scalar.assemble %acc [i: M, j: N] : tensor<128x64xf32>
  }
  nautilus_scalar.return %C : tensor<?x?xf32>
}

// Bounds of a loop, two carried values, two assembled results, a tile that covers its dim.
// CHECK-LABEL: nautilus_scalar.kernel @bounds
nautilus_scalar.kernel @bounds dims [M, D = 64] (%X = X[M, D] : tensor<?x64xf32>) -> (Y[M, D] : tensor<?x64xf32>, Z[M] : tensor<?xf32>) {
  %Y, %Z = nautilus_scalar.grid (%i0) = [i: M tile 16] -> (tensor<?x64xf32>, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %y0 = nautilus_scalar.map "Y" [i: M tile 16 at %i0, d: D tile 64] (%x = %X[i, d] : tensor<?x64xf32>) -> tensor<16x64xf32> {
      nautilus_scalar.yield %x : f32
    }
    %z0 = nautilus_scalar.fill 1.0 : f32 : tensor<16xf32>
    // CHECK: nautilus_scalar.for %d0 = [d: D tile 16] from %{{.*}} to %i0 iter (%{{.*}} = %{{.*}} : tensor<16x64xf32>, %{{.*}} = %{{.*}} : tensor<16xf32>) {
    %y, %z = nautilus_scalar.for %d0 = [d: D tile 16] from %c0 to %i0 iter (%p = %y0 : tensor<16x64xf32>, %q = %z0 : tensor<16xf32>) {
      nautilus_scalar.yield %p, %q : tensor<16x64xf32>, tensor<16xf32>
    }
    // CHECK: nautilus_scalar.assemble %{{.*}} [i: M, d: D], %{{.*}} [i: M] : tensor<16x64xf32>, tensor<16xf32>
    nautilus_scalar.assemble %y [i: M, d: D], %z [i: M] : tensor<16x64xf32>, tensor<16xf32>
  }
  nautilus_scalar.return %Y, %Z : tensor<?x64xf32>, tensor<?xf32>
}

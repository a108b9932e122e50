// Sums of products become dot, whatever the order of the factors' dims; tails are bounds, with zeros in
// both factors; a loop carries the accumulator.
//
// RUN: nautilus-opt %s --convert-nautilus-scalar-to-vrtile | FileCheck %s
// DEFINE: %{run} = nautilus-run %s --level=vrtile --pipeline="builtin.module(convert-nautilus-scalar-to-vrtile)"
// RUN: %{run} --entry=nn --dims M=37,N=50,K=19 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=nn --dims M=1,N=32,K=0 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=nn --dims M=0,N=5,K=5 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=nt --dims M=37,N=50,K=19 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=tn --dims M=37,N=50,K=19 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=swapped --dims M=37,N=50,K=19 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=whole --dims M=64,N=32,K=48 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=computed --dims M=18,N=50,K=19 | FileCheck %s --check-prefix=SAME
// SAME: PASS

// CHECK-LABEL: nautilus_vrtile.kernel @nn_0(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf16, strided<[?, ?], offset: ?>>, %[[B:.*]]: memref<?x?xf16, strided<[?, ?], offset: ?>>,
// CHECK-SAME:    %[[C:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[M:.*]]: index, %[[N:.*]]: index, %[[K:.*]]: index)
// CHECK:         %[[O:.*]]:2 = nautilus_vrtile.origin [16 of %[[M]], 32 of %[[N]]]
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
// CHECK:         %[[ACC:.*]] = scf.for %[[k0:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%[[c:.*]] = %[[ZERO]]) -> (tensor<16x32xf32>)
// CHECK:           %[[a:.*]] = nautilus_vrtile.load %[[A]][%[[O]]#0, %[[k0]]] walk [0, 1] bounds [%[[M]], %[[K]]] :
// CHECK:           %[[b:.*]] = nautilus_vrtile.load %[[B]][%[[k0]], %[[O]]#1] walk [0, 1] bounds [%[[K]], %[[N]]] :
// CHECK-NOT:       arith.extf
// CHECK:           %[[next:.*]] = nautilus_vrtile.dot %[[a]], %[[b]], %[[c]] : tensor<16x16xf16>, tensor<16x32xf16> -> tensor<16x32xf32>
// CHECK:           scf.yield %[[next]]
// CHECK:         nautilus_vrtile.store %[[ACC]], %[[C]][%[[O]]#0, %[[O]]#1] walk [0, 1] bounds [%[[M]], %[[N]]] :
nautilus_scalar.kernel @nn dims [M, N, K] (%A = A[M, K] : tensor<?x?xf16>, %B = B[K, N] : tensor<?x?xf16>) -> (C[M, N] : tensor<?x?xf32>) {
  %C = nautilus_scalar.grid (%x0, %y0) = [i: M tile 16, j: N tile 32] -> tensor<?x?xf32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<16x32xf32>
    %acc = nautilus_scalar.for %k0 = [k: K tile 16] iter (%c = %zero : tensor<16x32xf32>) {
      %next = nautilus_scalar.reduce "C" [i: M tile 16 at %x0, j: N tile 32 at %y0] over [k: K tile 16 at %k0]
          (%a = %A[i, k] : tensor<?x?xf16>, %b = %B[k, j] : tensor<?x?xf16>) init(%c : tensor<16x32xf32>) -> tensor<16x32xf32> {
        %0 = arith.extf %a : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        nautilus_scalar.yield %2 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<16x32xf32>
    }
    nautilus_scalar.assemble %acc [i: M, j: N] : tensor<16x32xf32>
  }
  nautilus_scalar.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: nautilus_vrtile.kernel @nt_0(
// CHECK:         nautilus_vrtile.dot %{{.*}}, %{{.*}} transpose, %{{.*}} : tensor<16x16xf16>, tensor<32x16xf16> -> tensor<16x32xf32>
nautilus_scalar.kernel @nt dims [M, N, K] (%A = A[M, K] : tensor<?x?xf16>, %B = B[N, K] : tensor<?x?xf16>) -> (C[M, N] : tensor<?x?xf32>) {
  %C = nautilus_scalar.grid (%x0, %y0) = [i: M tile 16, j: N tile 32] -> tensor<?x?xf32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<16x32xf32>
    %acc = nautilus_scalar.for %k0 = [k: K tile 16] iter (%c = %zero : tensor<16x32xf32>) {
      %next = nautilus_scalar.reduce "C" [i: M tile 16 at %x0, j: N tile 32 at %y0] over [k: K tile 16 at %k0]
          (%a = %A[i, k] : tensor<?x?xf16>, %b = %B[j, k] : tensor<?x?xf16>) init(%c : tensor<16x32xf32>) -> tensor<16x32xf32> {
        %0 = arith.extf %a : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        nautilus_scalar.yield %2 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<16x32xf32>
    }
    nautilus_scalar.assemble %acc [i: M, j: N] : tensor<16x32xf32>
  }
  nautilus_scalar.return %C : tensor<?x?xf32>
}

// CHECK-LABEL: nautilus_vrtile.kernel @tn_0(
// CHECK:         nautilus_vrtile.dot %{{.*}} transpose, %{{.*}}, %{{.*}} : tensor<16x16xf16>, tensor<16x32xf16> -> tensor<16x32xf32>
nautilus_scalar.kernel @tn dims [M, N, K] (%A = A[K, M] : tensor<?x?xf16>, %B = B[K, N] : tensor<?x?xf16>) -> (C[M, N] : tensor<?x?xf32>) {
  %C = nautilus_scalar.grid (%x0, %y0) = [i: M tile 16, j: N tile 32] -> tensor<?x?xf32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<16x32xf32>
    %acc = nautilus_scalar.for %k0 = [k: K tile 16] iter (%c = %zero : tensor<16x32xf32>) {
      %next = nautilus_scalar.reduce "C" [i: M tile 16 at %x0, j: N tile 32 at %y0] over [k: K tile 16 at %k0]
          (%a = %A[k, i] : tensor<?x?xf16>, %b = %B[k, j] : tensor<?x?xf16>) init(%c : tensor<16x32xf32>) -> tensor<16x32xf32> {
        %0 = arith.extf %a : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        nautilus_scalar.yield %2 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<16x32xf32>
    }
    nautilus_scalar.assemble %acc [i: M, j: N] : tensor<16x32xf32>
  }
  nautilus_scalar.return %C : tensor<?x?xf32>
}

// The result's rows are the second factor's.
// CHECK-LABEL: nautilus_vrtile.kernel @swapped_0(
// CHECK:           %[[a:.*]] = nautilus_vrtile.load %{{.*}} : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<32x16xf16>
// CHECK:           %[[b:.*]] = nautilus_vrtile.load %{{.*}} : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x16xf16>
// CHECK:           nautilus_vrtile.dot %[[a]], %[[b]] transpose, %{{.*}} : tensor<32x16xf16>, tensor<16x16xf16> -> tensor<32x16xf32>
nautilus_scalar.kernel @swapped dims [M, N, K] (%A = A[M, K] : tensor<?x?xf16>, %B = B[N, K] : tensor<?x?xf16>) -> (C[N, M] : tensor<?x?xf32>) {
  %C = nautilus_scalar.grid (%x0, %y0) = [j: N tile 32, i: M tile 16] -> tensor<?x?xf32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<32x16xf32>
    %acc = nautilus_scalar.for %k0 = [k: K tile 16] iter (%c = %zero : tensor<32x16xf32>) {
      %next = nautilus_scalar.reduce "C" [j: N tile 32 at %x0, i: M tile 16 at %y0] over [k: K tile 16 at %k0]
          (%a = %A[i, k] : tensor<?x?xf16>, %b = %B[j, k] : tensor<?x?xf16>) init(%c : tensor<32x16xf32>) -> tensor<32x16xf32> {
        %0 = arith.extf %a : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        nautilus_scalar.yield %2 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<32x16xf32>
    }
    nautilus_scalar.assemble %acc [j: N, i: M] : tensor<32x16xf32>
  }
  nautilus_scalar.return %C : tensor<?x?xf32>
}

// Static extents that are multiples of the tiles need no bounds.
// CHECK-LABEL: nautilus_vrtile.kernel @whole_0(
// CHECK-NOT:     bounds
// CHECK:       nautilus_host.entry
nautilus_scalar.kernel @whole dims [M = 64, N = 32, K = 48] (%A = A[M, K] : tensor<64x48xf16>, %B = B[K, N] : tensor<48x32xf16>) -> (C[M, N] : tensor<64x32xf32>) {
  %C = nautilus_scalar.grid (%x0, %y0) = [i: M tile 16, j: N tile 32] -> tensor<64x32xf32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<16x32xf32>
    %acc = nautilus_scalar.for %k0 = [k: K tile 16] iter (%c = %zero : tensor<16x32xf32>) {
      %next = nautilus_scalar.reduce "C" [i: M tile 16 at %x0, j: N tile 32 at %y0] over [k: K tile 16 at %k0]
          (%a = %A[i, k] : tensor<64x48xf16>, %b = %B[k, j] : tensor<48x32xf16>) init(%c : tensor<16x32xf32>) -> tensor<16x32xf32> {
        %0 = arith.extf %a : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        nautilus_scalar.yield %2 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<16x32xf32>
    }
    nautilus_scalar.assemble %acc [i: M, j: N] : tensor<16x32xf32>
  }
  nautilus_scalar.return %C : tensor<64x32xf32>
}

// One factor is a load, the other is computed: it is masked, as what lies outside is not zero.
// CHECK-LABEL: nautilus_vrtile.kernel @computed_0(
// CHECK:         %[[x:.*]] = nautilus_vrtile.load %{{.*}} -> tensor<16x8xf32>
// CHECK:         %[[e:.*]] = math.exp %[[x]] : tensor<16x8xf32>
// CHECK:         %[[h:.*]] = arith.truncf %[[e]] : tensor<16x8xf32> to tensor<16x8xf16>
// CHECK:         %[[k:.*]] = nautilus_vrtile.iota %{{.*}} along 0 : tensor<8xindex>
// CHECK:         %[[K:.*]] = nautilus_vrtile.splat %{{.*}} : index -> tensor<8xindex>
// CHECK:         %[[in:.*]] = arith.cmpi slt, %[[k]], %[[K]] : tensor<8xindex>
// CHECK:         %[[mask:.*]] = nautilus_vrtile.broadcast %[[in]] to [1] : tensor<8xi1> -> tensor<16x8xi1>
// CHECK:         %[[a:.*]] = arith.select %[[mask]], %[[h]], %{{.*}} : tensor<16x8xi1>, tensor<16x8xf16>
// CHECK:         %[[b:.*]] = nautilus_vrtile.load %{{.*}} -> tensor<8x32xf16>
// CHECK:         nautilus_vrtile.dot %[[a]], %[[b]], %{{.*}}
nautilus_scalar.kernel @computed dims [M, N, K] (%A = A[M, K] : tensor<?x?xf32>, %B = B[K, N] : tensor<?x?xf16>) -> (C[M, N] : tensor<?x?xf32>) {
  %C = nautilus_scalar.grid (%x0, %y0) = [i: M tile 16, j: N tile 32] -> tensor<?x?xf32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<16x32xf32>
    %acc = nautilus_scalar.for %k0 = [k: K tile 8] iter (%c = %zero : tensor<16x32xf32>) {
      %next = nautilus_scalar.reduce "C" [i: M tile 16 at %x0, j: N tile 32 at %y0] over [k: K tile 8 at %k0]
          (%a = %A[i, k] : tensor<?x?xf32>, %b = %B[k, j] : tensor<?x?xf16>) init(%c : tensor<16x32xf32>) -> tensor<16x32xf32> {
        %e = math.exp %a : f32
        %h = arith.truncf %e : f32 to f16
        %0 = arith.extf %h : f16 to f32
        %1 = arith.extf %b : f16 to f32
        %2 = arith.mulf %0, %1 : f32
        nautilus_scalar.yield %2 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<16x32xf32>
    }
    nautilus_scalar.assemble %acc [i: M, j: N] : tensor<16x32xf32>
  }
  nautilus_scalar.return %C : tensor<?x?xf32>
}

// Serial loops: carried tiles, bounds of our own, tiles that start below zero.
//
// RUN: nautilus-opt %s --convert-nautilus-scalar-to-vrtile | FileCheck %s
// DEFINE: %{run} = nautilus-run %s --level=vrtile --pipeline="builtin.module(convert-nautilus-scalar-to-vrtile)"
// RUN: %{run} --entry=rolling --dims M=6,N=19 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=rolling --dims M=4,N=1 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=window --dims N=23 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=window --dims N=1 | FileCheck %s --check-prefix=SAME
// SAME: PASS

// CHECK-LABEL: nautilus_vrtile.kernel @rolling_0(
// CHECK:         %[[out:.*]]:2 = scf.for %{{.*}} iter_args(%[[m0:.*]] = %{{.*}}, %[[s0:.*]] = %{{.*}}) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK:           %[[m1:.*]] = arith.maximumf %[[m0]], %{{.*}} : tensor<4xf32>
// CHECK:           %[[d:.*]] = arith.subf %[[m0]], %[[m1]] : tensor<4xf32>
// CHECK:           %[[f:.*]] = math.exp %[[d]] : tensor<4xf32>
// CHECK:           %[[s:.*]] = arith.mulf %[[s0]], %[[f]] : tensor<4xf32>
// CHECK:           %[[s1:.*]] = arith.addf %[[s]], %{{.*}} : tensor<4xf32>
// CHECK:           scf.yield %[[m1]], %[[s1]]
// CHECK:         math.log %[[out]]#1
nautilus_scalar.kernel @rolling dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (L[M] : tensor<?xf32>) {
  %L = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    %ninf = nautilus_scalar.fill 0xFF800000 : f32 : tensor<4xf32>
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    %m, %s = nautilus_scalar.for %j0 = [j: N tile 8] iter (%m0 = %ninf : tensor<4xf32>, %s0 = %zero : tensor<4xf32>) {
      %m1 = nautilus_scalar.reduce "m" [i: M tile 4 at %i0] over [j: N tile 8 at %j0] (%x = %X[i, j] : tensor<?x?xf32>) init(%m0 : tensor<4xf32>) -> tensor<4xf32> {
        nautilus_scalar.yield %x : f32
      } combine identity [0xFF800000 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.maximumf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      %e = nautilus_scalar.map "e" [i: M tile 4 at %i0, j: N tile 8 at %j0] (%x = %X[i, j] : tensor<?x?xf32>, %mx = %m1[i] : tensor<4xf32>) -> tensor<4x8xf32> {
        %0 = arith.subf %x, %mx : f32
        %1 = math.exp %0 : f32
        nautilus_scalar.yield %1 : f32
      }
      %fixed = nautilus_scalar.map "fix" [i: M tile 4 at %i0] (%old = %m0[i] : tensor<4xf32>, %new = %m1[i] : tensor<4xf32>, %sum = %s0[i] : tensor<4xf32>) -> tensor<4xf32> {
        %0 = arith.subf %old, %new : f32
        %1 = math.exp %0 : f32
        %2 = arith.mulf %sum, %1 : f32
        nautilus_scalar.yield %2 : f32
      }
      %s1 = nautilus_scalar.reduce "s" [i: M tile 4 at %i0] over [j: N tile 8 at %j0] (%x = %e[i, j] : tensor<4x8xf32>) init(%fixed : tensor<4xf32>) -> tensor<4xf32> {
        nautilus_scalar.yield %x : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %m1, %s1 : tensor<4xf32>, tensor<4xf32>
    }
    %l = nautilus_scalar.map "L" [i: M tile 4 at %i0] (%a = %m[i] : tensor<4xf32>, %d = %s[i] : tensor<4xf32>) -> tensor<4xf32> {
      %0 = math.log %d : f32
      %1 = arith.addf %a, %0 : f32
      nautilus_scalar.yield %1 : f32
    }
    nautilus_scalar.assemble %l [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %L : tensor<?xf32>
}
// The window of row block i0 starts 8 before it, which may be below zero: one unsigned comparison masks
// both ends, and attributes of the loop move along.
// CHECK-LABEL: nautilus_vrtile.kernel @window_0(
// CHECK:         %[[lo:.*]] = arith.subi
// CHECK:         scf.for %[[j0:.*]] = %[[lo]] to
// CHECK:           %[[j:.*]] = nautilus_vrtile.iota %[[j0]] along 0 : tensor<4xindex>
// CHECK:           arith.cmpi ult, %{{.*}}, %{{.*}} : tensor<4xindex>
// CHECK:         } {test.stages = 2 : i64}
nautilus_scalar.kernel @window dims [N] (%X = X[N] : tensor<?xf32>) -> (Y[N] : tensor<?xf32>) {
  %c8 = arith.constant 8 : index
  %Y = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?xf32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    %lo = arith.subi %i0, %c8 : index
    %c4 = arith.constant 4 : index
    %hi = arith.addi %i0, %c4 : index
    %r = nautilus_scalar.for %j0 = [j: N tile 4] from %lo to %hi iter (%s = %zero : tensor<4xf32>) attributes {test.stages = 2 : i64} {
      %next = nautilus_scalar.reduce "Y" [i: N tile 4 at %i0] over [j: N tile 4 at %j0] (%x = %X[j] : tensor<?xf32>) init(%s : tensor<4xf32>) -> tensor<4xf32> {
        %i = nautilus_scalar.index "i"
        %j = nautilus_scalar.index "j"
        %far = arith.subi %i, %j : index
        %n5 = arith.constant 5 : index
        %in = arith.cmpi ult, %far, %n5 : index
        %0 = math.exp %x : f32
        %none = arith.constant 0.0 : f32
        %1 = arith.select %in, %0, %none : f32
        nautilus_scalar.yield %1 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<4xf32>
    }
    nautilus_scalar.assemble %r [i: N] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// How subscripts become loads: broadcast, batch axes of one point, transposition, offsets, and what
// depends on fewer axes is computed on fewer axes.
//
// RUN: nautilus-opt %s --convert-nautilus-scalar-to-vrtile | FileCheck %s
// DEFINE: %{run} = nautilus-run %s --level=vrtile --pipeline="builtin.module(convert-nautilus-scalar-to-vrtile)"
// RUN: %{run} --entry=row --dims M=37,N=50 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=batch --dims B=3,M=13 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=turned --dims M=37,N=50 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=turned --dims M=1,N=0 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=shifted --dims N=17,P=20 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=masked --dims M=9,N=12 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=rotated --dims M=9 | FileCheck %s --check-prefix=SAME
// SAME: PASS

// The row's factor is doubled before it is broadcast.
// CHECK-LABEL: nautilus_vrtile.kernel @row_0(
// CHECK:         %[[f:.*]] = nautilus_vrtile.load {{.*}} -> tensor<8xf32>
// CHECK:         %[[g:.*]] = arith.addf %[[f]], %[[f]] : tensor<8xf32>
// CHECK:         %[[x:.*]] = nautilus_vrtile.load {{.*}} -> tensor<8x16xf32>
// CHECK:         %[[b:.*]] = nautilus_vrtile.broadcast %[[g]] to [0] : tensor<8xf32> -> tensor<8x16xf32>
// CHECK:         arith.mulf %[[b]], %[[x]] : tensor<8x16xf32>
nautilus_scalar.kernel @row dims [M, N] (%X = X[M, N] : tensor<?x?xf32>, %F = F[M] : tensor<?xf32>) -> (Y[M, N] : tensor<?x?xf32>) {
  %Y = nautilus_scalar.grid (%i0, %j0) = [i: M tile 8, j: N tile 16] -> tensor<?x?xf32> {
    %y = nautilus_scalar.map "Y" [i: M tile 8 at %i0, j: N tile 16 at %j0] (%x = %X[i, j] : tensor<?x?xf32>, %f = %F[i] : tensor<?xf32>) -> tensor<8x16xf32> {
      %0 = arith.addf %f, %f : f32
      %1 = arith.mulf %0, %x : f32
      nautilus_scalar.yield %1 : f32
    }
    nautilus_scalar.assemble %y [i: M, j: N] : tensor<8x16xf32>
  }
  nautilus_scalar.return %Y : tensor<?x?xf32>
}

// Axes of one point are plain indices; a head of the query reads the group's row: h / 2, h mod 2.
// CHECK-LABEL: nautilus_vrtile.kernel @batch_0(
// CHECK:         %[[O:.*]]:3 = nautilus_vrtile.origin [1 of %{{.*}}, 1 of 4, 8 of %[[M:.*]]]
// CHECK:         nautilus_vrtile.load %{{.*}}[%[[O]]#0, %[[O]]#1, %[[O]]#2] walk [2] bounds [%[[M]]] : memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>> -> tensor<8xf32>
// CHECK:         nautilus_vrtile.load %{{.*}}[%[[O]]#0, %{{.*}}, %[[O]]#2] walk [2] bounds [%[[M]]] : memref<?x2x?xf32, strided<[?, ?, ?], offset: ?>> -> tensor<8xf32>
// CHECK:         nautilus_vrtile.store %{{.*}}, %{{.*}}[%[[O]]#0, %[[O]]#1, %[[O]]#2] walk [2] bounds [%[[M]]]
nautilus_scalar.kernel @batch dims [B, H = 4, G = 2, M] (%X = X[B, H, M] : tensor<?x4x?xf32>, %K = K[B, G, M] : tensor<?x2x?xf32>) -> (Y[B, H, M] : tensor<?x4x?xf32>) {
  %Y = nautilus_scalar.grid (%b0, %h0, %i0) = [b: B tile 1, h: H tile 1, i: M tile 8] -> tensor<?x4x?xf32> {
    %y = nautilus_scalar.map "Y" [b: B tile 1 at %b0, h: H tile 1 at %h0, i: M tile 8 at %i0] (%x = %X[b, h, i] : tensor<?x4x?xf32>, %k = %K[b, h floordiv 2, i] : tensor<?x2x?xf32>) -> tensor<1x1x8xf32> {
      %0 = arith.mulf %x, %k : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %y [b: B, h: H, i: M] : tensor<1x1x8xf32>
  }
  nautilus_scalar.return %Y : tensor<?x4x?xf32>
}

// Loads follow memory; the transposition is a tile's.
// CHECK-LABEL: nautilus_vrtile.kernel @turned_0(
// CHECK:         %[[x:.*]] = nautilus_vrtile.load %{{.*}} walk [0, 1] bounds {{.*}} -> tensor<8x16xf32>
// CHECK:         %[[e:.*]] = math.exp %[[x]] : tensor<8x16xf32>
// CHECK:         %[[t:.*]] = nautilus_vrtile.transpose %[[e]] [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
// CHECK:         nautilus_vrtile.store %[[t]]
nautilus_scalar.kernel @turned dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[N, M] : tensor<?x?xf32>) {
  %Y = nautilus_scalar.grid (%j0, %i0) = [j: N tile 16, i: M tile 8] -> tensor<?x?xf32> {
    %y = nautilus_scalar.map "Y" [j: N tile 16 at %j0, i: M tile 8 at %i0] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<16x8xf32> {
      %0 = math.exp %x : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %y [j: N, i: M] : tensor<16x8xf32>
  }
  nautilus_scalar.return %Y : tensor<?x?xf32>
}

// An offset: the bound is the tensor's, and a sum over the axis is masked by the axis' own extent.
// CHECK-LABEL: nautilus_vrtile.kernel @shifted_0(
// CHECK-SAME:    %{{.*}}: index, %[[P:.*]]: index)
// CHECK:         %[[at:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:         nautilus_vrtile.load %{{.*}}[%[[at]]] walk [0] bounds [%{{.*}}] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
// CHECK:         arith.select
nautilus_scalar.kernel @shifted dims [N, P] (%X = X[P] : tensor<?xf32>) -> (Y[] : tensor<f32>) {
  %Y = nautilus_scalar.grid () = [] -> tensor<f32> {
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<f32>
    %r = nautilus_scalar.for %i0 = [i: N tile 8] iter (%c = %zero : tensor<f32>) {
      %next = nautilus_scalar.reduce "Y" [] over [i: N tile 8 at %i0] (%x = %X[i + 2] : tensor<?xf32>) init(%c : tensor<f32>) -> tensor<f32> {
        nautilus_scalar.yield %x : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<f32>
    }
    nautilus_scalar.assemble %r [] : tensor<f32>
  }
  nautilus_scalar.return %Y : tensor<f32>
}

// Coordinates are iotas of the axes they name; extents are arguments of the kernel.
// CHECK-LABEL: nautilus_vrtile.kernel @masked_0(
// CHECK-DAG:     %[[i:.*]] = nautilus_vrtile.iota %{{.*}} along 0 : tensor<8xindex>
// CHECK-DAG:     %[[j:.*]] = nautilus_vrtile.iota %{{.*}} along 0 : tensor<16xindex>
// CHECK-DAG:     %[[d:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK-DAG:     %[[D:.*]] = nautilus_vrtile.splat %[[d]] : index -> tensor<8xindex>
// CHECK:         %[[last:.*]] = arith.addi %[[i]], %[[D]] : tensor<8xindex>
// CHECK-DAG:     %[[J:.*]] = nautilus_vrtile.broadcast %[[j]] to [1] : tensor<16xindex> -> tensor<8x16xindex>
// CHECK-DAG:     %[[L:.*]] = nautilus_vrtile.broadcast %[[last]] to [0] : tensor<8xindex> -> tensor<8x16xindex>
// CHECK:         arith.cmpi sle, %[[J]], %[[L]] : tensor<8x16xindex>
nautilus_scalar.kernel @masked dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M, N] : tensor<?x?xf32>) {
  %Y = nautilus_scalar.grid (%i0, %j0) = [i: M tile 8, j: N tile 16] -> tensor<?x?xf32> {
    %y = nautilus_scalar.map "Y" [i: M tile 8 at %i0, j: N tile 16 at %j0] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<8x16xf32> {
      %i = nautilus_scalar.index "i"
      %j = nautilus_scalar.index "j"
      %m = nautilus_scalar.dim "M"
      %n = nautilus_scalar.dim "N"
      %off = arith.subi %n, %m : index
      %last = arith.addi %i, %off : index
      %in = arith.cmpi sle, %j, %last : index
      %none = arith.constant 0xFF800000 : f32
      %0 = arith.select %in, %x, %none : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %y [i: M, j: N] : tensor<8x16xf32>
  }
  nautilus_scalar.return %Y : tensor<?x?xf32>
}

// Below a remainder or quotient by a multiple of an aligned tile's size: the remainder walks on from the origin's, the
// quotient is one index.
// CHECK-LABEL: nautilus_vrtile.kernel @rotated_0(
// CHECK:         %[[O:.*]]:2 = nautilus_vrtile.origin [4 of %{{.*}}, 8 of 32]
// CHECK:         %[[moved:.*]] = arith.addi %[[O]]#1, %{{.*}} : index
// CHECK:         arith.remsi %[[moved]], %{{.*}} : index
// CHECK:         nautilus_vrtile.load %{{.*}}[%[[O]]#0, %{{.*}}] walk [0, 1] bounds [%{{.*}}, 32] : memref<?x32xf32, strided<[?, ?], offset: ?>> -> tensor<4x8xf32>
// CHECK:         nautilus_vrtile.load %{{.*}}[%{{.*}}] walk [] : memref<2xf32, strided<[?], offset: ?>> -> tensor<f32>
nautilus_scalar.kernel @rotated dims [M, D = 32, G = 2] (%X = X[M, D] : tensor<?x32xf32>, %S = S[G] : tensor<2xf32>) -> (Y[M, D] : tensor<?x32xf32>) {
  %Y = nautilus_scalar.grid (%i0, %d0) = [i: M tile 4, d: D tile 8] -> tensor<?x32xf32> {
    %y = nautilus_scalar.map "Y" [i: M tile 4 at %i0, d: D tile 8 at %d0] (%x = %X[i, (d + 16) mod 32] : tensor<?x32xf32>, %s = %S[d floordiv 16] : tensor<2xf32>) -> tensor<4x8xf32> {
      %0 = arith.mulf %x, %s : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %y [i: M, d: D] : tensor<4x8xf32>
  }
  nautilus_scalar.return %Y : tensor<?x32xf32>
}

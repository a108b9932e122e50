// The host entry: one launch per grid in order, workspace for what only grids read, checks of dims that
// must fit one tile.
//
// RUN: nautilus-opt %s --convert-nautilus-scalar-to-vrtile | FileCheck %s
// DEFINE: %{run} = nautilus-run %s --level=vrtile --pipeline="builtin.module(convert-nautilus-scalar-to-vrtile)"
// RUN: %{run} --entry=two_grids --dims N=10 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=two_grids --dims N=0 | FileCheck %s --check-prefix=SAME
// RUN: %{run} --entry=shared --dims N=10,D=7 | FileCheck %s --check-prefix=SAME
// SAME: PASS
// RUN: not %{run} --entry=shared --dims N=10,D=17 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: expected D to be at most 16 (it must fit one tile of this schedule), got 17

// CHECK-LABEL: nautilus_vrtile.kernel @two_grids_0(
// CHECK-LABEL: nautilus_vrtile.kernel @two_grids_1(
// CHECK:       nautilus_host.entry @two_grids dims [#nautilus_scalar.dim<"N", -9223372036854775808>]
// CHECK-SAME:      tensors [#nautilus_scalar.tensor<"X", {{\[\["N"\]\]}}>, #nautilus_scalar.tensor<"Y", {{\[\["N"\]\]}}>]
// CHECK-SAME:      types [tensor<?xf32>, tensor<?xf32>] results 1 {
// CHECK-DAG:     %[[X:.*]] = nautilus_host.view "X" : memref<?xf32, strided<[?], offset: ?>>
// CHECK-DAG:     %[[N:.*]] = nautilus_host.dim "N"
// CHECK-DAG:     %[[four:.*]] = arith.constant 4 : i64
// CHECK:         %[[bytes:.*]] = arith.muli %[[four]], %[[N]] : i64
// CHECK:         %[[at:.*]] = nautilus_host.workspace %[[bytes]]
// CHECK:         %[[T:.*]] = nautilus_host.view %[[at]] extents(%[[N]]) : memref<?xf32, strided<[?], offset: ?>>
// CHECK:         %[[blocks:.*]] = arith.ceildivsi %[[N]], %[[four]] : i64
// CHECK:         nautilus_host.launch @two_grids_0 grid(%[[blocks]]) (%[[X]], %[[T]], %[[N]])
// CHECK:         %[[Y:.*]] = nautilus_host.view "Y" : memref<?xf32, strided<[?], offset: ?>>
// CHECK:         nautilus_host.launch @two_grids_1 grid(%{{.*}}) (%[[T]], %[[Y]], %[[N]])
nautilus_scalar.kernel @two_grids dims [N] (%X = X[N] : tensor<?xf32>) -> (Y[N] : tensor<?xf32>) {
  %T = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?xf32> {
    %t = nautilus_scalar.map "T" [i: N tile 4 at %i0] (%x = %X[i] : tensor<?xf32>) -> tensor<4xf32> {
      %0 = arith.addf %x, %x : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %t [i: N] : tensor<4xf32>
  }
  %Y = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?xf32> {
    %c4 = arith.constant 4 : index
    %end = arith.addi %i0, %c4 : index
    %c0 = arith.constant 0 : index
    %zero = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    %sum = nautilus_scalar.for %j0 = [j: N tile 2] from %c0 to %end iter (%s = %zero : tensor<4xf32>) {
      %next = nautilus_scalar.reduce "Y" [i: N tile 4 at %i0] over [j: N tile 2 at %j0] (%t = %T[j] : tensor<?xf32>) init(%s : tensor<4xf32>) -> tensor<4xf32> {
        %i = nautilus_scalar.index "i"
        %j = nautilus_scalar.index "j"
        %visible = arith.cmpi sle, %j, %i : index
        %none = arith.constant 0.0 : f32
        %0 = arith.select %visible, %t, %none : f32
        nautilus_scalar.yield %0 : f32
      } combine identity [0.0 : f32] {
      ^bb0(%l: f32, %r: f32):
        %0 = arith.addf %l, %r : f32
        nautilus_scalar.yield %0 : f32
      }
      nautilus_scalar.yield %next : tensor<4xf32>
    }
    nautilus_scalar.assemble %sum [i: N] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}
// A result that is returned twice and read by a later grid has no workspace; nobody reads %U, which leaves
// no launch; the grid's attributes go to its kernel.
// CHECK-LABEL: nautilus_vrtile.kernel @shared_0(
// CHECK-SAME:      attributes {test.warps = 4 : i64}
// CHECK:         %[[t:.*]] = arith.addf
// CHECK:         nautilus_vrtile.store %[[t]], %{{.*}}[%{{.*}}, %{{.*}}] walk [0, 1] bounds [%[[N:.*]], %[[D:.*]]]
// CHECK:         nautilus_vrtile.store %[[t]], %{{.*}}[%{{.*}}, %{{.*}}] walk [0, 1] bounds [%[[N]], %[[D]]]
// CHECK:       nautilus_host.entry @shared
// CHECK-NOT:     workspace
// CHECK:         nautilus_host.check %{{.*}}, "expected D to be at most {1}
// CHECK:         nautilus_host.launch @shared_0
// CHECK:         nautilus_host.launch @shared_1
// CHECK-NOT:     nautilus_host.launch
nautilus_scalar.kernel @shared dims [N, D] (%X = X[N, D] : tensor<?x?xf32>) -> (T[N, D] : tensor<?x?xf32>, Y[N, D] : tensor<?x?xf32>, S[N, D] : tensor<?x?xf32>) {
  %T = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?x?xf32> attributes {test.warps = 4 : i64} {
    %t = nautilus_scalar.map "T" [i: N tile 4 at %i0, d: D tile 16] (%x = %X[i, d] : tensor<?x?xf32>) -> tensor<4x16xf32> {
      %0 = arith.addf %x, %x : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %t [i: N, d: D] : tensor<4x16xf32>
  }
  %U = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?x?xf32> {
    %t = nautilus_scalar.map "U" [i: N tile 4 at %i0, d: D tile 16] (%x = %X[i, d] : tensor<?x?xf32>) -> tensor<4x16xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.assemble %t [i: N, d: D] : tensor<4x16xf32>
  }
  %Y = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?x?xf32> {
    %t = nautilus_scalar.map "Y" [i: N tile 4 at %i0, d: D tile 16] (%x = %T[i, d] : tensor<?x?xf32>) -> tensor<4x16xf32> {
      %0 = math.exp %x : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %t [i: N, d: D] : tensor<4x16xf32>
  }
  nautilus_scalar.return %T, %Y, %T : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

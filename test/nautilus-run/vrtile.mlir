// nautilus_vrtile under a host entry: tails of load, store and dot, a reduction and its broadcast, loops
// with carried tiles, a workspace between two launches.
//
// RUN: nautilus-run %s --level=vrtile --entry=host --reference=plain --dims M=5,N=7,K=3 | FileCheck %s
// RUN: nautilus-run %s --level=vrtile --entry=host --reference=plain --dims M=8,N=4,K=16 | FileCheck %s
// RUN: nautilus-run %s --level=vrtile --entry=host --reference=plain --dims M=9,N=13,K=17 --mode=typed | FileCheck %s
// RUN: nautilus-run %s --level=vrtile --entry=host --reference=plain --dims M=0,N=3,K=2 | FileCheck %s
// CHECK: S: max_abs
// CHECK: PASS
// RUN: not nautilus-run %s --level=vrtile --entry=unbounded --reference=plain --dims M=5,N=4,K=8 2>&1 | FileCheck %s --check-prefix=UNBOUNDED
// RUN: not nautilus-run %s --level=vrtile --entry=few --reference=plain --dims M=5,N=4,K=8 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: expected a launch of 2 blocks, got 1
// RUN: not nautilus-run %s --level=vrtile --entry=checked --reference=plain --dims M=5,N=4,K=8 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: error: K is 8, and 5 is too few

// S[i, j] = C[i, j] / sum of the row, C = A B.
nautilus_scalar.kernel @plain dims [M, N, K] (%A = A[M, K] : tensor<?x?xf16>, %B = B[N, K] : tensor<?x?xf16>) -> (S[M, N] : tensor<?x?xf32>) {
  %C = nautilus_scalar.reduce "C" [i: M, j: N] over [k: K] (%a = %A[i, k] : tensor<?x?xf16>, %b = %B[j, k] : tensor<?x?xf16>) -> tensor<?x?xf32> {
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    nautilus_scalar.yield %2 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %E = nautilus_scalar.map "E" [i: M, j: N] (%c = %C[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = math.exp %c : f32
    nautilus_scalar.yield %0 : f32
  }
  %T = nautilus_scalar.reduce "T" [i: M] over [j: N] (%c = %E[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %c : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %S = nautilus_scalar.map "S" [i: M, j: N] (%c = %E[i, j] : tensor<?x?xf32>, %t = %T[i] : tensor<?xf32>) -> tensor<?x?xf32> {
    %0 = arith.divf %c, %t : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %S : tensor<?x?xf32>
}

nautilus_vrtile.kernel @product(%A: memref<?x?xf16, strided<[?, ?], offset: ?>>, %B: memref<?x?xf16, strided<[?, ?], offset: ?>>, %C: memref<?x?xf32, strided<[?, ?], offset: ?>>, %M: index, %N: index, %K: index) {
  %i0, %j0 = nautilus_vrtile.origin [4 of %M, 8 of %N]
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %acc = scf.for %k0 = %c0 to %K step %c16 iter_args(%c = %zero) -> tensor<4x8xf32> {
    %a = nautilus_vrtile.load %A[%i0, %k0] walk [0, 1] bounds [%M, %K] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<4x16xf16>
    %b = nautilus_vrtile.load %B[%j0, %k0] walk [0, 1] bounds [%N, %K] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<8x16xf16>
    %next = nautilus_vrtile.dot %a, %b transpose, %c : tensor<4x16xf16>, tensor<8x16xf16> -> tensor<4x8xf32>
    scf.yield %next : tensor<4x8xf32>
  }
  %e = math.exp %acc : tensor<4x8xf32>
  nautilus_vrtile.store %e, %C[%i0, %j0] walk [0, 1] bounds [%M, %N] : tensor<4x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

nautilus_vrtile.kernel @normalise(%C: memref<?x?xf32, strided<[?, ?], offset: ?>>, %S: memref<?x?xf32, strided<[?, ?], offset: ?>>, %M: index, %N: index) {
  %i0 = nautilus_vrtile.origin [4 of %M]
  // The tile is loaded transposed and wide enough for every column; padding is the identity of the sum.
  %c0 = arith.constant 0 : index
  %c = nautilus_vrtile.load %C[%i0, %c0] walk [1, 0] bounds [%N, %M] padding 0.0 : f32 : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<16x4xf32>
  %t = nautilus_vrtile.reduce %c along 0 identity [0.0 : f32] : tensor<16x4xf32> -> tensor<4xf32> {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_vrtile.yield %0 : f32
  }
  %w = nautilus_vrtile.broadcast %t to [1] : tensor<4xf32> -> tensor<16x4xf32>
  %s = arith.divf %c, %w : tensor<16x4xf32>
  // A mask of symbolic coordinates that keeps everything inside the tensor.
  %j = nautilus_vrtile.iota %c0 along 0 : tensor<16x4xindex>
  %n = nautilus_vrtile.splat %N : index -> tensor<16x4xindex>
  %in = arith.cmpi slt, %j, %n : tensor<16x4xindex>
  %nan = arith.constant dense<0x7FC00000> : tensor<16x4xf32>
  %kept = arith.select %in, %s, %nan : tensor<16x4xi1>, tensor<16x4xf32>
  %u = nautilus_vrtile.transpose %kept [1, 0] : tensor<16x4xf32> -> tensor<4x16xf32>
  nautilus_vrtile.store %u, %S[%i0, %c0] walk [0, 1] bounds [%M, %N] : tensor<4x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// A load without bounds in a tile that is not inside.
nautilus_vrtile.kernel @reckless(%C: memref<?x?xf16, strided<[?, ?], offset: ?>>, %S: memref<?x?xf32, strided<[?, ?], offset: ?>>, %M: index) {
  %i0 = nautilus_vrtile.origin [4 of %M]
  %c0 = arith.constant 0 : index
  // UNBOUNDED: [[#@LINE+1]]:8: error: expected an index of memory dim 0 inside [0, 5), got 7
  %c = nautilus_vrtile.load %C[%i0, %c0] walk [0, 1] bounds [inside, 8] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<4x8xf16>
  nautilus_vrtile.return
}

nautilus_host.entry @host dims [#nautilus_scalar.dim<"M", -9223372036854775808>, #nautilus_scalar.dim<"N", -9223372036854775808>, #nautilus_scalar.dim<"K", -9223372036854775808>]
    tensors [#nautilus_scalar.tensor<"A", [["M"], ["K"]]>, #nautilus_scalar.tensor<"B", [["N"], ["K"]]>, #nautilus_scalar.tensor<"S", [["M"], ["N"]]>]
    types [tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>] results 1 {
  %A = nautilus_host.view "A" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %B = nautilus_host.view "B" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %S = nautilus_host.view "S" : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %M = nautilus_host.dim "M"
  %N = nautilus_host.dim "N"
  %K = nautilus_host.dim "K"
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %numbers = arith.muli %M, %N : i64
  %bytes = arith.muli %numbers, %c4 : i64
  %address = nautilus_host.workspace %bytes
  %C = nautilus_host.view %address extents(%M, %N) : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %rows = arith.ceildivsi %M, %c4 : i64
  %columns = arith.ceildivsi %N, %c8 : i64
  %blocks = arith.muli %rows, %columns : i64
  nautilus_host.launch @product grid(%blocks) (%A, %B, %C, %M, %N, %K) : (memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, i64, i64, i64)
  nautilus_host.launch @normalise grid(%rows) (%C, %S, %M, %N) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, i64, i64)
}

nautilus_host.entry @unbounded dims [#nautilus_scalar.dim<"M", -9223372036854775808>, #nautilus_scalar.dim<"N", -9223372036854775808>, #nautilus_scalar.dim<"K", -9223372036854775808>]
    tensors [#nautilus_scalar.tensor<"A", [["M"], ["K"]]>, #nautilus_scalar.tensor<"B", [["N"], ["K"]]>, #nautilus_scalar.tensor<"S", [["M"], ["N"]]>]
    types [tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>] results 1 {
  %A = nautilus_host.view "A" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %S = nautilus_host.view "S" : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %M = nautilus_host.dim "M"
  %c2 = arith.constant 2 : i64
  nautilus_host.launch @reckless grid(%c2) (%A, %S, %M) : (memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, i64)
}

nautilus_host.entry @few dims [#nautilus_scalar.dim<"M", -9223372036854775808>, #nautilus_scalar.dim<"N", -9223372036854775808>, #nautilus_scalar.dim<"K", -9223372036854775808>]
    tensors [#nautilus_scalar.tensor<"A", [["M"], ["K"]]>, #nautilus_scalar.tensor<"B", [["N"], ["K"]]>, #nautilus_scalar.tensor<"S", [["M"], ["N"]]>]
    types [tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>] results 1 {
  %A = nautilus_host.view "A" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %S = nautilus_host.view "S" : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %M = nautilus_host.dim "M"
  %c1 = arith.constant 1 : i64
  nautilus_host.launch @reckless grid(%c1) (%A, %S, %M) : (memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, i64)
}

nautilus_host.entry @checked dims [#nautilus_scalar.dim<"M", -9223372036854775808>, #nautilus_scalar.dim<"N", -9223372036854775808>, #nautilus_scalar.dim<"K", -9223372036854775808>]
    tensors [#nautilus_scalar.tensor<"A", [["M"], ["K"]]>, #nautilus_scalar.tensor<"B", [["N"], ["K"]]>, #nautilus_scalar.tensor<"S", [["M"], ["N"]]>]
    types [tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>] results 1 {
  %M = nautilus_host.dim "M"
  %K = nautilus_host.dim "K"
  %false = arith.constant false
  nautilus_host.check %false, "K is {0}, and {1} is too few" (%K, %M)
}

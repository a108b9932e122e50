// A product in flight: its result must not be read nor its operands overwritten until it has been
// waited for.
//
// RUN: nautilus-run %s --level=matile --entry=host --reference=plain | FileCheck %s --check-prefix=GOOD
// GOOD: PASS
// RUN: sed 's/%done = nautilus_matile.wait_dot.*//; s/%done : tensor<64x16xf32, #acc> to/%flying : tensor<64x16xf32, #acc> to/' %s > %t.unwaited.mlir
// RUN: not nautilus-run %t.unwaited.mlir --level=matile --entry=host --reference=plain 2>&1 | FileCheck %s --check-prefix=UNWAITED
// UNWAITED: error: 'nautilus_matile.start_dot' op expected the product to be waited for before arith.truncf uses it
// RUN: sed 's/pending 0/pending 1/' %s > %t.pending.mlir
// RUN: not nautilus-run %t.pending.mlir --level=matile --entry=host --reference=plain 2>&1 | FileCheck %s --check-prefix=PENDING
// PENDING: error: the accumulator belongs to group 1, of which the wait leaves all after 0 in flight
// RUN: sed 's|// HERE|nautilus_matile.write %y, %b : tensor<16x16xf16, #rows>, <16x16xf16, swizzle 32>|' %s > %t.overwritten.mlir
// RUN: not nautilus-run %t.overwritten.mlir --level=matile --entry=host --reference=plain 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// OVERWRITTEN: error: byte {{[0-9]+}} of shared memory is written while a product in flight reads it

#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #nautilus_matile.layout<reg = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>

nautilus_scalar.kernel @plain dims [M = 64, N = 16] (%A = A[M, N] : tensor<64x16xf16>, %B = B[N, N] : tensor<16x16xf16>) -> (C[M, N] : tensor<64x16xf16>) {
  %S = nautilus_scalar.reduce "S" [i: M, j: N] over [k: N] (%a = %A[i, k] : tensor<64x16xf16>, %b = %B[k, j] : tensor<16x16xf16>) -> tensor<64x16xf32> {
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    nautilus_scalar.yield %2 : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  %C = nautilus_scalar.map "C" [i: M, j: N] (%s = %S[i, j] : tensor<64x16xf32>) -> tensor<64x16xf16> {
    %0 = arith.truncf %s : f32 to f16
    nautilus_scalar.yield %0 : f16
  }
  nautilus_scalar.return %C : tensor<64x16xf16>
}

nautilus_matile.kernel @product(%A: memref<?x?xf16, strided<[?, ?], offset: ?>>, %B: memref<?x?xf16, strided<[?, ?], offset: ?>>, %C: memref<?x?xf16, strided<[?, ?], offset: ?>>) attributes {warps = 4 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %x = nautilus_matile.load %A[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<64x16xf16, #acc>
  %y = nautilus_matile.load %B[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x16xf16, #rows>
  %b = nautilus_matile.alloc {offset = 0 : i64} : <16x16xf16, swizzle 32>
  nautilus_matile.write %y, %b : tensor<16x16xf16, #rows>, <16x16xf16, swizzle 32>
  %flying = nautilus_matile.start_dot %x, %b, %zero : tensor<64x16xf16, #acc>, !nautilus_matile.buffer<16x16xf16, swizzle 32> -> tensor<64x16xf32, #acc>
  // HERE
  %done = nautilus_matile.wait_dot %flying pending 0 : tensor<64x16xf32, #acc>
  %c = arith.truncf %done : tensor<64x16xf32, #acc> to tensor<64x16xf16, #acc>
  nautilus_matile.store %c, %C[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x16xf16, #acc>, memref<?x?xf16, strided<[?, ?], offset: ?>>
  nautilus_matile.return
}

nautilus_host.entry @host dims [#nautilus_scalar.dim<"M", 64>, #nautilus_scalar.dim<"N", 16>]
    tensors [#nautilus_scalar.tensor<"A", [["M"], ["N"]]>, #nautilus_scalar.tensor<"B", [["N"], ["N"]]>, #nautilus_scalar.tensor<"C", [["M"], ["N"]]>]
    types [tensor<64x16xf16>, tensor<16x16xf16>, tensor<64x16xf16>] results 1 {
  %A = nautilus_host.view "A" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %B = nautilus_host.view "B" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %C = nautilus_host.view "C" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %c1 = arith.constant 1 : i64
  nautilus_host.launch @product grid(%c1) (%A, %B, %C) : (memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>)
}

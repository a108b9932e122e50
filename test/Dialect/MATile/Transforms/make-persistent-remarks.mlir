// RUN: nautilus-opt %s --nautilus-matile-make-persistent=all=true --mlir-disable-threading --remarks-filter=Pipelining --verify-diagnostics | FileCheck %s

// Nothing changes where no copy could run ahead, where there is no grid and where no launch is known.
//
// CHECK-NOT: nautilus_matile.block

#view = strided<[?, ?], offset: ?>
#row = #nautilus_matile.layout<reg = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]]>

// expected-remark @below {{each block computes one tile: it stages no tile, so that no copy could run ahead}}
nautilus_matile.kernel @copy(%x: memref<?x?xf16, #view>, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %at = nautilus_matile.origin [8] of [-9223372036854775808] dynamic(%n) : index
  %f = nautilus_matile.load %x[%at, %c0] walk [0, 1] bounds [-9223372036854775808, -1](%n) : memref<?x?xf16, #view> -> tensor<8x64xf16, #row>
  nautilus_matile.store %f, %x[%at, %c0] walk [0, 1] bounds [-9223372036854775808, -1](%n) : tensor<8x64xf16, #row>, memref<?x?xf16, #view>
  nautilus_matile.return
}

// expected-remark @below {{each block computes one tile: it has no grid}}
nautilus_matile.kernel @single(%x: memref<?x?xf16, #view>, %map: !nautilus_host.tensor_map) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %s = nautilus_matile.stage %x[%c0, %c0] walk [0, 1] bounds [-1, -1] map %map : memref<?x?xf16, #view> -> <64x64xf16, swizzle 128>
  nautilus_matile.return
}

// expected-remark @below {{each block computes one tile: no host entry launches it}}
nautilus_matile.kernel @unknown(%x: memref<?x?xf16, #view>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %at = nautilus_matile.origin [64] of [-9223372036854775808] dynamic(%n) : index
  %s = nautilus_matile.stage %x[%at, %c0] walk [0, 1] bounds [-1, -1] map %map : memref<?x?xf16, #view> -> <64x64xf16, swizzle 128>
  nautilus_matile.return
}

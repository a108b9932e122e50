// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-start-dots))' --remarks-filter=Pipelining --remark-policy=all 2>&1 | FileCheck %s

// A buffer that the warps fill may be written again while a product reads it: the product is waited for in place.
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK: remark: [Missed] StartDots | Category:Pipelining | {{.*}}the product is waited for in place: its operands are not slots of channels
// CHECK: nautilus_matile.dot <wgmma>
nautilus_matile.kernel @own_buffer(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %a = nautilus_matile.alloc : <64x64xf16, swizzle 128>
  %s = nautilus_matile.dot <wgmma> %a, %a, %zero : !nautilus_matile.buffer<64x64xf16, swizzle 128>, !nautilus_matile.buffer<64x64xf16, swizzle 128> -> tensor<64x64xf32, #acc>
  nautilus_matile.store %s, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  nautilus_matile.return
}

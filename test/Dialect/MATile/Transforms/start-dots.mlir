// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-start-dots))' | FileCheck %s

#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>

// The wait for the first product stands in front of the release of the slot that it reads, the one for the
// second in front of its first use: work between a start and that runs beside the product.
// CHECK-LABEL: nautilus_matile.kernel @late
// CHECK: %[[A:.*]] = nautilus_matile.get %[[CHANNEL:.*]] at %[[ONE:.*]] :
// CHECK: %[[FIRST:.*]] = nautilus_matile.start_dot %[[A]], %[[A]]
// CHECK-NEXT: math.exp
// CHECK-NEXT: %[[DONE:.*]] = nautilus_matile.wait_dot %[[FIRST]] pending 0
// CHECK-NEXT: nautilus_matile.release %[[CHANNEL]] at %[[ONE]]
// CHECK: %[[SECOND:.*]] = nautilus_matile.start_dot
// CHECK-NEXT: nautilus_matile.release %[[CHANNEL]] at %{{.*}}
// CHECK-NEXT: %[[LAST:.*]] = nautilus_matile.wait_dot %[[SECOND]] pending 0
// CHECK-NEXT: arith.addf %[[DONE]], %[[LAST]]
nautilus_matile.kernel @late(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>) attributes {warps = 4 : i64} {
  %channel = nautilus_matile.create_channel : !channel
  %other = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %one = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %a = nautilus_matile.get %channel at %c0 : !channel -> !tile
    %s = nautilus_matile.dot <wgmma> %a, %a, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
    %e = math.exp %one : tensor<64x64xf32, #acc>
    nautilus_matile.release %channel at %c0 : !channel
    %b = nautilus_matile.get %other at %c0 : !channel -> !tile
    %t = nautilus_matile.dot <wgmma> %b, %b, %e : !tile, !tile -> tensor<64x64xf32, #acc>
    nautilus_matile.release %channel at %c1 : !channel
    %sum = arith.addf %s, %t : tensor<64x64xf32, #acc>
    nautilus_matile.store %sum, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

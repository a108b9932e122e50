// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-make-channels))' | FileCheck %s
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-make-channels{slots=3}))' | FileCheck %s --check-prefix=THREE

// Two tiles staged in a loop: the producer puts them, the consumer gets, multiplies and releases.
// Both count the tiles of a channel, so that slot and phase follow from the count.
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>

// CHECK-LABEL: nautilus_matile.kernel @product
// CHECK-DAG: %[[A:.*]] = nautilus_matile.create_channel : <4 x <128x64xf16, swizzle 128>>
// CHECK-DAG: %[[B:.*]] = nautilus_matile.create_channel : <4 x <64x128xf16, swizzle 128>>
// CHECK: nautilus_matile.warp_specialize producer
// CHECK: scf.for
// CHECK-DAG: nautilus_matile.put %[[A]] at %{{.*}} from
// CHECK-DAG: nautilus_matile.put %[[B]] at %{{.*}} from
// CHECK: consumer
// CHECK: scf.for
// CHECK-DAG: %[[TILE_A:.*]] = nautilus_matile.get %[[A]] at %[[COUNT:.*]] :
// CHECK-DAG: %[[TILE_B:.*]] = nautilus_matile.get %[[B]] at
// CHECK: nautilus_matile.dot <wgmma> %[[TILE_A]], %[[TILE_B]]
// CHECK-DAG: nautilus_matile.release %[[A]] at %[[COUNT]]
// CHECK-DAG: nautilus_matile.release %[[B]] at
// CHECK: nautilus_matile.store
// CHECK-NOT: nautilus_matile.stage

// THREE: nautilus_matile.create_channel : <3 x
nautilus_matile.kernel @product(%a: memref<?x?xf16, strided<[?, ?], offset: ?>>, %b: memref<?x?xf16, strided<[?, ?], offset: ?>>, %c: memref<?x?xf32, strided<[?, ?], offset: ?>>, %m: index, %n: index, %k: index, %ma: !nautilus_host.tensor_map, %mb: !nautilus_host.tensor_map) attributes {warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
  %r = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32, #acc>) {
    %x = nautilus_matile.stage %a[%c0, %kk] walk [0, 1] bounds [-9223372036854775808, -9223372036854775808](%m, %k) map %ma : memref<?x?xf16, strided<[?, ?], offset: ?>> -> <128x64xf16, swizzle 128>
    %y = nautilus_matile.stage %b[%kk, %c0] walk [0, 1] bounds [-9223372036854775808, -9223372036854775808](%k, %n) map %mb : memref<?x?xf16, strided<[?, ?], offset: ?>> -> <64x128xf16, swizzle 128>
    %d = nautilus_matile.dot <wgmma> %x, %y, %acc : !nautilus_matile.buffer<128x64xf16, swizzle 128>, !nautilus_matile.buffer<64x128xf16, swizzle 128> -> tensor<128x128xf32, #acc>
    scf.yield %d : tensor<128x128xf32, #acc>
  }
  nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-9223372036854775808, -9223372036854775808](%m, %n) : tensor<128x128xf32, #acc>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_matile.return
}

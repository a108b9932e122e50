// RUN: nautilus-opt %s | nautilus-opt | FileCheck %s
// RUN: nautilus-opt %s --mlir-print-op-generic | nautilus-opt | FileCheck %s
//
// Every op through print and parse.

#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#turned = #nautilus_matile.layout<reg = [[1, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
#scalar = #nautilus_matile.layout<rank = 0, reg = [], lane = [], warp = []>

// CHECK-LABEL: nautilus_matile.kernel @fragments(
// CHECK-SAME: attributes {warps = 4 : i64}
nautilus_matile.kernel @fragments(%x: memref<?x?xf16, strided<[?, 1], offset: ?>>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  // CHECK: nautilus_matile.origin [64, 8] of [-9223372036854775808, 8] dynamic(%{{.*}}) : index, index
  %o:2 = nautilus_matile.origin [64, 8] of [-9223372036854775808, 8] dynamic(%n) : index, index
  // CHECK: nautilus_matile.block
  %number, %count = nautilus_matile.block
  // CHECK: nautilus_matile.origin [4] of [16] block %{{.*}} : index
  %p = nautilus_matile.origin [4] of [16] block %n : index
  // CHECK: nautilus_matile.load %{{.*}}[%{{.*}}, %{{.*}}] walk [0, 1] bounds [-9223372036854775808, -1](%{{.*}}) padding 1.000000e+00 : f16 {vector = 2 : i64}
  %l = nautilus_matile.load %x[%o#0, %o#1] walk [0, 1] bounds [-9223372036854775808, -1](%n) padding 1.0 : f16 {vector = 2 : i64} : memref<?x?xf16, strided<[?, 1], offset: ?>> -> tensor<64x16xf16, #a>
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  // CHECK: nautilus_matile.alloc : <8x16xf16, swizzle 32>
  %b = nautilus_matile.alloc : <8x16xf16, swizzle 32>
  // CHECK: nautilus_matile.alloc {offset = 1024 : i64} : <64x16xf16>
  %c = nautilus_matile.alloc {offset = 1024 : i64} : <64x16xf16>
  // CHECK: nautilus_matile.write %{{.*}}, %{{.*}} : tensor<64x16xf16, #{{.*}}>, <64x16xf16>
  nautilus_matile.write %l, %c : tensor<64x16xf16, #a>, <64x16xf16>
  // CHECK: nautilus_matile.read %{{.*}} : <64x16xf16> -> tensor<64x16xf16, #{{.*}}>
  %r = nautilus_matile.read %c : <64x16xf16> -> tensor<64x16xf16, #a>
  // CHECK: nautilus_matile.dot <wgmma> %{{.*}}, %{{.*}} transpose, %{{.*}} : tensor<64x16xf16, #{{.*}}>, !nautilus_matile.buffer<8x16xf16, swizzle 32> -> tensor<64x8xf32, #{{.*}}>
  %d = nautilus_matile.dot <wgmma> %r, %b transpose, %zero : tensor<64x16xf16, #a>, !nautilus_matile.buffer<8x16xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  // CHECK: nautilus_matile.dot <mma_sync>
  %e = nautilus_matile.dot <mma_sync> %c, %b transpose, %d : !nautilus_matile.buffer<64x16xf16>, !nautilus_matile.buffer<8x16xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  // CHECK: nautilus_matile.dot <fma>
  %f = nautilus_matile.dot <fma> %c, %b transpose, %e : !nautilus_matile.buffer<64x16xf16>, !nautilus_matile.buffer<8x16xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  // CHECK: nautilus_matile.start_dot %{{.*}}, %{{.*}} transpose, %{{.*}} :
  %g = nautilus_matile.start_dot %r, %b transpose, %f : tensor<64x16xf16, #a>, !nautilus_matile.buffer<8x16xf16, swizzle 32> -> tensor<64x8xf32, #acc>
  // CHECK: nautilus_matile.wait_groups pending 1
  nautilus_matile.wait_groups pending 1
  // CHECK: nautilus_matile.wait_dot %{{.*}} pending 0 : tensor<64x8xf32, #{{.*}}>
  %h = nautilus_matile.wait_dot %g pending 0 : tensor<64x8xf32, #acc>
  // CHECK: nautilus_matile.reduce %{{.*}} along 1 identity [0.000000e+00 : f32] : tensor<64x8xf32, #{{.*}}> -> tensor<64xf32, #{{.*}}> {
  %s = nautilus_matile.reduce %h along 1 identity [0.0 : f32] : tensor<64x8xf32, #acc> -> tensor<64xf32, #row> {
  ^bb0(%left: f32, %right: f32):
    %0 = arith.addf %left, %right : f32
    // CHECK: nautilus_matile.yield %{{.*}} : f32
    nautilus_matile.yield %0 : f32
  }
  // CHECK: nautilus_matile.reduce %{{.*}} along 0 identity [0.000000e+00 : f32] {offset = 0 : i64} : tensor<64xf32, #{{.*}}> -> tensor<f32, #{{.*}}> {
  %t = nautilus_matile.reduce %s along 0 identity [0.0 : f32] {offset = 0 : i64} : tensor<64xf32, #row> -> tensor<f32, #scalar> {
  ^bb0(%left: f32, %right: f32):
    %0 = arith.addf %left, %right : f32
    nautilus_matile.yield %0 : f32
  }
  // CHECK: nautilus_matile.broadcast %{{.*}} to [0] : tensor<64xf32, #{{.*}}> -> tensor<64x8xf32, #{{.*}}>
  %w = nautilus_matile.broadcast %s to [0] : tensor<64xf32, #row> -> tensor<64x8xf32, #acc>
  // CHECK: nautilus_matile.transpose %{{.*}} [1, 0] : tensor<64x8xf32, #{{.*}}> -> tensor<8x64xf32, #{{.*}}>
  %u = nautilus_matile.transpose %w [1, 0] : tensor<64x8xf32, #acc> -> tensor<8x64xf32, #turned>
  // CHECK: nautilus_matile.convert_layout %{{.*}} : tensor<64x16xf16, #{{.*}}> -> tensor<64x16xf16, #{{.*}}>
  %v = nautilus_matile.convert_layout %r : tensor<64x16xf16, #a> -> tensor<64x16xf16, #nautilus_matile.layout<reg = [[0, 8], [0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>>
  // CHECK: nautilus_matile.iota %{{.*}} along 1 : tensor<64x8xindex, #{{.*}}>
  %i = nautilus_matile.iota %n along 1 : tensor<64x8xindex, #acc>
  // CHECK: nautilus_matile.splat %{{.*}} : index -> tensor<64x8xindex, #{{.*}}>
  %j = nautilus_matile.splat %n : index -> tensor<64x8xindex, #acc>
  // CHECK: nautilus_matile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] walk [0, 1] bounds [-1, 8] {vector = 2 : i64} : tensor<64x8xf32, #{{.*}}>, memref
  nautilus_matile.store %h, %y[%o#0, %o#1] walk [0, 1] bounds [-1, 8] {vector = 2 : i64} : tensor<64x8xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK: nautilus_matile.return
  nautilus_matile.return
}

// CHECK-LABEL: nautilus_matile.kernel @channels(
// CHECK-SAME: !nautilus_host.tensor_map
// CHECK-SAME: attributes {shared_bytes = 49184 : i64, warps = 4 : i64}
nautilus_matile.kernel @channels(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {shared_bytes = 49184 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // CHECK: nautilus_matile.create_channel {barriers = 32768 : i64, offset = 0 : i64} : <2 x <64x128xf16, swizzle 128>>
  %ring = nautilus_matile.create_channel {barriers = 32768 : i64, offset = 0 : i64} : <2 x <64x128xf16, swizzle 128>>
  // CHECK: nautilus_matile.stage %{{.*}}[%{{.*}}, %{{.*}}] walk [0, 1] bounds [-9223372036854775808, 128](%{{.*}}) map %{{.*}} : memref<?x?xf16, strided<[?, ?], offset: ?>> -> <64x128xf16, swizzle 128>
  %s = nautilus_matile.stage %x[%c0, %c0] walk [0, 1] bounds [-9223372036854775808, 128](%n) map %map : memref<?x?xf16, strided<[?, ?], offset: ?>> -> <64x128xf16, swizzle 128>
  // CHECK: nautilus_matile.stage %{{.*}}[%{{.*}}, %{{.*}}] walk [1, 0] bounds [-1, -1] : memref
  %t = nautilus_matile.stage %x[%c0, %c0] walk [1, 0] bounds [-1, -1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> <64x128xf16>
  // CHECK: nautilus_matile.warp_specialize producer 56 {
  nautilus_matile.warp_specialize producer 56 {
    // CHECK: nautilus_matile.put %{{.*}} at %{{.*}} from %{{.*}}[%{{.*}}, %{{.*}}] walk [0, 1] bounds [-9223372036854775808, -1](%{{.*}}) map %{{.*}} : <2 x <64x128xf16, swizzle 128>>, memref
    nautilus_matile.put %ring at %c0 from %x[%c0, %c0] walk [0, 1] bounds [-9223372036854775808, -1](%n) map %map : <2 x <64x128xf16, swizzle 128>>, memref<?x?xf16, strided<[?, ?], offset: ?>>
  // CHECK: } consumer 240 {
  } consumer 240 {
    // CHECK: nautilus_matile.get %{{.*}} at %{{.*}} : <2 x <64x128xf16, swizzle 128>> -> <64x128xf16, swizzle 128>
    %b = nautilus_matile.get %ring at %c0 : <2 x <64x128xf16, swizzle 128>> -> <64x128xf16, swizzle 128>
    // CHECK: nautilus_matile.release %{{.*}} at %{{.*}} : <2 x <64x128xf16, swizzle 128>>
    nautilus_matile.release %ring at %c0 : <2 x <64x128xf16, swizzle 128>>
  }
  nautilus_matile.return
}

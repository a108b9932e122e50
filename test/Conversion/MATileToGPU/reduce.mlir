// RUN: nautilus-opt %s --convert-nautilus-matile-to-gpu --split-input-file | FileCheck %s

// Along the columns of a tensor core's accumulator: registers first, then the four lanes of a row.
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
// CHECK-LABEL: llvm.func @lanes
// CHECK: %[[LOW:.*]] = arith.maximumf %{{.*}}, %{{.*}} : f32
// CHECK: %[[HIGH:.*]] = arith.maximumf %{{.*}}, %{{.*}} : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.shfl.sync.bfly.i32"(%{{.*}}, %{{.*}}, %[[ONE:.*]], %{{.*}})
// CHECK: arith.maximumf %[[LOW]],
// CHECK: arith.maximumf %[[HIGH]],
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.shfl.sync.bfly.i32"
// CHECK-NOT: bfly
// CHECK-NOT: bar.sync
nautilus_matile.kernel @lanes(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32, strided<[?], offset: ?>>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x8xf32, #acc>
  %m = nautilus_matile.reduce %a along 1 identity [0xFF800000 : f32] : tensor<64x8xf32, #acc> -> tensor<64xf32, #row> {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.maximumf %l, %r : f32
    nautilus_matile.yield %0 : f32
  }
  nautilus_matile.store %m, %y[%c0] walk [0] bounds [-1] : tensor<64xf32, #row>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_matile.return
}

// -----

// Across warps through scratch: all read the same warps in the same order, starting with the first
// that shares their result; warps that do not exist (12 of 16) give the identity.
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0], [128, 0]]>
#column = #nautilus_matile.layout<reg = [[1]], lane = [[2], [4], [0], [0], [0]], warp = [[0], [0], [0], [0]]>
// CHECK-LABEL: llvm.func @warps
// CHECK-COUNT-6: bfly
// CHECK: bar.sync 0, 384;
// CHECK-COUNT-2: llvm.store
// CHECK: bar.sync 0, 384;
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[LANE:.*]] = arith.constant 31 : i32
// CHECK: %[[FIRST:.*]] = arith.andi %[[THREAD]], %[[LANE]]
// CHECK: %[[NUM:.*]] = arith.constant 384 : i32
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[FIRST]], %[[NUM]]
// CHECK: arith.select %[[EXISTS]], %{{.*}}, %{{.*}} : f32
// CHECK-COUNT-30: arith.addf
// CHECK-NOT: arith.addf
nautilus_matile.kernel @warps(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32, strided<[?], offset: ?>>) attributes {warps = 12 : i64, shared_bytes = 6144 : i64} {
  %c0 = arith.constant 0 : index
  %a = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<192x8xf32, #acc>
  %m = nautilus_matile.reduce %a along 0 identity [0.0 : f32] {offset = 0 : i64} : tensor<192x8xf32, #acc> -> tensor<8xf32, #column> {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_matile.yield %0 : f32
  }
  nautilus_matile.store %m, %y[%c0] walk [0] bounds [-1] : tensor<8xf32, #column>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_matile.return
}

// -----

// A tile that is narrower than its layout: what overhangs takes part as the identity.
#narrow = #nautilus_matile.layout<reg = [[1]], lane = [[2], [4], [0], [0], [0]], warp = [[0], [0]]>
#scalar = #nautilus_matile.layout<rank = 0, reg = [], lane = [], warp = []>
// CHECK-LABEL: llvm.func @overhang
// CHECK-COUNT-2: ld.global.b16
// CHECK: arith.constant 5 : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult,
// CHECK: arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : f16
// CHECK: llvm.bitcast %{{.*}} : f16 to i16
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: bfly
nautilus_matile.kernel @overhang(%x: memref<?xf16, strided<[1], offset: ?>>, %y: memref<f16, strided<[], offset: ?>>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = nautilus_matile.load %x[%c0] walk [0] bounds [-1] : memref<?xf16, strided<[1], offset: ?>> -> tensor<5xf16, #narrow>
  %m = nautilus_matile.reduce %a along 0 identity [0.0 : f16] : tensor<5xf16, #narrow> -> tensor<f16, #scalar> {
  ^bb0(%l: f16, %r: f16):
    %0 = arith.addf %l, %r : f16
    nautilus_matile.yield %0 : f16
  }
  nautilus_matile.store %m, %y[] walk [] bounds [] : tensor<f16, #scalar>, memref<f16, strided<[], offset: ?>>
  nautilus_matile.return
}

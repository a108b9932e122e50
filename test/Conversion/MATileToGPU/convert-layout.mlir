// RUN: nautilus-opt %s --convert-nautilus-matile-to-gpu --split-input-file | FileCheck %s

// Equal threads hold equal elements: registers are renamed, nothing is emitted.
#ab = #nautilus_matile.layout<reg = [[0, 1], [1, 0]], lane = [[0, 2], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#ba = #nautilus_matile.layout<reg = [[1, 0], [0, 1]], lane = [[0, 2], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
// CHECK-LABEL: llvm.func @registers
// CHECK-COUNT-4: ld.global.b32
// CHECK-NOT: llvm.store
// CHECK-NOT: bar.sync
// CHECK: st.global
nautilus_matile.kernel @registers(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<32x4xf32, #ab>
  %b = nautilus_matile.convert_layout %a : tensor<32x4xf32, #ab> -> tensor<32x4xf32, #ba>
  nautilus_matile.store %b, %y[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<32x4xf32, #ba>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_matile.return
}

// -----

// Data crosses threads: through scratch, between two meetings of the warps. An index takes 4 bytes,
// an i1 one.
#rows = #nautilus_matile.layout<reg = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]]>
#columns = #nautilus_matile.layout<reg = [[1, 0]], lane = [[0, 1], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]]>
// CHECK-LABEL: llvm.func @shared
// CHECK: bar.sync 0, 64;
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr<3>
// CHECK: bar.sync 0, 64;
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: bar.sync 0, 64;
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} : i8, !llvm.ptr<3>
// CHECK: bar.sync 0, 64;
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
nautilus_matile.kernel @shared(%y: memref<?x?xi32, strided<[?, ?], offset: ?>>, %n: index) attributes {warps = 2 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1> : tensor<64x2xi32, #columns>
  %two = arith.constant dense<2> : tensor<64x2xi32, #columns>
  %limit = nautilus_matile.splat %n : index -> tensor<64x2xindex, #rows>
  %i = nautilus_matile.iota %c0 along 0 : tensor<64x2xindex, #rows>
  %in = arith.cmpi slt, %i, %limit : tensor<64x2xindex, #rows>
  %j = nautilus_matile.convert_layout %i {offset = 0 : i64} : tensor<64x2xindex, #rows> -> tensor<64x2xindex, #columns>
  %mask = nautilus_matile.convert_layout %in {offset = 0 : i64} : tensor<64x2xi1, #rows> -> tensor<64x2xi1, #columns>
  %v = arith.index_cast %j : tensor<64x2xindex, #columns> to tensor<64x2xi32, #columns>
  %a = arith.select %mask, %v, %two : tensor<64x2xi1, #columns>, tensor<64x2xi32, #columns>
  nautilus_matile.store %a, %y[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x2xi32, #columns>, memref<?x?xi32, strided<[?, ?], offset: ?>>
  nautilus_matile.return
}

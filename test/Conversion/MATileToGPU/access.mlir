// RUN: nautilus-opt %s --convert-nautilus-matile-to-gpu --split-input-file | FileCheck %s

// Groups of registers that follow each other in memory move in one access, packed into words of at
// most 32 bits; a pair of bytes is one access of 16 bits.
#two = #nautilus_matile.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
#eight = #nautilus_matile.layout<reg = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>
// CHECK-LABEL: llvm.func @groups
// CHECK: ld.global.b16
// CHECK: st.global.b16
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// CHECK-COUNT-2: ld.global.b8
// CHECK-COUNT-2: st.global.b8
// CHECK-NOT: .global.
nautilus_matile.kernel @groups(%x: memref<?xi8, strided<[1], offset: ?>>, %y: memref<?xf16, strided<[1], offset: ?>>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = nautilus_matile.load %x[%c0] walk [0] bounds [-1] {vector = 2 : i64} : memref<?xi8, strided<[1], offset: ?>> -> tensor<64xi8, #two>
  nautilus_matile.store %a, %x[%c0] walk [0] bounds [-1] {vector = 2 : i64} : tensor<64xi8, #two>, memref<?xi8, strided<[1], offset: ?>>
  %b = nautilus_matile.load %y[%c0] walk [0] bounds [-1] {vector = 8 : i64} : memref<?xf16, strided<[1], offset: ?>> -> tensor<256xf16, #eight>
  nautilus_matile.store %b, %y[%c0] walk [0] bounds [-1] {vector = 8 : i64} : tensor<256xf16, #eight>, memref<?xf16, strided<[1], offset: ?>>
  %c = nautilus_matile.load %x[%c0] walk [0] bounds [-1] : memref<?xi8, strided<[1], offset: ?>> -> tensor<64xi8, #two>
  nautilus_matile.store %c, %x[%c0] walk [0] bounds [-1] : tensor<64xi8, #two>, memref<?xi8, strided<[1], offset: ?>>
  nautilus_matile.return
}

// -----

// Outside the bounds a load gives the padding and a store does nothing; of threads that repeat an
// element only the first stores it.
#repeated = #nautilus_matile.layout<reg = [], lane = [[1], [2], [4], [8], [0]], warp = [[0]]>
// CHECK-LABEL: llvm.func @tail
// CHECK: %[[PAD:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[BELOW:.*]] = arith.cmpi ult, %{{.*}}, %arg{{.*}} : i32
// CHECK: "mov.b32 $0, $3; @$2 ld.global.b32 $0, [$1];", {{.*}} %[[BELOW]]
// CHECK: %[[SIXTEEN:.*]] = arith.constant 16 : i32
// CHECK: arith.andi %{{.*}}, %[[SIXTEEN]] : i32
// CHECK: "@$2 st.global.b32 [$0], $1;"
nautilus_matile.kernel @tail(%x: memref<?xf32, strided<[?], offset: ?>>, %n: index) attributes {warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = nautilus_matile.load %x[%c0] walk [0] bounds [-9223372036854775808](%n) padding 0.5 : f32 : memref<?xf32, strided<[?], offset: ?>> -> tensor<16xf32, #repeated>
  nautilus_matile.store %a, %x[%c0] walk [0] bounds [-9223372036854775808](%n) : tensor<16xf32, #repeated>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_matile.return
}

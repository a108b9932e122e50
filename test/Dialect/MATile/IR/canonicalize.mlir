// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(canonicalize,cse))' | FileCheck %s

#row = #nautilus_matile.layout<reg = [], lane = [[1], [2], [4], [8], [16]], warp = []>

// A conversion to the layout that the fragment has is the fragment; equal pure ops are one; what
// waits or copies stays.
// CHECK-LABEL: nautilus_matile.kernel @fold
// CHECK-NOT: convert_layout
// CHECK: %[[I:.*]] = nautilus_matile.iota
// CHECK-NOT: nautilus_matile.iota
// CHECK: arith.muli %[[I]], %[[I]]
nautilus_matile.kernel @fold(%y: memref<?xi32, strided<[?], offset: ?>>) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = nautilus_matile.iota %c0 along 0 : tensor<32xi32, #row>
  %j = nautilus_matile.iota %c0 along 0 : tensor<32xi32, #row>
  %k = nautilus_matile.convert_layout %j : tensor<32xi32, #row> -> tensor<32xi32, #row>
  %m = arith.muli %i, %k : tensor<32xi32, #row>
  nautilus_matile.store %m, %y[%c0] walk [0] bounds [-1] : tensor<32xi32, #row>, memref<?xi32, strided<[?], offset: ?>>
  nautilus_matile.return
}

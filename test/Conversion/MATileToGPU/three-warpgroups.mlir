// RUN: nautilus-opt %s --convert-nautilus-matile-to-gpu | FileCheck %s

// Warp numbers of three warpgroups are padded to sixteen. A tile of 192 rows has rows for the twelve
// that there are, so that no access needs a check against its edge; one of 184 rows does.
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0], [128, 0]]>

// CHECK-LABEL: llvm.func @whole(
// CHECK-NOT: arith.cmpi
// CHECK: llvm.return
nautilus_matile.kernel @whole(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) attributes {shared_bytes = 0 : i64, warps = 12 : i64} {
  %c0 = arith.constant 0 : index
  %0 = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<192x8xf32, #acc>
  nautilus_matile.store %0, %y[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<192x8xf32, #acc>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_matile.return
}

// CHECK-LABEL: llvm.func @overhanging(
// CHECK: %[[ROWS:.*]] = arith.constant 184 : i32
// CHECK: arith.cmpi ult, %{{.*}}, %[[ROWS]]
nautilus_matile.kernel @overhanging(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) attributes {shared_bytes = 0 : i64, warps = 12 : i64} {
  %c0 = arith.constant 0 : index
  %0 = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<184x8xf32, #acc>
  nautilus_matile.store %0, %y[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<184x8xf32, #acc>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_matile.return
}

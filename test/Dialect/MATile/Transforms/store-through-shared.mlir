// RUN: nautilus-opt %s --split-input-file --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-store-through-shared))' | FileCheck %s
// RUN: nautilus-opt %s --split-input-file --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-store-through-shared{limit=32768}))' --mlir-disable-threading --remarks-filter=TMA --remark-policy=all 2>&1 | FileCheck %s --check-prefix=SMALL

// The tile takes the slot of the operand that is not read any more; the slot goes back when it has left.
// CHECK-LABEL: nautilus_matile.kernel @operand_slot
// CHECK: %[[Q:.*]] = nautilus_matile.get %[[QUERIES:.*]] at %c0
// CHECK: nautilus_matile.get
// CHECK-NOT: nautilus_matile.alloc
// CHECK: nautilus_matile.write %{{.*}}, %[[Q]]
// CHECK-NEXT: nautilus_matile.copy_out %[[Q]], %{{.*}}[%c0, %c0] walk [0, 1] bounds [-9223372036854775808, -1](%{{.*}}) map
// CHECK-NEXT: nautilus_matile.release %[[QUERIES]] at %c0
// CHECK-NOT: nautilus_matile.store
// SMALL: remark: [Passed] StoreThroughShared | Category:TMA | {{.*}}the tile leaves through an operand's slot
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<1 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!other = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x32xf16, swizzle 64>>
nautilus_matile.kernel @operand_slot(%c: memref<?x?xf16, strided<[?, ?], offset: ?>>, %m: index, %map: !nautilus_host.tensor_map) attributes {warps = 4 : i64} {
  %queries = nautilus_matile.create_channel : !channel
  %keys = nautilus_matile.create_channel : !other
  %c0 = arith.constant 0 : index
  %tile = arith.constant dense<1.0> : tensor<64x64xf16, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %q = nautilus_matile.get %queries at %c0 : !channel -> !nautilus_matile.buffer<64x64xf16, swizzle 128>
    %k = nautilus_matile.get %keys at %c0 : !other -> !nautilus_matile.buffer<64x32xf16, swizzle 64>
    nautilus_matile.release %keys at %c0 : !other
    nautilus_matile.release %queries at %c0 : !channel
    nautilus_matile.store %tile, %c[%c0, %c0] walk [0, 1] bounds [-9223372036854775808, -1](%m) map %map swizzle 128 {vector = 2 : i64} : tensor<64x64xf16, #acc>, memref<?x?xf16, strided<[?, ?], offset: ?>>
  }
  nautilus_matile.return
}

// -----

// Slots of other types do not fit: a buffer of its own, if there is room.
// CHECK-LABEL: nautilus_matile.kernel @own_buffer
// CHECK: nautilus_matile.release
// CHECK-NEXT: %[[BUFFER:.*]] = nautilus_matile.alloc : <64x64xf16, swizzle 128>
// CHECK-NEXT: nautilus_matile.write %{{.*}}, %[[BUFFER]]
// CHECK-NEXT: nautilus_matile.copy_out %[[BUFFER]]
// SMALL: remark: [Missed] StoreThroughShared | Category:TMA | {{.*}}threads store the tile: shared memory has no room for it
// SMALL: nautilus_matile.store
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!other = !nautilus_matile.channel<8 x !nautilus_matile.buffer<64x32xf16, swizzle 64>>
nautilus_matile.kernel @own_buffer(%c: memref<?x?xf16, strided<[?, ?], offset: ?>>, %m: index, %map: !nautilus_host.tensor_map) attributes {warps = 4 : i64} {
  %keys = nautilus_matile.create_channel : !other
  %c0 = arith.constant 0 : index
  %tile = arith.constant dense<1.0> : tensor<64x64xf16, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %k = nautilus_matile.get %keys at %c0 : !other -> !nautilus_matile.buffer<64x32xf16, swizzle 64>
    nautilus_matile.release %keys at %c0 : !other
    nautilus_matile.store %tile, %c[%c0, %c0] walk [0, 1] bounds [-9223372036854775808, -1](%m) map %map swizzle 128 {vector = 2 : i64} : tensor<64x64xf16, #acc>, memref<?x?xf16, strided<[?, ?], offset: ?>>
  }
  nautilus_matile.return
}

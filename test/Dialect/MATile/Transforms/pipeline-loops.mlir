// RUN: nautilus-opt %s --split-input-file --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-pipeline-loops,canonicalize))' | FileCheck %s

// A plan pinned by hand: the second product first, so that the wait for the first leaves none in flight.
// CHECK-LABEL: @pinned
// CHECK: scf.if
// CHECK: %[[S0:.*]] = nautilus_matile.start_dot
// CHECK: %[[T0:.*]] = nautilus_matile.wait_dot %[[S0]] pending 0
// CHECK: %[[P0:.*]] = arith.truncf %[[T0]]
// CHECK: %[[UB:.*]] = arith.subi %{{.*}}, %c64
// CHECK: scf.for %{{.*}} = %c0 to %[[UB]] step %c64 iter_args(%[[O:.*]] = %{{.*}}, %[[P:.*]] = %[[P0]])
// CHECK-NEXT: nautilus_matile.start_dot %[[P]], %{{.*}}, %[[O]]
// CHECK-NEXT: %[[S:.*]] = nautilus_matile.start_dot
// CHECK-NEXT: nautilus_matile.wait_dot %[[S]] pending 0
// CHECK: } else {
// CHECK-NOT: nautilus_matile.stage
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @pinned(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero {nautilus_matile.order = 1 : i64, nautilus_matile.stage = 0 : i64} : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 {nautilus_matile.order = 2 : i64, nautilus_matile.stage = 0 : i64} : tensor<64x64xf32, #acc>
      %p = arith.truncf %s {nautilus_matile.order = 3 : i64, nautilus_matile.stage = 0 : i64} : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %fu = nautilus_matile.start_dot %p, %x, %acc {nautilus_matile.order = 0 : i64, nautilus_matile.stage = 1 : i64} : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %u = nautilus_matile.wait_dot %fu pending 0 {nautilus_matile.order = 4 : i64, nautilus_matile.stage = 1 : i64} : tensor<64x64xf32, #acc>
      scf.yield %u : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

// -----

// A loop of known trip count needs no guard.
// CHECK-LABEL: @known
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c64
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @known(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c192 = arith.constant 192 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    %r = scf.for %i = %c0 to %c192 step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero {nautilus_matile.order = 0 : i64, nautilus_matile.stage = 0 : i64} : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 {nautilus_matile.order = 2 : i64, nautilus_matile.stage = 0 : i64} : tensor<64x64xf32, #acc>
      %p = arith.truncf %s {nautilus_matile.order = 3 : i64, nautilus_matile.stage = 0 : i64} : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %fu = nautilus_matile.start_dot %p, %x, %acc {nautilus_matile.order = 1 : i64, nautilus_matile.stage = 1 : i64} : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %u = nautilus_matile.wait_dot %fu pending 0 {nautilus_matile.order = 4 : i64, nautilus_matile.stage = 1 : i64} : tensor<64x64xf32, #acc>
      scf.yield %u : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

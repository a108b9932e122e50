// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-plan-pipeline))' | FileCheck %s
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-plan-pipeline,nautilus-matile-pipeline-loops))' | FileCheck %s --check-prefix=LOOP

#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#row = #nautilus_matile.layout<reg = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>

// Two products with vector work between them. The first runs one iteration ahead of the second; both are issued before the
// vector work; the reduction that the second one needs stands before the wait for it, its operand is made after.
// CHECK-LABEL: nautilus_matile.kernel @two_products
// CHECK: nautilus_matile.get {{.*}}order = 0 : i64, nautilus_matile.stage = 0 : i64
// CHECK: nautilus_matile.start_dot {{.*}}order = 1 : i64, nautilus_matile.stage = 0 : i64
// CHECK: nautilus_matile.wait_dot {{.*}}order = 4 : i64, nautilus_matile.stage = 0 : i64
// CHECK: nautilus_matile.release {{.*}}order = 5 : i64, nautilus_matile.stage = 0 : i64
// CHECK: nautilus_matile.reduce {{.*}}order = 6 : i64, nautilus_matile.stage = 0 : i64
// CHECK: nautilus_matile.broadcast {{.*}}order = 9 : i64, nautilus_matile.stage = 0 : i64
// CHECK: arith.subf {{.*}}order = 10 : i64, nautilus_matile.stage = 0 : i64
// CHECK: arith.truncf {{.*}}order = 11 : i64, nautilus_matile.stage = 0 : i64
// CHECK: arith.mulf {{.*}}order = 12 : i64, nautilus_matile.stage = 0 : i64
// CHECK: nautilus_matile.get {{.*}}order = 2 : i64, nautilus_matile.stage = 1 : i64
// CHECK: nautilus_matile.start_dot {{.*}}order = 3 : i64, nautilus_matile.stage = 1 : i64
// CHECK: nautilus_matile.wait_dot {{.*}}order = 7 : i64, nautilus_matile.stage = 1 : i64
// CHECK: nautilus_matile.release {{.*}}order = 8 : i64, nautilus_matile.stage = 1 : i64

// The loop that this describes: a first half iteration, overlapping iterations, a last half one. A wait leaves as many groups in
// flight as have surely been started since.
// LOOP-LABEL: nautilus_matile.kernel @two_products
// LOOP: %[[ANY:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// LOOP: scf.if %[[ANY]]
// LOOP: start_dot %[[Q:.*]], %{{.*}} transpose
// LOOP-NEXT: wait_dot %{{.*}} pending 0
// LOOP: arith.truncf
// LOOP: scf.for
// LOOP: %[[S:.*]] = nautilus_matile.start_dot %[[Q]], %{{.*}} transpose
// LOOP: %[[O:.*]] = nautilus_matile.start_dot %arg
// LOOP: %[[SDONE:.*]] = nautilus_matile.wait_dot %[[S]] pending 1
// LOOP-NEXT: nautilus_matile.release
// LOOP-NEXT: nautilus_matile.reduce %[[SDONE]]
// LOOP: nautilus_matile.wait_dot %[[O]] pending 0
// LOOP-NEXT: nautilus_matile.release
// LOOP: arith.truncf
// LOOP: arith.mulf
// LOOP: scf.yield
// LOOP: nautilus_matile.start_dot
// LOOP-NEXT: nautilus_matile.wait_dot %{{.*}} pending 0
// LOOP-NEXT: nautilus_matile.release
// LOOP: } else {
// LOOP-NEXT: scf.yield
// LOOP-NOT: nautilus_matile.stage
nautilus_matile.kernel @two_products(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %keys = nautilus_matile.create_channel : !channel
  %values = nautilus_matile.create_channel : !channel
  %queries = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %q = nautilus_matile.get %queries at %c0 : !channel -> !tile
    %r:2 = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero, %count = %c0) -> (tensor<64x64xf32, #acc>, index) {
      %k = nautilus_matile.get %keys at %count : !channel -> !tile
      %s = nautilus_matile.start_dot %q, %k transpose, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %sd = nautilus_matile.wait_dot %s pending 0 : tensor<64x64xf32, #acc>
      nautilus_matile.release %keys at %count : !channel
      %m = nautilus_matile.reduce %sd along 1 identity [0xFF800000 : f32] : tensor<64x64xf32, #acc> -> tensor<64xf32, #row> {
      ^bb0(%x: f32, %y: f32):
        %max = arith.maximumf %x, %y : f32
        nautilus_matile.yield %max : f32
      }
      %mb = nautilus_matile.broadcast %m to [0] : tensor<64xf32, #row> -> tensor<64x64xf32, #acc>
      %d = arith.subf %sd, %mb : tensor<64x64xf32, #acc>
      %p = arith.truncf %d : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %scaled = arith.mulf %acc, %mb : tensor<64x64xf32, #acc>
      %v = nautilus_matile.get %values at %count : !channel -> !tile
      %o = nautilus_matile.start_dot %p, %v, %scaled : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %od = nautilus_matile.wait_dot %o pending 0 : tensor<64x64xf32, #acc>
      nautilus_matile.release %values at %count : !channel
      %next = arith.addi %count, %c1 : index
      scf.yield %od, %next : tensor<64x64xf32, #acc>, index
    }
    nautilus_matile.release %queries at %c0 : !channel
    nautilus_matile.store %r#0, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

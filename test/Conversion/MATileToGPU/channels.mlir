// RUN: nautilus-opt %s --convert-nautilus-matile-to-gpu | FileCheck %s

// A channel of two slots: barriers are initialised by one thread before the roles part; the producer
// waits for an empty slot (a fresh one counts as emptied), announces the bytes of all slabs and copies each; the consumer waits for the
// full barrier and each warp arrives once at the empty one.
// CHECK: llvm.mlir.global external @nautilus_shared() {addr_space = 3 : i32, alignment = 1024 : i64
// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: nvvm.maxntid = array<i32: 256>
// Full barriers expect one arrival, empty ones one of each of the four warps.
// CHECK: mbarrier.init.shared::cta.b64 [$0], 1;
// CHECK: mbarrier.init.shared::cta.b64 [$0], 4;
// CHECK: mbarrier.init.shared::cta.b64 [$0], 1;
// CHECK: mbarrier.init.shared::cta.b64 [$0], 4;
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: barrier

// CHECK: setmaxnreg.dec
// CHECK: scf.for %[[COUNT:.*]] =
// CHECK: %[[ROUND:.*]] = arith.divui %[[COUNT]],
// CHECK: arith.remui %[[COUNT]],
// CHECK: %[[PHASE:.*]] = arith.andi %[[ROUND]],
// CHECK: arith.xori %[[PHASE]],
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 16384;
// CHECK-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4}], [$2];
// CHECK-NOT: cp.async.bulk

// CHECK: setmaxnreg.inc
// CHECK: scf.for
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: llvm.load {{.*}} !llvm.ptr<3> -> f16
// CHECK: bar.warp.sync -1;
// CHECK: @first mbarrier.arrive.release.cta.shared::cta.b64
nautilus_matile.kernel @copy(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %y: memref<?x?xf16, strided<[?, ?], offset: ?>>, %map: !nautilus_host.tensor_map) attributes {shared_bytes = 32800 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %ring = nautilus_matile.create_channel {barriers = 32768 : i64, offset = 0 : i64} : <2 x <64x128xf16, swizzle 128>>
  nautilus_matile.warp_specialize producer 56 {
    scf.for %n = %c0 to %c8 step %c1 {
      nautilus_matile.put %ring at %n from %x[%n, %c0] walk [0, 1] bounds [-1, -1] map %map : <2 x <64x128xf16, swizzle 128>>, memref<?x?xf16, strided<[?, ?], offset: ?>>
    }
  } consumer 240 {
    scf.for %n = %c0 to %c8 step %c1 {
      %slot = nautilus_matile.get %ring at %n : <2 x <64x128xf16, swizzle 128>> -> <64x128xf16, swizzle 128>
      %a = nautilus_matile.read %slot : <64x128xf16, swizzle 128> -> tensor<64x128xf16, #nautilus_matile.layout<reg = [[0, 1], [32, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 2], [0, 4]]>>
      nautilus_matile.release %ring at %n : <2 x <64x128xf16, swizzle 128>>
      nautilus_matile.store %a, %y[%n, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x128xf16, #nautilus_matile.layout<reg = [[0, 1], [32, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 2], [0, 4]]>>, memref<?x?xf16, strided<[?, ?], offset: ?>>
    }
  }
  nautilus_matile.return
}

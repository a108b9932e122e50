// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-pipeline-loops))' --verify-diagnostics

// The second product would be issued before its operand is made.
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @broken(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    // expected-error @+1 {{expected a plan that the loop can be pipelined by}}
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero {nautilus_matile.order = 0 : i64, nautilus_matile.stage = 0 : i64} : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 {nautilus_matile.order = 1 : i64, nautilus_matile.stage = 0 : i64} : tensor<64x64xf32, #acc>
      %p = arith.truncf %s {nautilus_matile.order = 3 : i64, nautilus_matile.stage = 0 : i64} : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      // expected-error @+1 {{operation scheduled before its operands}}
      %fu = nautilus_matile.start_dot %p, %x, %acc {nautilus_matile.order = 2 : i64, nautilus_matile.stage = 0 : i64} : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %u = nautilus_matile.wait_dot %fu pending 0 {nautilus_matile.order = 4 : i64, nautilus_matile.stage = 0 : i64} : tensor<64x64xf32, #acc>
      scf.yield %u : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

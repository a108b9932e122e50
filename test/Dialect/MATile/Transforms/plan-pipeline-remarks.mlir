// RUN: nautilus-opt %s --split-input-file --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-plan-pipeline))' --mlir-disable-threading --remarks-filter=Pipelining --verify-diagnostics | FileCheck %s

// Two products that do not depend on each other overlap as they stand.
// CHECK-LABEL: @independent
// CHECK-NOT: nautilus_matile.stage
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @independent(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    // expected-remark @+1 {{iterations do not overlap: no product depends on another one}}
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 : tensor<64x64xf32, #acc>
      %ft = nautilus_matile.start_dot %x, %x, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %t = nautilus_matile.wait_dot %ft pending 0 : tensor<64x64xf32, #acc>
      %sum = arith.addf %s, %t : tensor<64x64xf32, #acc>
      %next = arith.addf %acc, %sum : tensor<64x64xf32, #acc>
      scf.yield %next : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

// -----

// Three in a chain would need three iterations at once.
// CHECK-LABEL: @chain
// CHECK-NOT: nautilus_matile.stage
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @chain(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    // expected-remark @+1 {{iterations do not overlap: more than two products depend on each other}}
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 : tensor<64x64xf32, #acc>
      %p = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %ft = nautilus_matile.start_dot %p, %x, %zero : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %t = nautilus_matile.wait_dot %ft pending 0 : tensor<64x64xf32, #acc>
      %q = arith.truncf %t : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %fu = nautilus_matile.start_dot %q, %x, %acc : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %u = nautilus_matile.wait_dot %fu pending 0 : tensor<64x64xf32, #acc>
      scf.yield %u : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

// -----

// Two accumulators of 32 registers each and an operand of 16.
// CHECK-LABEL: @registers
// CHECK-NOT: nautilus_matile.stage
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @registers(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 64 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    // expected-remark @+1 {{iterations do not overlap: their fragments do not fit into registers together}}
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 : tensor<64x64xf32, #acc>
      %p = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %fu = nautilus_matile.start_dot %p, %x, %acc : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %u = nautilus_matile.wait_dot %fu pending 0 : tensor<64x64xf32, #acc>
      scf.yield %u : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

// -----

// A tile that threads load for the work between the products needs registers, too.
// CHECK-LABEL: @loaded
// CHECK-NOT: nautilus_matile.stage
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @loaded(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 112 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    // expected-remark @+1 {{iterations do not overlap: their fragments do not fit into registers together}}
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 : tensor<64x64xf32, #acc>
      %b = nautilus_matile.load %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf32, strided<[?, 1], offset: ?>> -> tensor<64x64xf32, #acc>
      %biased = arith.addf %s, %b : tensor<64x64xf32, #acc>
      %p = arith.truncf %biased : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %fu = nautilus_matile.start_dot %p, %x, %acc : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %u = nautilus_matile.wait_dot %fu pending 0 : tensor<64x64xf32, #acc>
      scf.yield %u : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

// -----

// Memory would be written and read in another order.
// CHECK-LABEL: @memory
// CHECK-NOT: nautilus_matile.stage
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @memory(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    // expected-remark @+1 {{iterations do not overlap: memory is accessed in more than one stage}}
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 : tensor<64x64xf32, #acc>
      nautilus_matile.store %s, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
      %p = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %fu = nautilus_matile.start_dot %p, %x, %acc : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %u = nautilus_matile.wait_dot %fu pending 0 : tensor<64x64xf32, #acc>
      nautilus_matile.store %u, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
      scf.yield %u : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

// -----

// A carried value that is only passed through has no op to give a stage to.
// CHECK-LABEL: @passed_through
// CHECK-NOT: nautilus_matile.stage
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!channel = !nautilus_matile.channel<2 x !nautilus_matile.buffer<64x64xf16, swizzle 128>>
!tile = !nautilus_matile.buffer<64x64xf16, swizzle 128>
nautilus_matile.kernel @passed_through(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index) attributes {warps = 4 : i64} {
  %a = nautilus_matile.create_channel : !channel
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  nautilus_matile.warp_specialize producer 56 {
    %none = arith.constant 0 : index
  } consumer 240 {
    %x = nautilus_matile.get %a at %c0 : !channel -> !tile
    // expected-remark @+1 {{iterations do not overlap: a carried value is not computed in the loop}}
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
      %fs = nautilus_matile.start_dot %x, %x, %zero : !tile, !tile -> tensor<64x64xf32, #acc>
      %s = nautilus_matile.wait_dot %fs pending 0 : tensor<64x64xf32, #acc>
      %p = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %fu = nautilus_matile.start_dot %p, %x, %acc : tensor<64x64xf16, #acc>, !tile -> tensor<64x64xf32, #acc>
      %u = nautilus_matile.wait_dot %fu pending 0 : tensor<64x64xf32, #acc>
      scf.yield %zero : tensor<64x64xf32, #acc>
    }
    nautilus_matile.store %r, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  }
  nautilus_matile.return
}

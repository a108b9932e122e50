// RUN: nautilus-opt %s --split-input-file --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-chain-products))' --mlir-disable-threading --remarks-filter=Pipelining --verify-diagnostics | FileCheck %s

// Each product is started, the one before it waited for and its tiles released; the last one behind the loop, unless there is none. A tile
// that no release follows in the loop belongs to an outer one.
//
// CHECK-LABEL: nautilus_matile.kernel @sum
// CHECK:       %[[OUTER:.*]] = nautilus_matile.get
// CHECK:       %[[RUNS:.*]] = arith.cmpi slt, %[[FIRST:.*]], %[[END:.*]] : index
// CHECK:       %[[RESULT:.*]]:2 = scf.if %[[RUNS]]
// CHECK:         %[[LOOP:.*]]:2 = scf.for %[[K:.*]] = %[[FIRST]] to %[[END]] step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[COUNT:.*]] = %{{.*}})
// CHECK:           %[[X:.*]] = nautilus_matile.get %[[CHANNEL:.*]] at %[[COUNT]]
// CHECK-NOT:       release
// CHECK:           %[[SUM:.*]] = nautilus_matile.start_dot %[[X]], %[[OUTER]], %[[ACC]]
// CHECK-NEXT:      nautilus_matile.wait_groups pending 1
// CHECK:           %[[LATER:.*]] = arith.cmpi sgt, %[[K]], %[[FIRST]]
// CHECK:           scf.if %[[LATER]]
// CHECK:             %[[BEFORE:.*]] = arith.subi %[[COUNT]], %{{.*}}
// CHECK:             nautilus_matile.release %[[CHANNEL]] at %[[BEFORE]]
// CHECK:           scf.yield %[[SUM]],
// CHECK:         %[[DONE:.*]] = nautilus_matile.wait_dot %[[LOOP]]#0 pending 0
// CHECK:         %[[LAST:.*]] = arith.subi %[[LOOP]]#1, %{{.*}}
// CHECK:         nautilus_matile.release %[[CHANNEL]] at %[[LAST]]
// CHECK:         scf.yield %[[DONE]], %[[LOOP]]#1
// CHECK:       nautilus_matile.store %[[RESULT]]#0
#view = strided<[?, ?], offset: ?>
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
nautilus_matile.kernel @sum(%c: memref<?x?xf32, #view>, %k: index) attributes {warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
  %a = nautilus_matile.create_channel : <4 x <128x64xf16, swizzle 128>>
  %b = nautilus_matile.create_channel : <1 x <64x128xf16, swizzle 128>>
  %y = nautilus_matile.get %b at %c0 : <1 x <64x128xf16, swizzle 128>> -> <64x128xf16, swizzle 128>
  %r:2 = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero, %count = %c0) -> (tensor<128x128xf32, #acc>, index) {
    %x = nautilus_matile.get %a at %count : <4 x <128x64xf16, swizzle 128>> -> <128x64xf16, swizzle 128>
    %next = arith.addi %count, %c1 : index
    %d = nautilus_matile.dot <wgmma> %x, %y, %acc : !nautilus_matile.buffer<128x64xf16, swizzle 128>, !nautilus_matile.buffer<64x128xf16, swizzle 128> -> tensor<128x128xf32, #acc>
    nautilus_matile.release %a at %count : <4 x <128x64xf16, swizzle 128>>
    scf.yield %d, %next : tensor<128x128xf32, #acc>, index
  }
  nautilus_matile.store %r#0, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<128x128xf32, #acc>, memref<?x?xf32, #view>
  nautilus_matile.return
}

// -----

// An operand that threads write in each iteration would be overwritten under the product; an accumulator that is scaled is needed at once.
//
// CHECK-LABEL: nautilus_matile.kernel @waits
// CHECK-NOT:   start_dot
#view = strided<[?, ?], offset: ?>
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
nautilus_matile.kernel @waits(%a: memref<?x?xf16, #view>, %c: memref<?x?xf32, #view>, %k: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %two = arith.constant dense<2.0> : tensor<64x64xf32, #acc>
  %b = nautilus_matile.alloc : <64x64xf16, swizzle 128>
  %r = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) {
    %f = nautilus_matile.load %a[%c0, %kk] walk [0, 1] bounds [-1, -1] : memref<?x?xf16, #view> -> tensor<64x64xf16, #acc>
    %x = nautilus_matile.alloc : <64x64xf16, swizzle 128>
    nautilus_matile.write %f, %x : tensor<64x64xf16, #acc>, <64x64xf16, swizzle 128>
    // expected-remark @below {{each product of the sum is waited for: an operand is written anew in each iteration}}
    %d = nautilus_matile.dot <wgmma> %x, %b, %acc : !nautilus_matile.buffer<64x64xf16, swizzle 128>, !nautilus_matile.buffer<64x64xf16, swizzle 128> -> tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  %s = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %r) -> (tensor<64x64xf32, #acc>) {
    %twice = arith.mulf %acc, %two : tensor<64x64xf32, #acc>
    %d = nautilus_matile.dot <wgmma> %b, %b, %twice : !nautilus_matile.buffer<64x64xf16, swizzle 128>, !nautilus_matile.buffer<64x64xf16, swizzle 128> -> tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  nautilus_matile.store %s, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x64xf32, #acc>, memref<?x?xf32, #view>
  nautilus_matile.return
}

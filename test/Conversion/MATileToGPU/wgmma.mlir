// RUN: nautilus-opt %s --convert-nautilus-matile-to-gpu --split-input-file | FileCheck %s

// Both operands from shared memory, contraction contiguous in A, not in B. Descriptor constants
// are those of the PTX ISA for 128-byte swizzle: A 8 rows per 1024 bytes (0x4000004000010000), B in two
// slabs of 64 rows each (0x4000004002000000). A's k-steps are 32 bytes apart (2), B's 2048 (128). The second warpgroup starts
// 64 rows down. A zero accumulator is overwritten by the first instruction.
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
// CHECK-LABEL: llvm.func @shared_shared
// CHECK-DAG: arith.constant 4611686293305360384 : i64
// CHECK-DAG: arith.constant 4611686293338849280 : i64
// CHECK-DAG: arith.constant 8192 : i32
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{.*}}, $64, $65, 0, 1, 1, 0, 1;
// CHECK: arith.constant 2 : i64
// CHECK: arith.constant 128 : i64
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{.*}}, $128, $129, 1, 1, 1, 0, 1;
// CHECK: arith.constant 4 : i64
// CHECK: arith.constant 256 : i64
// CHECK: wgmma.mma_async
// CHECK: wgmma.mma_async
// CHECK-NOT: wgmma.mma_async
// CHECK: wgmma.commit_group
// CHECK: wgmma.wait_group.sync.aligned 0;
nautilus_matile.kernel @shared_shared(%c: memref<?x?xf32, strided<[?, 1], offset: ?>>) attributes {warps = 8 : i64, shared_bytes = 32768 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
  %a = nautilus_matile.alloc {offset = 0 : i64} : <128x64xf16, swizzle 128>
  %b = nautilus_matile.alloc {offset = 16384 : i64} : <64x128xf16, swizzle 128>
  %d = nautilus_matile.dot <wgmma> %a, %b, %zero : !nautilus_matile.buffer<128x64xf16, swizzle 128>, !nautilus_matile.buffer<64x128xf16, swizzle 128> -> tensor<128x128xf32, #acc>
  nautilus_matile.store %d, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<128x128xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  nautilus_matile.return
}

// -----

// A from registers: four 32-bit registers of two values each, packed before the fence. In flight from
// start to wait; another group may be issued meanwhile.
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
// CHECK-LABEL: llvm.func @in_flight
// CHECK-COUNT-4: llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, 0, 1, 1, 0;
// CHECK: wgmma.commit_group
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;
// CHECK: wgmma.commit_group
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: wgmma.wait_group.sync.aligned 0;
nautilus_matile.kernel @in_flight(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %c: memref<?x?xf32, strided<[?, 1], offset: ?>>) attributes {warps = 4 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x8xf32, #acc>
  %one = arith.constant dense<1.0> : tensor<64x8xf32, #acc>
  %b = nautilus_matile.alloc {offset = 0 : i64} : <8x16xbf16, swizzle 32>
  %a = nautilus_matile.load %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xbf16, strided<[?, 1], offset: ?>> -> tensor<64x16xbf16, #a>
  %0 = nautilus_matile.start_dot %a, %b transpose, %zero : tensor<64x16xbf16, #a>, !nautilus_matile.buffer<8x16xbf16, swizzle 32> -> tensor<64x8xf32, #acc>
  %1 = nautilus_matile.start_dot %a, %b transpose, %one : tensor<64x16xbf16, #a>, !nautilus_matile.buffer<8x16xbf16, swizzle 32> -> tensor<64x8xf32, #acc>
  %2 = nautilus_matile.wait_dot %0 pending 1 : tensor<64x8xf32, #acc>
  %3 = nautilus_matile.wait_dot %1 pending 0 : tensor<64x8xf32, #acc>
  %4 = arith.addf %2, %3 : tensor<64x8xf32, #acc>
  nautilus_matile.store %4, %c[%c0, %c0] walk [0, 1] bounds [-1, -1] : tensor<64x8xf32, #acc>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  nautilus_matile.return
}

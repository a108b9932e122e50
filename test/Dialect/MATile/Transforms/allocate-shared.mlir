// RUN: nautilus-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-allocate-shared{limit=66000}))' | FileCheck %s

// Slots one behind the other, then a barrier pair for each slot; the kernel knows the total.
// CHECK-LABEL: nautilus_matile.kernel @channels
// CHECK-SAME: shared_bytes = 65600
// CHECK: create_channel {barriers = 65536 : i64, offset = 0 : i64}
// CHECK: create_channel {barriers = 65568 : i64, offset = 32768 : i64}
nautilus_matile.kernel @channels() attributes {warps = 8 : i64} {
  %0 = nautilus_matile.create_channel : <2 x <64x128xf16, swizzle 128>>
  %1 = nautilus_matile.create_channel : <2 x <128x64xf16, swizzle 128>>
  nautilus_matile.return
}

// Swizzled buffers start at multiples of 1024 bytes.
// CHECK-LABEL: nautilus_matile.kernel @buffers
// CHECK: alloc {offset = 0 : i64}
// CHECK: alloc {offset = 1024 : i64}
nautilus_matile.kernel @buffers() attributes {warps = 4 : i64} {
  %0 = nautilus_matile.alloc : <4x64xf16, swizzle 128>
  %1 = nautilus_matile.alloc : <8x64xf16, swizzle 128>
  nautilus_matile.return
}

// -----

// expected-error @below {{expected at most 66000 bytes of shared memory, the tiles of this kernel take 82000}}
nautilus_matile.kernel @too_much() attributes {warps = 8 : i64} {
  %0 = nautilus_matile.create_channel : <3 x <64x128xf16, swizzle 128>>
  %1 = nautilus_matile.create_channel : <2 x <128x64xf16, swizzle 128>>
  nautilus_matile.return
}

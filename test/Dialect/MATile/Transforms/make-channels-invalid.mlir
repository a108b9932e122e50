// RUN: nautilus-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-make-channels))'

// Threads do not copy into channels.
nautilus_matile.kernel @no_map(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a staged tile to have a tensor map}}
  %s = nautilus_matile.stage %x[%c0, %c0] walk [0, 1] bounds [-1, -1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> <64x64xf16, swizzle 128>
  nautilus_matile.return
}

// -----

// Puts and gets must count alike, which a branch would break.
nautilus_matile.kernel @branch(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %map: !nautilus_host.tensor_map, %n: index) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %more = arith.cmpi sgt, %n, %c0 : index
  scf.if %more {
    // expected-error @below {{expected staged tiles at the top level or in loops only, got one in scf.if}}
    %s = nautilus_matile.stage %x[%c0, %c0] walk [0, 1] bounds [-1, -1] map %map : memref<?x?xf16, strided<[?, ?], offset: ?>> -> <64x64xf16, swizzle 128>
  }
  nautilus_matile.return
}

// RUN: nautilus-opt %s --split-input-file --nautilus-matile-order-items=order=longest_first --mlir-disable-threading --remarks-filter=Pipelining --verify-diagnostics | FileCheck %s

// CHECK-NOT: nautilus_matile.block
#view = strided<[?, ?], offset: ?>
// expected-remark @below {{tiles are started as they are numbered: no loop is longer for one tile than for another}}
nautilus_matile.kernel @square(%a: memref<?x?xf16, #view>, %m: index, %map: !nautilus_host.tensor_map) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %at = nautilus_matile.origin [64] of [-9223372036854775808] dynamic(%m) : index
  scf.for %j = %c0 to %m step %c64 {
    %x = nautilus_matile.stage %a[%at, %j] walk [0, 1] bounds [-1, -1] map %map : memref<?x?xf16, #view> -> <64x64xf16, swizzle 128>
  }
  nautilus_matile.return
}

// -----

#view = strided<[?, ?], offset: ?>
// expected-remark @below {{tiles are started as they are numbered: no host entry launches it}}
nautilus_matile.kernel @unknown(%a: memref<?x?xf16, #view>, %m: index, %map: !nautilus_host.tensor_map) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %at = nautilus_matile.origin [64] of [-9223372036854775808] dynamic(%m) : index
  scf.for %j = %at to %m step %c64 {
    %x = nautilus_matile.stage %a[%at, %j] walk [0, 1] bounds [-1, -1] map %map : memref<?x?xf16, #view> -> <64x64xf16, swizzle 128>
  }
  nautilus_matile.return
}

// -----

// expected-remark @below {{tiles are started as they are numbered: it has no grid}}
nautilus_matile.kernel @single() attributes {warps = 4 : i64} {
  nautilus_matile.return
}

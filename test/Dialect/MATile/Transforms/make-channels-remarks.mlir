// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_matile.kernel(nautilus-matile-make-channels{slots=3 limit=66560}))' --mlir-disable-threading --remarks-filter=Pipelining --verify-diagnostics | FileCheck %s

// Three slots of 16 KB and two of 16 KB were asked for; the outer loop gives up one first, and that suffices.
//
// CHECK-LABEL: @outer_gives_up
// CHECK-DAG:   create_channel : <3 x <128x64xf16
// CHECK-DAG:   create_channel : <1 x <128x64xf16
#view = strided<[?, ?], offset: ?>
#row = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
// expected-remark @below {{channels have 3 slots in inner and 1 in outer loops, more do not fit into 66560 bytes of shared memory}}
nautilus_matile.kernel @outer_gives_up(%a: memref<?x?xf16, #view>, %b: memref<?x?xf16, #view>, %m: index, %k: index, %map: !nautilus_host.tensor_map) attributes {warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %m step %c64 {
    %q = nautilus_matile.stage %b[%i, %c0] walk [0, 1] bounds [-1, -1] map %map : memref<?x?xf16, #view> -> <128x64xf16, swizzle 128>
    scf.for %j = %c0 to %k step %c64 {
      %x = nautilus_matile.stage %a[%i, %j] walk [0, 1] bounds [-1, -1] map %map : memref<?x?xf16, #view> -> <128x64xf16, swizzle 128>
      %f = nautilus_matile.read %x : <128x64xf16, swizzle 128> -> tensor<128x64xf16, #row>
      nautilus_matile.store %f, %a[%i, %j] walk [0, 1] bounds [-1, -1] : tensor<128x64xf16, #row>, memref<?x?xf16, #view>
    }
    %g = nautilus_matile.read %q : <128x64xf16, swizzle 128> -> tensor<128x64xf16, #row>
    nautilus_matile.store %g, %a[%i, %c0] walk [0, 1] bounds [-1, -1] : tensor<128x64xf16, #row>, memref<?x?xf16, #view>
  }
  nautilus_matile.return
}

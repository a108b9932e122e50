// RUN: nautilus-opt %s --convert-nautilus-matile-to-gpu | FileCheck %s

// A fragment of two registers per thread becomes two scalars: one predicated access per register,
// one op per register. The launch passes addresses and strides in place of views.
#row = #nautilus_matile.layout<reg = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// CHECK-LABEL: nautilus_host.entry @scale
// CHECK-NOT: nautilus_host.view
// CHECK: %[[X:.*]] = nautilus_host.address "X"
// CHECK: %[[XS:.*]] = nautilus_host.stride "X"[0]
// CHECK: %[[Y:.*]] = nautilus_host.address "Y"
// CHECK: nautilus_host.launch @nautilus_kernels::@scale_0 grid({{.*}}) (%[[X]], %[[XS]], %[[Y]],
// CHECK-SAME: threads = 32

// CHECK-LABEL: gpu.module @nautilus_kernels
// CHECK: llvm.func @scale_0(
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.maxntid = array<i32: 32>
// CHECK-COUNT-2: ld.global.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-2: {{arith.addf|llvm.fadd}}
// CHECK-COUNT-2: st.global.b32
// CHECK-NOT: st.global
// CHECK-NOT: nautilus_matile
nautilus_matile.kernel @scale_0(%x: memref<?xf32, strided<[?], offset: ?>>, %y: memref<?xf32, strided<[?], offset: ?>>, %n: index) attributes {shared_bytes = 0 : i64, warps = 1 : i64} {
  %o = nautilus_matile.origin [64] of [-9223372036854775808] dynamic(%n) : index
  %0 = nautilus_matile.load %x[%o] walk [0] bounds [-9223372036854775808](%n) : memref<?xf32, strided<[?], offset: ?>> -> tensor<64xf32, #row>
  %1 = arith.addf %0, %0 : tensor<64xf32, #row>
  nautilus_matile.store %1, %y[%o] walk [0] bounds [-9223372036854775808](%n) : tensor<64xf32, #row>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_matile.return
}
nautilus_host.entry @scale dims [#nautilus_scalar.dim<"N", -9223372036854775808>] tensors [#nautilus_scalar.tensor<"X", [["N"]]>, #nautilus_scalar.tensor<"Y", [["N"]]>] types [tensor<?xf32>, tensor<?xf32>] results 1 {
  %c64 = arith.constant 64 : i64
  %x = nautilus_host.view "X" : memref<?xf32, strided<[?], offset: ?>>
  %y = nautilus_host.view "Y" : memref<?xf32, strided<[?], offset: ?>>
  %n = nautilus_host.dim "N"
  %g = arith.ceildivsi %n, %c64 : i64
  nautilus_host.launch @scale_0 grid(%g) (%x, %y, %n) : (memref<?xf32, strided<[?], offset: ?>>, memref<?xf32, strided<[?], offset: ?>>, i64)
}

// Each op as text and back.
//
// RUN: nautilus-opt %s | nautilus-opt | FileCheck %s
// RUN: nautilus-opt %s --mlir-print-op-generic | nautilus-opt | FileCheck %s

// CHECK-LABEL: nautilus_host.entry @all dims [#nautilus_scalar.dim<"M", 64>, #nautilus_scalar.dim<"N", -9223372036854775808, 4096>]
// CHECK-SAME:    types [tensor<64x?xf16>, tensor<64xf32>] results 1 {
nautilus_host.entry @all dims [#nautilus_scalar.dim<"M", 64>, #nautilus_scalar.dim<"N", -9223372036854775808, 4096>]
    tensors [#nautilus_scalar.tensor<"A", [["M", "N"]]>, #nautilus_scalar.tensor<"Y", [["M"]]>]
    types [tensor<64x?xf16>, tensor<64xf32>] results 1 {
  // CHECK: %[[N:.*]] = nautilus_host.dim "N"
  %n = nautilus_host.dim "N"
  // CHECK: %[[A:.*]] = nautilus_host.address "A"
  %a = nautilus_host.address "A"
  // CHECK: %[[S:.*]] = nautilus_host.stride "A"[1]
  %s = nautilus_host.stride "A"[1]
  // CHECK: nautilus_host.multiprocessors
  %p = nautilus_host.multiprocessors
  %c1 = arith.constant 1 : i64
  %inner = arith.cmpi eq, %s, %c1 : i64
  // CHECK: nautilus_host.check %{{.*}}, "expected a stride of 1, got {0}"(%[[S]])
  nautilus_host.check %inner, "expected a stride of 1, got {0}" (%s)
  // CHECK: nautilus_host.check %{{.*}}, "no values"
  nautilus_host.check %inner, "no values"
  // CHECK: %[[W:.*]] = nautilus_host.workspace %[[N]]
  %w = nautilus_host.workspace %n
  // CHECK: %[[VA:.*]] = nautilus_host.view "A" : memref<64x?xf16, strided<[?, ?], offset: ?>>
  %va = nautilus_host.view "A" : memref<64x?xf16, strided<[?, ?], offset: ?>>
  // CHECK: %[[VW:.*]] = nautilus_host.view %[[W]] extents(%[[N]]) : memref<?xf32, strided<[?], offset: ?>>
  %vw = nautilus_host.view %w extents(%n) : memref<?xf32, strided<[?], offset: ?>>
  // CHECK: %[[T:.*]] = nautilus_host.make_tensor_map %[[A]] of f16 dims(%[[N]], %[[N]]) strides(%[[S]]) box [64, 128] swizzle 128
  %t = nautilus_host.make_tensor_map %a of f16 dims(%n, %n) strides(%s) box [64, 128] swizzle 128
  // CHECK: scf.if
  scf.if %inner {
    // CHECK: nautilus_host.launch @m::@k grid(%[[N]]) (%[[VA]], %[[VW]], %[[T]], %[[N]]) {cluster = 2 : i64, shared_bytes = 1024 : i64, threads = 384 : i64} : (memref<64x?xf16, strided<[?, ?], offset: ?>>, memref<?xf32, strided<[?], offset: ?>>, !nautilus_host.tensor_map, i64)
    nautilus_host.launch @m::@k grid(%n) (%va, %vw, %t, %n) {threads = 384 : i64, shared_bytes = 1024 : i64, cluster = 2 : i64} : (memref<64x?xf16, strided<[?, ?], offset: ?>>, memref<?xf32, strided<[?], offset: ?>>, !nautilus_host.tensor_map, i64)
  }
}

// RUN: nautilus-opt %s --convert-nautilus-vrtile-to-matile | FileCheck %s

// A product of f16 tiles from memory: operands are staged into swizzled shared memory with tensor
// maps that the host makes, the accumulator gets the tensor core's layout, the loop carries it.
// CHECK: #[[ACC:.*]] = #nautilus_matile.layout<
// CHECK-LABEL: nautilus_matile.kernel @matmul_0(
// CHECK-SAME: %[[MAP_A:[^:]*]]: !nautilus_host.tensor_map, %[[MAP_B:[^:]*]]: !nautilus_host.tensor_map)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #[[ACC]]>
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]])
// CHECK: %[[A:.*]] = nautilus_matile.stage {{.*}} map %[[MAP_A]] {{.*}}<128x64xf16, swizzle 128>
// CHECK: %[[B:.*]] = nautilus_matile.stage {{.*}} map %[[MAP_B]] {{.*}}<64x128xf16, swizzle 128>
// CHECK: nautilus_matile.dot <wgmma> %[[A]], %[[B]], %[[SUM]]
// CHECK: nautilus_matile.store {{.*}} : tensor<128x128xf32, #[[ACC]]>

// The same product for tensors that break TMA's rules.
// CHECK-LABEL: nautilus_matile.kernel @matmul_0_general(
// CHECK-NOT: tensor_map
// CHECK: nautilus_matile.load
// CHECK: nautilus_matile.write
// CHECK: nautilus_matile.dot <wgmma>

// CHECK-LABEL: nautilus_host.entry @matmul
// CHECK: scf.if
// CHECK: nautilus_host.make_tensor_map {{.*}} box [64, 128] swizzle 128
// CHECK: nautilus_host.launch @matmul_0 grid
// CHECK: else
// CHECK: nautilus_host.launch @matmul_0_general grid
nautilus_vrtile.kernel @matmul_0(%a: memref<?x?xf16, strided<[?, ?], offset: ?>>, %b: memref<?x?xf16, strided<[?, ?], offset: ?>>, %c: memref<?x?xf32, strided<[?, ?], offset: ?>>, %m: index, %n: index, %k: index) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %o:2 = nautilus_vrtile.origin [128 of %m, 128 of %n]
  %r = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %x = nautilus_vrtile.load %a[%o#0, %kk] walk [0, 1] bounds [%m, %k] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<128x64xf16>
    %y = nautilus_vrtile.load %b[%kk, %o#1] walk [0, 1] bounds [%k, %n] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<64x128xf16>
    %d = nautilus_vrtile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  nautilus_vrtile.store %r, %c[%o#0, %o#1] walk [0, 1] bounds [%m, %n] : tensor<128x128xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}
nautilus_host.entry @matmul dims [#nautilus_scalar.dim<"M", -9223372036854775808>, #nautilus_scalar.dim<"K", -9223372036854775808>, #nautilus_scalar.dim<"N", -9223372036854775808>] tensors [#nautilus_scalar.tensor<"A", [["M"], ["K"]]>, #nautilus_scalar.tensor<"B", [["K"], ["N"]]>, #nautilus_scalar.tensor<"C", [["M"], ["N"]]>] types [tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>] results 1 {
  %tile = arith.constant 128 : i64
  %a = nautilus_host.view "A" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %b = nautilus_host.view "B" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %c = nautilus_host.view "C" : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %m = nautilus_host.dim "M"
  %n = nautilus_host.dim "N"
  %k = nautilus_host.dim "K"
  %gm = arith.ceildivsi %m, %tile : i64
  %gn = arith.ceildivsi %n, %tile : i64
  %g = arith.muli %gm, %gn : i64
  nautilus_host.launch @matmul_0 grid(%g) (%a, %b, %c, %m, %n, %k) : (memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, i64, i64, i64)
}

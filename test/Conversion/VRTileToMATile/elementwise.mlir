// RUN: nautilus-opt %s --convert-nautilus-vrtile-to-matile | FileCheck %s

// Tiles without products are spread for coalesced access: 16 bytes of each thread along the last
// dim, lanes along it next, warps down the rows. Constants, splats and iotas are made anew where they are used. What only a call can
// tell (alignment) picks between accesses of whole groups and a general variant.
// CHECK: #[[ROWS:.*]] = #nautilus_matile.layout<reg = {{\[}}[0, 1], [0, 2]], lane = {{\[}}[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = {{\[}}[8, 0], [16, 0]]>
// CHECK-LABEL: nautilus_matile.kernel @mask(
// CHECK-SAME: warps = 4
// CHECK: %[[X:.*]] = nautilus_matile.load {{.*}} {vector = 4 : i64} : {{.*}} -> tensor<32x16xf32, #[[ROWS]]>
// CHECK: nautilus_matile.iota %{{.*}} along 1 : tensor<32x16xindex, #[[ROWS]]>
// CHECK: nautilus_matile.splat %{{.*}} : index -> tensor<32x16xindex, #[[ROWS]]>
// CHECK: arith.select %{{.*}}, %[[X]], %{{.*}} : tensor<32x16xi1, #[[ROWS]]>, tensor<32x16xf32, #[[ROWS]]>
// CHECK: nautilus_matile.store {{.*}} {vector = 4 : i64} : tensor<32x16xf32, #[[ROWS]]>
// CHECK-LABEL: nautilus_matile.kernel @mask_general(
// CHECK-NOT: vector
// CHECK-LABEL: nautilus_host.entry @k
// CHECK: scf.if
// CHECK: launch @mask grid
// CHECK: else
// CHECK: launch @mask_general grid
nautilus_vrtile.kernel @mask(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>, %n: index, %m: index) {
  %o = nautilus_vrtile.origin [32 of %n]
  %c0 = arith.constant 0 : index
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] bounds [%n, %m] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<32x16xf32>
  %i = nautilus_vrtile.iota %c0 along 1 : tensor<32x16xindex>
  %l = nautilus_vrtile.splat %m : index -> tensor<32x16xindex>
  %in = arith.cmpi slt, %i, %l : tensor<32x16xindex>
  %z = arith.constant dense<0.0> : tensor<32x16xf32>
  %s = arith.select %in, %a, %z : tensor<32x16xi1>, tensor<32x16xf32>
  nautilus_vrtile.store %s, %y[%o, %c0] walk [0, 1] bounds [%n, %m] : tensor<32x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}
nautilus_host.entry @k dims [#nautilus_scalar.dim<"N", -9223372036854775808>, #nautilus_scalar.dim<"M", 16>] tensors [#nautilus_scalar.tensor<"X", [["N"], ["M"]]>, #nautilus_scalar.tensor<"Y", [["N"], ["M"]]>] types [tensor<?x16xf32>, tensor<?x16xf32>] results 1 {
  %x = nautilus_host.view "X" : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %y = nautilus_host.view "Y" : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %n = nautilus_host.dim "N"
  %m = nautilus_host.dim "M"
  %tile = arith.constant 32 : i64
  %g = arith.ceildivsi %n, %tile : i64
  nautilus_host.launch @mask grid(%g) (%x, %y, %n, %m) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, i64, i64)
}

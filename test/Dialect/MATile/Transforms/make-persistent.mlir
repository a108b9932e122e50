// RUN: nautilus-opt %s --nautilus-matile-make-persistent=all=true | FileCheck %s
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus-matile-make-persistent{all=true},nautilus_matile.kernel(nautilus-matile-make-channels,canonicalize))' | FileCheck %s --check-prefix=CHANNELS
// RUN: nautilus-opt %s --nautilus-matile-make-persistent | FileCheck %s --check-prefix=UNASKED
// RUN: sed 's/{warps = 8 : i64}/{nautilus_scalar.launch = #nautilus_scalar.launch<stages = 3, persistent, order = grouped>, warps = 8 : i64}/' %s > %t.mlir
// RUN: nautilus-opt %t.mlir --pass-pipeline='builtin.module(nautilus-matile-make-persistent,nautilus-matile-order-items,nautilus_matile.kernel(nautilus-matile-make-channels))' | FileCheck %s --check-prefix=ASKED

// Launch options ask for it, and for slots and an order of tiles.
//
// UNASKED-NOT:  nautilus_matile.block
// ASKED-DAG:    nautilus_matile.create_channel : <3 x <128x64xf16
// ASKED-DAG:    nautilus_matile.create_channel : <2 x <128x128xf16
// ASKED:        nautilus_matile.block
// ASKED:        %[[GROUP:.*]] = arith.constant 11 : index
// ASKED:        nautilus_matile.warp_specialize

// The body becomes a loop over the items of the grid; index work that all items share stays in front of it.
//
// CHECK-LABEL: nautilus_matile.kernel @product
// CHECK:       %[[NUMBER:.*]], %[[COUNT:.*]] = nautilus_matile.block
// CHECK:       %[[ROWS:.*]] = arith.divui
// CHECK:       %[[COLUMNS:.*]] = arith.divui
// CHECK:       %[[ITEMS:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK:       scf.for %[[ITEM:.*]] = %[[NUMBER]] to %[[ITEMS]] step %[[COUNT]] {
// CHECK-NEXT:    %[[AT:.*]]:2 = nautilus_matile.origin [128, 128] of {{.*}} block %[[ITEM]]
// CHECK:         scf.for
// CHECK:           nautilus_matile.stage %{{.*}}[%[[AT]]#0,
// CHECK:         nautilus_matile.store %{{.*}}, %{{.*}}[%[[AT]]#0, %[[AT]]#1]
// CHECK-NEXT:  }
// CHECK-NEXT:  nautilus_matile.return

// The launch has at most one block per multiprocessor, whatever the items.
//
// CHECK-LABEL: nautilus_host.entry @entry
// CHECK:       %[[MOST:.*]] = arith.constant 2147418112 : i64
// CHECK:       %[[FITS:.*]] = arith.cmpi sle, %[[GRID:.*]], %[[MOST]]
// CHECK:       nautilus_host.check %[[FITS]], "expected at most {1} tiles of work, got {0}"(%[[GRID]], %[[MOST]])
// CHECK:       %[[PROCESSORS:.*]] = nautilus_host.multiprocessors
// CHECK:       %[[BLOCKS:.*]] = arith.minsi %[[GRID]], %[[PROCESSORS]]
// CHECK:       nautilus_host.launch @product grid(%[[BLOCKS]])

// Both roles walk the same items and carry the channels' counts from one to the next. The tile of the outer loop has two slots.
//
// CHANNELS-LABEL: nautilus_matile.kernel @product
// CHANNELS-DAG:   %[[ONCE:.*]] = nautilus_matile.create_channel : <2 x <128x128xf16
// CHANNELS-DAG:   %[[INNER:.*]] = nautilus_matile.create_channel : <4 x <128x64xf16
// CHANNELS:       warp_specialize producer
// CHANNELS:         scf.for {{.*}} iter_args(%{{.*}} = %c0{{.*}}, %{{.*}} = %c0
// CHANNELS:           nautilus_matile.origin
// CHANNELS:           nautilus_matile.put %[[ONCE]]
// CHANNELS:           scf.for
// CHANNELS:             nautilus_matile.put %[[INNER]]
// CHANNELS:       consumer
// CHANNELS:         scf.for {{.*}} iter_args(%{{.*}} = %c0{{.*}}, %{{.*}} = %c0
// CHANNELS:           nautilus_matile.origin
// CHANNELS:           nautilus_matile.get %[[ONCE]]
// CHANNELS:           scf.for
// CHANNELS:             nautilus_matile.get %[[INNER]]
#acc = #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>
#view = strided<[?, ?], offset: ?>
nautilus_matile.kernel @product(%a: memref<?x?xf16, #view>, %b: memref<?x?xf16, #view>, %c: memref<?x?xf32, #view>, %m: index, %n: index, %k: index, %ma: !nautilus_host.tensor_map, %mb: !nautilus_host.tensor_map) attributes {warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
  %at:2 = nautilus_matile.origin [128, 128] of [-9223372036854775808, -9223372036854775808] dynamic(%m, %n) : index, index
  %y = nautilus_matile.stage %b[%c0, %at#1] walk [0, 1] bounds [-9223372036854775808, -9223372036854775808](%k, %n) map %mb : memref<?x?xf16, #view> -> <128x128xf16, swizzle 128>
  %r = scf.for %kk = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32, #acc>) {
    %x = nautilus_matile.stage %a[%at#0, %kk] walk [0, 1] bounds [-9223372036854775808, -9223372036854775808](%m, %k) map %ma : memref<?x?xf16, #view> -> <128x64xf16, swizzle 128>
    %f = nautilus_matile.read %x : <128x64xf16, swizzle 128> -> tensor<128x64xf16, #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>>
    nautilus_matile.store %f, %a[%at#0, %kk] walk [0, 1] bounds [-9223372036854775808, -9223372036854775808](%m, %k) : tensor<128x64xf16, #nautilus_matile.layout<reg = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]>>, memref<?x?xf16, #view>
    scf.yield %acc : tensor<128x128xf32, #acc>
  }
  %z = nautilus_matile.read %y : <128x128xf16, swizzle 128> -> tensor<128x128xf16, #acc>
  %w = arith.extf %z : tensor<128x128xf16, #acc> to tensor<128x128xf32, #acc>
  %s = arith.addf %w, %r : tensor<128x128xf32, #acc>
  nautilus_matile.store %s, %c[%at#0, %at#1] walk [0, 1] bounds [-9223372036854775808, -9223372036854775808](%m, %n) : tensor<128x128xf32, #acc>, memref<?x?xf32, #view>
  nautilus_matile.return
}

nautilus_host.entry @entry dims [#nautilus_scalar.dim<"M", -9223372036854775808>, #nautilus_scalar.dim<"N", -9223372036854775808>, #nautilus_scalar.dim<"K", -9223372036854775808>]
    tensors [#nautilus_scalar.tensor<"A", [["M"], ["K"]]>, #nautilus_scalar.tensor<"B", [["K"], ["N"]]>, #nautilus_scalar.tensor<"C", [["M"], ["N"]]>]
    types [tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>] results 1 {
  %m = nautilus_host.dim "M"
  %n = nautilus_host.dim "N"
  %k = nautilus_host.dim "K"
  %a = nautilus_host.view "A" : memref<?x?xf16, #view>
  %b = nautilus_host.view "B" : memref<?x?xf16, #view>
  %c = nautilus_host.view "C" : memref<?x?xf32, #view>
  %address = nautilus_host.address "A"
  %bytes = arith.constant 256 : i64
  %ma = nautilus_host.make_tensor_map %address of f16 dims(%k, %m) strides(%bytes) box [64, 128] swizzle 128
  %grid = arith.muli %m, %n : i64
  nautilus_host.launch @product grid(%grid) (%a, %b, %c, %m, %n, %k, %ma, %ma) : (memref<?x?xf16, #view>, memref<?x?xf16, #view>, memref<?x?xf32, #view>, i64, i64, i64, !nautilus_host.tensor_map, !nautilus_host.tensor_map)
}

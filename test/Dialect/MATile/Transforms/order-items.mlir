// RUN: nautilus-opt %s --nautilus-matile-order-items=order=longest_first -canonicalize -cse | FileCheck %s --check-prefix=LONGEST
// RUN: nautilus-opt %s --nautilus-matile-order-items=order=grouped -canonicalize -cse | FileCheck %s --check-prefix=GROUPED
// RUN: nautilus-opt %s --nautilus-matile-order-items | FileCheck %s --check-prefix=NATURAL

// The loop grows with the second axis, which is therefore walked from its end, slowest within a section of the first axis. How large sections are is the
// kernel's last argument.
//
// LONGEST-LABEL: nautilus_matile.kernel @triangle
// LONGEST-SAME:    %[[A:[a-z0-9]*]]: memref{{.*}}, %[[H:[a-z0-9]*]]: index, %[[M:[a-z0-9]*]]: index, %{{[a-z0-9]*}}: !nautilus_host.tensor_map, %[[SECTION:[a-z0-9]*]]: index)
// LONGEST-DAG:   %[[c1:.*]] = arith.constant 1 : index
// LONGEST-DAG:   %[[c64:.*]] = arith.constant 64 : index
// LONGEST:       %[[TILES:.*]] = arith.divui %{{.*}}, %[[c64]]
// LONGEST:       %[[PER_SECTION:.*]] = arith.muli %[[SECTION]], %[[TILES]]
// LONGEST:       %[[ITEM:.*]], %{{.*}} = nautilus_matile.block
// LONGEST:       %[[NUMBER:.*]] = arith.divui %[[ITEM]], %[[PER_SECTION]]
// LONGEST:       %[[FIRST:.*]] = arith.muli %[[NUMBER]], %[[SECTION]]
// LONGEST:       %[[WITHIN:.*]] = arith.remui %[[ITEM]], %[[PER_SECTION]]
// LONGEST:       %[[REST:.*]] = arith.subi %[[H]], %[[FIRST]]
// LONGEST:       %[[SIZE:.*]] = arith.minui %[[SECTION]], %[[REST]]
// LONGEST:       %[[PLACE:.*]] = arith.divui %[[WITHIN]], %[[SIZE]]
// LONGEST:       %[[OFFSET:.*]] = arith.remui %[[WITHIN]], %[[SIZE]]
// LONGEST:       %[[HEAD:.*]] = arith.addi %[[FIRST]], %[[OFFSET]]
// LONGEST:       %[[LAST:.*]] = arith.subi %[[TILES]], %[[c1]]
// LONGEST:       %[[BACK:.*]] = arith.subi %[[LAST]], %[[PLACE]]
// LONGEST:       %[[START:.*]] = arith.muli %[[HEAD]], %[[TILES]]
// LONGEST:       %[[BLOCK:.*]] = arith.addi %[[START]], %[[BACK]]
// LONGEST:       nautilus_matile.origin [1, 64] {{.*}} block %[[BLOCK]]

// A section has as many heads as two thirds of the cache hold of what a head's loop reads: M rows of 64 columns of two bytes.
//
// LONGEST-LABEL: nautilus_host.entry @entry
// LONGEST-DAG:   %[[CACHE:.*]] = arith.constant 34952532 : i64
// LONGEST-DAG:   %[[WIDTH:.*]] = arith.constant 128 : i64
// LONGEST-DAG:   %[[ONE:.*]] = arith.constant 1 : i64
// LONGEST:       %[[BYTES:.*]] = arith.muli %{{.*}}, %[[WIDTH]]
// LONGEST:       %[[DIVISOR:.*]] = arith.maxsi %[[BYTES]], %[[ONE]]
// LONGEST:       %[[HEADS:.*]] = arith.floordivsi %[[CACHE]], %[[DIVISOR]]
// LONGEST:       nautilus_host.launch @triangle {{.*}} i64, i64, !nautilus_host.tensor_map, i64)

// Two axes: 92 of the first together, so that about 132 blocks of 1 x 64 cover a square.
//
// GROUPED-LABEL: nautilus_matile.kernel @triangle
// GROUPED-DAG:   %[[GROUP:.*]] = arith.constant 92 : index
// GROUPED:       %[[PER:.*]] = arith.muli %{{.*}}, %[[GROUP]]
// GROUPED:       %[[ITEM:.*]], %{{.*}} = nautilus_matile.block
// GROUPED:       arith.divui %[[ITEM]], %[[PER]]
// GROUPED:       nautilus_matile.origin [1, 64] {{.*}} block

// NATURAL-NOT: nautilus_matile.block
#view = strided<[?, ?, ?], offset: ?>
nautilus_matile.kernel @triangle(%a: memref<?x?x64xf16, #view>, %h: index, %m: index, %map: !nautilus_host.tensor_map) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %at:2 = nautilus_matile.origin [1, 64] of [-9223372036854775808, -9223372036854775808] dynamic(%h, %m) : index, index
  %end = arith.addi %at#1, %c64 : index
  scf.for %j = %c0 to %end step %c64 {
    %x = nautilus_matile.stage %a[%at#0, %j, %c0] walk [1, 2] bounds [-9223372036854775808, -1](%m) map %map : memref<?x?x64xf16, #view> -> <64x64xf16, swizzle 128>
  }
  nautilus_matile.return
}

nautilus_host.entry @entry dims [#nautilus_scalar.dim<"H", -9223372036854775808>, #nautilus_scalar.dim<"M", -9223372036854775808>, #nautilus_scalar.dim<"D", 64>]
    tensors [#nautilus_scalar.tensor<"A", [["H"], ["M"], ["D"]]>] types [tensor<?x?x64xf16>] results 0 {
  %h = nautilus_host.dim "H"
  %m = nautilus_host.dim "M"
  %a = nautilus_host.view "A" : memref<?x?x64xf16, #view>
  %address = nautilus_host.address "A"
  %bytes = arith.constant 128 : i64
  %map = nautilus_host.make_tensor_map %address of f16 dims(%bytes, %m) strides(%bytes) box [64, 64] swizzle 128
  nautilus_host.launch @triangle grid(%h) (%a, %h, %m, %map) : (memref<?x?x64xf16, #view>, i64, i64, !nautilus_host.tensor_map)
}

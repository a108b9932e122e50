// The number of computing warps that the launch options ask for, where products allow it.
//
// RUN: nautilus-opt %s --convert-nautilus-vrtile-to-matile --mlir-disable-threading --split-input-file --remarks-filter='TensorCore' --verify-diagnostics | FileCheck %s

// CHECK-LABEL: nautilus_matile.kernel @four
// CHECK-SAME: warps = 4
nautilus_vrtile.kernel @four(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) attributes {nautilus_scalar.launch = #nautilus_scalar.launch<warps = 4>} {
  %o = nautilus_vrtile.origin [128 of 128]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<128x16xf16>
  %b = nautilus_vrtile.load %x[%c0, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x64xf16>
  %d = nautilus_vrtile.dot %a, %b, %zero : tensor<128x16xf16>, tensor<16x64xf16> -> tensor<128x64xf32>
  nautilus_vrtile.store %d, %y[%o, %c0] walk [0, 1] : tensor<128x64xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

// CHECK-LABEL: nautilus_matile.kernel @sixteen
// CHECK-SAME: warps = 8
// expected-remark @below {{kernel runs with 8 computing warps instead of those asked for: its 128 rows cannot be spread evenly over 16 warps, 16 rows each}}
nautilus_vrtile.kernel @sixteen(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) attributes {nautilus_scalar.launch = #nautilus_scalar.launch<warps = 16>} {
  %o = nautilus_vrtile.origin [128 of 128]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<128x16xf16>
  %b = nautilus_vrtile.load %x[%c0, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x64xf16>
  %d = nautilus_vrtile.dot %a, %b, %zero : tensor<128x16xf16>, tensor<16x64xf16> -> tensor<128x64xf32>
  nautilus_vrtile.store %d, %y[%o, %c0] walk [0, 1] : tensor<128x64xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

// CHECK-LABEL: nautilus_matile.kernel @three
// CHECK-SAME: warps = 4
// expected-remark @below {{tiles without products are spread over a power of two of warps}}
nautilus_vrtile.kernel @three(%x: memref<?xf32, strided<[?], offset: ?>>) attributes {nautilus_scalar.launch = #nautilus_scalar.launch<warps = 3>} {
  %o = nautilus_vrtile.origin [128 of 128]
  %a = nautilus_vrtile.load %x[%o] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<128xf32>
  nautilus_vrtile.store %a, %x[%o] walk [0] : tensor<128xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

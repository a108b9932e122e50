// RUN: nautilus-opt %s --convert-nautilus-vrtile-to-matile --mlir-disable-threading --split-input-file -o /dev/null --remarks-filter='TensorCore|TMA' --verify-diagnostics
//
// Each rule that keeps a product off the tensor cores, or a copy from TMA, is named.

nautilus_vrtile.kernel @rows(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %o = nautilus_vrtile.origin [40 of 40]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<40x8xf32>
  // expected-remark @below {{its product runs on FMA units}}
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<40x16xf16>
  // expected-remark @below {{its product runs on FMA units}}
  %b = nautilus_vrtile.load %x[%c0, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x8xf16>
  // expected-remark @below {{its 40 rows cannot be spread evenly over 4 warps, 16 rows each}}
  %d = nautilus_vrtile.dot %a, %b, %zero : tensor<40x16xf16>, tensor<16x8xf16> -> tensor<40x8xf32>
  nautilus_vrtile.store %d, %y[%o, %c0] walk [0, 1] : tensor<40x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

nautilus_vrtile.kernel @columns(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %o = nautilus_vrtile.origin [64 of 64]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x12xf32>
  // expected-remark @below {{its product runs on FMA units}}
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<64x16xf16>
  // expected-remark @below {{its product runs on FMA units}}
  %b = nautilus_vrtile.load %x[%c0, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x12xf16>
  // expected-remark @below {{its 12 columns are not a multiple of 8 up to 256}}
  %d = nautilus_vrtile.dot %a, %b, %zero : tensor<64x16xf16>, tensor<16x12xf16> -> tensor<64x12xf32>
  nautilus_vrtile.store %d, %y[%o, %c0] walk [0, 1] : tensor<64x12xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

nautilus_vrtile.kernel @types(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %o = nautilus_vrtile.origin [64 of 64]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  // expected-remark @below {{its product runs on FMA units}}
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<64x16xf32>
  // expected-remark @below {{its product runs on FMA units}}
  %b = nautilus_vrtile.load %x[%c0, %c0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<16x8xf32>
  // expected-remark @below {{its operands are not 16-bit floats with an f32 accumulator}}
  %d = nautilus_vrtile.dot %a, %b, %zero : tensor<64x16xf32>, tensor<16x8xf32> -> tensor<64x8xf32>
  nautilus_vrtile.store %d, %y[%o, %c0] walk [0, 1] : tensor<64x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

// On tensor cores, but copied by threads: no host entry, a walk that turns, rows that end early.
nautilus_vrtile.kernel @unknown(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %o = nautilus_vrtile.origin [64 of 64]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  // expected-remark @below {{its tensor is not known to the host entry}}
  %a = nautilus_vrtile.load %x[%o, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<64x16xf16>
  // expected-remark @below {{its tensor is not known to the host entry}}
  %b = nautilus_vrtile.load %x[%c0, %c0] walk [0, 1] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x8xf16>
  %d = nautilus_vrtile.dot %a, %b, %zero : tensor<64x16xf16>, tensor<16x8xf16> -> tensor<64x8xf32>
  nautilus_vrtile.store %d, %y[%o, %c0] walk [0, 1] : tensor<64x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

nautilus_vrtile.kernel @mapped(%x: memref<?x?xf16, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>, %n: index) {
  %o = nautilus_vrtile.origin [64 of 64]
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  // expected-remark @below {{the tile's last dim is not the tensor's last}}
  %a = nautilus_vrtile.load %x[%c0, %o] walk [1, 0] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<64x16xf16>
  // expected-remark @below {{the tile ends before the tensor does}}
  %b = nautilus_vrtile.load %x[%c0, %c0] walk [0, 1] bounds [7, inside] : memref<?x?xf16, strided<[?, ?], offset: ?>> -> tensor<16x8xf16>
  %d = nautilus_vrtile.dot %a, %b, %zero : tensor<64x16xf16>, tensor<16x8xf16> -> tensor<64x8xf32>
  nautilus_vrtile.store %d, %y[%o, %c0] walk [0, 1] : tensor<64x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}
nautilus_host.entry @k dims [#nautilus_scalar.dim<"N", 64>, #nautilus_scalar.dim<"M", 8>] tensors [#nautilus_scalar.tensor<"X", [["N"], ["N"]]>, #nautilus_scalar.tensor<"Y", [["N"], ["M"]]>] types [tensor<64x64xf16>, tensor<64x8xf32>] results 1 {
  %x = nautilus_host.view "X" : memref<?x?xf16, strided<[?, ?], offset: ?>>
  %y = nautilus_host.view "Y" : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %n = nautilus_host.dim "N"
  %g = arith.constant 1 : i64
  nautilus_host.launch @mapped grid(%g) (%x, %y, %n) : (memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, i64)
}

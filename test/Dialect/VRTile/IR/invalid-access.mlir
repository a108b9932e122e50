// RUN: nautilus-opt %s --split-input-file --verify-diagnostics
//
// One case per numbered constraint of kernel, origin, load and store.

// kernel (C1)
// expected-error @below {{expected memref and index arguments, got 'i64'}}
nautilus_vrtile.kernel @k(%n: i64) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  nautilus_vrtile.return
}

// -----

// kernel (C2): none
// expected-error @below {{expected exactly one origin op at the top level of the body, got 0}}
nautilus_vrtile.kernel @k() {
  nautilus_vrtile.return
}

// -----

// kernel (C2): two
// expected-error @below {{expected exactly one origin op at the top level of the body, got 2}}
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %j0 = nautilus_vrtile.origin [4 of 16]
  nautilus_vrtile.return
}

// -----

// origin (C1)
nautilus_vrtile.kernel @k() {
  // expected-error @below {{expected one positive tile per axis}}
  %i0 = nautilus_vrtile.origin [0 of 16]
  nautilus_vrtile.return
}

// -----

// origin (C2)
nautilus_vrtile.kernel @k() {
  // expected-error @below {{expected 1 extent operands, got 0}}
  %i0 = "nautilus_vrtile.origin"() <{operandSegmentSizes = array<i32: 0, 0>, static_extents = array<i64: -9223372036854775808>, tiles = array<i64: 4>}> : () -> index
  nautilus_vrtile.return
}

// -----

// origin (C3)
nautilus_vrtile.kernel @k() {
  // expected-error @below {{expected one result per axis}}
  %i0:2 = "nautilus_vrtile.origin"() <{operandSegmentSizes = array<i32: 0, 0>, static_extents = array<i64: 16>, tiles = array<i64: 4>}> : () -> (index, index)
  nautilus_vrtile.return
}

// -----

// load (C1)
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected 2 indices, got 1}}
  %t = nautilus_vrtile.load %X[%i0] walk [0] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4xf32>
  nautilus_vrtile.return
}

// -----

// load (C2): as many as dims
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected walk to name 2 distinct dims of the memref}}
  %t = nautilus_vrtile.load %X[%i0, %i0] walk [0] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x4xf32>
  nautilus_vrtile.return
}

// -----

// load (C2): distinct
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected walk to name 2 distinct dims of the memref}}
  %t = nautilus_vrtile.load %X[%i0, %i0] walk [1, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x4xf32>
  nautilus_vrtile.return
}

// -----

// load (C2): inside the rank
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected walk to name 1 distinct dims of the memref}}
  %t = nautilus_vrtile.load %X[%i0, %i0] walk [2] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4xf32>
  nautilus_vrtile.return
}

// -----

// load (C3)
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected one bound per tile dim}}
  %t = nautilus_vrtile.load %X[%i0, %i0] walk [0, 1] bounds [7] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x4xf32>
  nautilus_vrtile.return
}

// -----

// load (C4): element types
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected element type 'f32', got 'f16'}}
  %t = nautilus_vrtile.load %X[%i0, %i0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x4xf16>
  nautilus_vrtile.return
}

// -----

// load (C4): padding
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected padding of type 'f32'}}
  %t = nautilus_vrtile.load %X[%i0, %i0] walk [0, 1] bounds [7, 7] padding 0.0 : f16 : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x4xf32>
  nautilus_vrtile.return
}

// -----

// store (C1)
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x4xf32>
  // expected-error @below {{expected 2 indices, got 1}}
  nautilus_vrtile.store %a, %X[%i0] walk [0, 1] : tensor<4x4xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

// store (C2)
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x4xf32>
  // expected-error @below {{expected walk to name 2 distinct dims of the memref}}
  nautilus_vrtile.store %a, %X[%i0, %i0] walk [0, 0] : tensor<4x4xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

// store (C3)
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x4xf32>
  // expected-error @below {{expected one bound per tile dim}}
  nautilus_vrtile.store %a, %X[%i0, %i0] walk [0, 1] bounds [7] : tensor<4x4xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// -----

// store (C4)
nautilus_vrtile.kernel @k(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %sh : f16 -> tensor<4x4xf16>
  // expected-error @below {{expected element type 'f32', got 'f16'}}
  nautilus_vrtile.store %a, %X[%i0, %i0] walk [0, 1] : tensor<4x4xf16>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// RUN: nautilus-opt %s --split-input-file --verify-diagnostics
//
// One case per numbered constraint of the ops that turn tiles into tiles.

// dot (C1): ranks
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %sh : f16 -> tensor<4xf16>
  %b = nautilus_vrtile.splat %sh : f16 -> tensor<4x4xf16>
  %c = nautilus_vrtile.splat %s : f32 -> tensor<4x4xf32>
  // expected-error @below {{expected tiles of rank 2}}
  %d = nautilus_vrtile.dot %a, %b, %c : tensor<4xf16>, tensor<4x4xf16> -> tensor<4x4xf32>
  nautilus_vrtile.return
}

// -----

// dot (C1): contraction
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %sh : f16 -> tensor<4x8xf16>
  %b = nautilus_vrtile.splat %sh : f16 -> tensor<4x16xf16>
  %c = nautilus_vrtile.splat %s : f32 -> tensor<4x16xf32>
  // expected-error @below {{expected extents that agree, got 4x8 times 4x16 into 4x16}}
  %d = nautilus_vrtile.dot %a, %b, %c : tensor<4x8xf16>, tensor<4x16xf16> -> tensor<4x16xf32>
  nautilus_vrtile.return
}

// -----

// dot (C1): a transposed factor
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %sh : f16 -> tensor<4x8xf16>
  %b = nautilus_vrtile.splat %sh : f16 -> tensor<8x16xf16>
  %c = nautilus_vrtile.splat %s : f32 -> tensor<8x16xf32>
  // expected-error @below {{expected extents that agree, got 8x4 times 8x16 into 8x16}}
  %d = nautilus_vrtile.dot %a transpose, %b, %c : tensor<4x8xf16>, tensor<8x16xf16> -> tensor<8x16xf32>
  nautilus_vrtile.return
}

// -----

// dot (C2): one type
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %sh : f16 -> tensor<4x8xf16>
  %b = nautilus_vrtile.splat %s : f32 -> tensor<8x16xf32>
  %c = nautilus_vrtile.splat %s : f32 -> tensor<4x16xf32>
  // expected-error @below {{expected operands of one float type, not wider than the accumulator's}}
  %d = nautilus_vrtile.dot %a, %b, %c : tensor<4x8xf16>, tensor<8x16xf32> -> tensor<4x16xf32>
  nautilus_vrtile.return
}

// -----

// dot (C2): width
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x8xf32>
  %b = nautilus_vrtile.splat %s : f32 -> tensor<8x16xf32>
  %c = nautilus_vrtile.splat %sh : f16 -> tensor<4x16xf16>
  // expected-error @below {{expected operands of one float type, not wider than the accumulator's}}
  %d = nautilus_vrtile.dot %a, %b, %c : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf16>
  nautilus_vrtile.return
}

// -----

// reduce (C1): dim
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x8xf32>
  // expected-error @below {{expected dim inside rank 2, got 2}}
  %r = nautilus_vrtile.reduce %a along 2 identity [0.0 : f32] : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_vrtile.yield %0 : f32
  }
  nautilus_vrtile.return
}

// -----

// reduce (C1): result
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x8xf32>
  // expected-error @below {{expected result 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %r = nautilus_vrtile.reduce %a along 1 identity [0.0 : f32] : tensor<4x8xf32> -> tensor<8xf32> {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_vrtile.yield %0 : f32
  }
  nautilus_vrtile.return
}

// -----

// reduce (C1): one result per input
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x8xf32>
  // expected-error @below {{expected as many results as inputs, at least one}}
  %r:2 = nautilus_vrtile.reduce %a along 1 identity [0.0 : f32] : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xf32> {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_vrtile.yield %0 : f32
  }
  nautilus_vrtile.return
}

// -----

// reduce (C2): combiner
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x8xf32>
  // expected-error @below {{expected a combiner over two element tuples that yields one}}
  %r = nautilus_vrtile.reduce %a along 1 identity [0.0 : f32] : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%l: f32):
    nautilus_vrtile.yield %l : f32
  }
  nautilus_vrtile.return
}

// -----

// reduce (C2): identities
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x8xf32>
  // expected-error @below {{expected one identity per input, of its element type}}
  %r = nautilus_vrtile.reduce %a along 1 identity [0.0 : f16] : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_vrtile.yield %0 : f32
  }
  nautilus_vrtile.return
}

// -----

// broadcast (C1): one entry per dim
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{expected one entry of dims per operand dim}}
  %r = nautilus_vrtile.broadcast %a to [0, 1] : tensor<4xf32> -> tensor<4x8xf32>
  nautilus_vrtile.return
}

// -----

// broadcast (C1): increasing
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x4xf32>
  // expected-error @below {{expected increasing dims inside rank 3}}
  %r = nautilus_vrtile.broadcast %a to [1, 0] : tensor<4x4xf32> -> tensor<4x4x8xf32>
  nautilus_vrtile.return
}

// -----

// broadcast (C2)
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{expected extent 8 of operand dim 0, got 4}}
  %r = nautilus_vrtile.broadcast %a to [1] : tensor<4xf32> -> tensor<4x8xf32>
  nautilus_vrtile.return
}

// -----

// broadcast (C3)
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4xf32>
  // expected-error @below {{expected equal element types}}
  %r = nautilus_vrtile.broadcast %a to [0] : tensor<4xf32> -> tensor<4x8xf16>
  nautilus_vrtile.return
}

// -----

// transpose: a permutation
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x4xf32>
  // expected-error @below {{expected result dim 1 to be operand dim permutation[1]}}
  %r = nautilus_vrtile.transpose %a [0, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  nautilus_vrtile.return
}

// -----

// transpose: rank and elements
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  %a = nautilus_vrtile.splat %s : f32 -> tensor<4x8xf32>
  // expected-error @below {{expected a permutation of the operand's dims and an equal element type}}
  %r = nautilus_vrtile.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf16>
  nautilus_vrtile.return
}

// -----

// iota (C1): elements
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected integer elements, got 'f32'}}
  %r = nautilus_vrtile.iota %i0 along 0 : tensor<4xf32>
  nautilus_vrtile.return
}

// -----

// iota (C1): dim
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  // expected-error @below {{expected dim inside rank 1}}
  %r = nautilus_vrtile.iota %i0 along 1 : tensor<4xindex>
  nautilus_vrtile.return
}

// -----

// splat: element type
nautilus_vrtile.kernel @k() {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %s = arith.constant 0.0 : f32
  %sh = arith.constant 0.0 : f16
  // expected-error @below {{expected a tile of 'f32', got 'tensor<4xf16>'}}
  %r = nautilus_vrtile.splat %s : f32 -> tensor<4xf16>
  nautilus_vrtile.return
}

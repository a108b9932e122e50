// RUN: nautilus-opt %s --split-input-file --verify-diagnostics
//
// One case per numbered constraint of each op of math form.

// kernel (C1)
// expected-error @below {{expected distinct dim names, got "M" twice}}
nautilus_scalar.kernel @k dims [M, M] () -> () {
  nautilus_scalar.return
}

// -----

// kernel (C2)
// expected-error @below {{expected declared dims for "X", got "P"}}
nautilus_scalar.kernel @k dims [M] (%X = X[M*P] : tensor<?x?xf32>) -> () {
  nautilus_scalar.return
}

// -----

// kernel (C3): rank
// expected-error @below {{expected a ranked tensor of rank 2 for "X" (one dim per factor), got 'tensor<?xf32>'}}
nautilus_scalar.kernel @k dims [M, N] (%X = X[M*N] : tensor<?xf32>) -> () {
  nautilus_scalar.return
}

// -----

// kernel (C3): static extent
// expected-error @below {{expected extent 7 of "X" along "M", got 'tensor<?xf32>'}}
nautilus_scalar.kernel @k dims [M = 7] (%X = X[M] : tensor<?xf32>) -> () {
  nautilus_scalar.return
}

// -----

// kernel (C3): dynamic extent
// expected-error @below {{expected extent ? of "X" along "M", got 'tensor<8xf32>'}}
nautilus_scalar.kernel @k dims [M] (%X = X[M] : tensor<8xf32>) -> () {
  nautilus_scalar.return
}

// -----

// kernel (C4)
// expected-error @below {{expected distinct tensor names, got "X" twice}}
nautilus_scalar.kernel @k dims [M] (%X = X[M] : tensor<?xf32>) -> (X[M] : tensor<?xf32>) {
  nautilus_scalar.return %X : tensor<?xf32>
}

// -----

// kernel (C5)
nautilus_scalar.kernel @k dims [M] (%X = X[M] : tensor<?xf32>) -> (Y[M] : tensor<?xf16>) {
  // expected-error @below {{expected ('tensor<?xf16>') as the kernel declares, got ('tensor<?xf32>')}}
  nautilus_scalar.return %X : tensor<?xf32>
}

// -----

// kernel (C5): terminator
// expected-error @below {{expected the body to end in nautilus_scalar.return}}
nautilus_scalar.kernel @k dims [M] () -> () {
  nautilus_scalar.yield
}

// -----

// map (C1): count
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected one indexing map per input (1), got 0}}
  %0 = "nautilus_scalar.map"(%X) <{name = "Y", axes = [#nautilus_scalar.axis<"i", "M">], origin_axes = array<i1: false>, indexing_maps = [], operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: f32):
    nautilus_scalar.yield %x : f32
  }) : (tensor<?x?xf32>) -> tensor<?xf32>
  nautilus_scalar.return
}

// -----

// map (C1): rank
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected 2 subscripts of input 0 (its rank), got 1}}
  %0 = nautilus_scalar.map "Y" [i: M] (%x = %X[i] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return
}

// -----

// map (C1): axes of the map
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected a map over 1 axes without symbols for input 0, got affine_map<(d0, d1) -> (d0, d1)>}}
  %0 = "nautilus_scalar.map"(%X) <{name = "Y", axes = [#nautilus_scalar.axis<"i", "M">], origin_axes = array<i1: false>, indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: f32):
    nautilus_scalar.yield %x : f32
  }) : (tensor<?x?xf32>) -> tensor<?xf32>
  nautilus_scalar.return
}

// -----

// map (C2): names
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected distinct axis names, got "i" twice}}
  %0 = nautilus_scalar.map "Y" [i: M, i: N] (%x = %X[i, i] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return
}

// -----

// map (C2): dims
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected a dim that the kernel declares for axis "j", got "P"}}
  %0 = nautilus_scalar.map "Y" [i: M, j: P] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return
}

// -----

// map (C3): rank
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected rank 2 of the result (one dim per axis), got 'tensor<?xf32>'}}
  %0 = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return
}

// -----

// map (C3): extent
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected extent 8 of the result along axis "j", got ?}}
  %0 = nautilus_scalar.map "Y" [i: M, j: N tile 8] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return
}

// -----

// map (C4): tile
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a tile for axis "i", which has an origin, got a whole dim}}
  %0 = nautilus_scalar.map "Y" [i: M at %c0, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return
}

// -----

// map (C4): count
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected one origin per set bit of origin_axes (1), got 0}}
  %0 = "nautilus_scalar.map"() <{name = "Y", axes = [#nautilus_scalar.axis<"i", "M", 4>], origin_axes = array<i1: true>, indexing_maps = [], operandSegmentSizes = array<i32: 0, 0>}> ({
    %x = arith.constant 0.0 : f32
    nautilus_scalar.yield %x : f32
  }) : () -> tensor<4xf32>
  nautilus_scalar.return
}

// -----

// map (C5): arguments
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected the body to have arguments ('f32'), got ('f16')}}
  %0 = "nautilus_scalar.map"(%X) <{name = "Y", axes = [#nautilus_scalar.axis<"i", "M">], origin_axes = array<i1: false>, indexing_maps = [affine_map<(d0) -> (d0, d0)>], operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: f16):
    nautilus_scalar.yield %x : f16
  }) : (tensor<?x?xf32>) -> tensor<?xf16>
  nautilus_scalar.return
}

// -----

// map (C5): yield
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected the body to yield ('f16'), got ('f32')}}
  %0 = nautilus_scalar.map "Y" [i: M, j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf16> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C1)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected 2 subscripts of input 0 (its rank), got 3}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N] (%x = %X[i, j, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C2): names
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected distinct axis names, got "i" twice}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [i: N] (%x = %X[i, i] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C2): no reduction axis
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected at least one reduction axis, got none}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [] (%x = %X[i, i] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C3)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected rank 1 of a result (one dim per axis), got 'tensor<?x?xf32>'}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?x?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C4)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a tile for axis "j", which has an origin, got a whole dim}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N at %c0] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C5)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected the body to yield ('f32'), got ('f32', 'f32')}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x, %x : f32, f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C6): arguments
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected the combiner to have arguments ('f32', 'f32'), got ('f32')}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32):
    nautilus_scalar.yield %l : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C6): yield
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected the combiner to yield ('f32'), got ('f32', 'f32')}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    nautilus_scalar.yield %l, %r : f32, f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C6): identity
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected an identity of type 'f32', got 0.000000e+00 : f16}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f16] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C6): number of identities
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected one identity per result (1), got 2}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32, 0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// reduce (C7)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected inits of the results' types ('tensor<?xf32>'), got ('tensor<?x?xf32>')}}
  %0 = nautilus_scalar.reduce "Y" [i: M] over [j: N] (%x = %X[i, j] : tensor<?x?xf32>) init(%X : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  } combine identity [0.0 : f32] {
  ^bb0(%l: f32, %r: f32):
    %0 = arith.addf %l, %r : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return
}

// -----

// index (C1): axis
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  %0 = nautilus_scalar.map "Y" [i: M] () -> tensor<?xindex> {
    // expected-error @below {{expected an axis of the enclosing statement, got "k"}}
    %x = nautilus_scalar.index "k"
    nautilus_scalar.yield %x : index
  }
  nautilus_scalar.return
}

// -----

// index (C1): place
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected to stand in the body of a statement}}
  %0 = nautilus_scalar.index "i"
  nautilus_scalar.return
}

// -----

// dim (C1)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected a dim that the kernel declares, got "P"}}
  %0 = nautilus_scalar.dim "P"
  nautilus_scalar.return
}

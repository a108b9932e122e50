// What the conversion refuses, one error each.
//
// RUN: nautilus-opt %s --convert-nautilus-scalar-to-vrtile --split-input-file --verify-diagnostics

// A subscript with a stride.
nautilus_scalar.kernel @strided dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    // expected-error @+1 {{expected subscript 0 of input 0 to be a tile axis plus an offset (rule: a tile walks a dim with stride 1), got 'd0 * 2'}}
    %y = nautilus_scalar.map "Y" [i: M tile 4 at %i0] (%x = %X[i * 2, 0] : tensor<?x?xf32>) -> tensor<4xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.assemble %y [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// -----

// A quotient of a tile axis.
nautilus_scalar.kernel @divided dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    // expected-error @+1 {{expected subscript 0 of input 0 to be a tile axis plus an offset}}
    %y = nautilus_scalar.map "Y" [i: M tile 4 at %i0] (%x = %X[i floordiv 2, 0] : tensor<?x?xf32>) -> tensor<4xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.assemble %y [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// -----

// A remainder that a tile may wrap around.
nautilus_scalar.kernel @wraps dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    // expected-error @+1 {{expected subscript 0 of input 0 to be a tile axis plus an offset}}
    %y = nautilus_scalar.map "Y" [i: M tile 4 at %i0] (%x = %X[(i + 2) mod 8, 0] : tensor<?x?xf32>) -> tensor<4xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.assemble %y [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// -----

// A diagonal.
nautilus_scalar.kernel @diagonal dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    // expected-error @+1 {{expected a tile axis in one subscript of input 0 only (rule: a tile has no diagonals), got 'd0' as subscript 1}}
    %y = nautilus_scalar.map "Y" [i: M tile 4 at %i0] (%x = %X[i, i] : tensor<?x?xf32>) -> tensor<4xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.assemble %y [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// -----

// One column of a tile value.
nautilus_scalar.kernel @column dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    %t = nautilus_scalar.map "T" [i: M tile 4 at %i0, n: N tile 8] (%x = %X[i, n] : tensor<?x?xf32>) -> tensor<4x8xf32> {
      nautilus_scalar.yield %x : f32
    }
    // expected-error @+1 {{expected subscript 1 of input 0 to walk all 8 points of the tile's dim (rule: a tile value is read whole), got '3'}}
    %y = nautilus_scalar.map "Y" [i: M tile 4 at %i0] (%x = %t[i, 3] : tensor<4x8xf32>) -> tensor<4xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.assemble %y [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// -----

// Statements outside of grids.
nautilus_scalar.kernel @math dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  // expected-error @+1 {{expected to stand in a grid (rule: the schedule has been applied)}}
  %Y = nautilus_scalar.map "Y" [i: M] (%x = %X[i, 0] : tensor<?x?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// -----

// An argument as result.
nautilus_scalar.kernel @argument dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M, N] : tensor<?x?xf32>) {
  // expected-error @+1 {{expected result "Y" to be made by a grid (rule: loop form only), got an argument}}
  nautilus_scalar.return %X : tensor<?x?xf32>
}

// -----

// A whole axis of a dynamic dim.
nautilus_scalar.kernel @whole dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    // expected-error @+1 {{expected a tile of axis "n" (rule: below a grid every axis of a dynamic dim has a tile), got all of "N"}}
    %y = nautilus_scalar.reduce "Y" [i: M tile 4 at %i0] over [n: N] (%x = %X[i, n] : tensor<?x?xf32>) -> tensor<4xf32> {
      nautilus_scalar.yield %x : f32
    } combine identity [0.0 : f32] {
    ^bb0(%l: f32, %r: f32):
      %0 = arith.addf %l, %r : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %y [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// -----

// An axis of one point that may leave its dim cannot have bounds.
nautilus_scalar.kernel @point dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M, N] : tensor<?x?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?x?xf32> {
    // expected-error @+1 {{expected the origin of axis "n" to be that of a whole loop over its dim (rule: an axis of one point is read without bounds)}}
    %y = nautilus_scalar.map "Y" [i: M tile 4 at %i0, n: N tile 1 at %i0] (%x = %X[i, n] : tensor<?x?xf32>) -> tensor<4x1xf32> {
      nautilus_scalar.yield %x : f32
    }
    nautilus_scalar.assemble %y [i: M, n: N] : tensor<4x1xf32>
  }
  nautilus_scalar.return %Y : tensor<?x?xf32>
}

// -----

// A tile that cannot cover its dim.
nautilus_scalar.kernel @uncovered dims [M, N = 9] (%X = X[M, N] : tensor<?x9xf32>) -> (Y[M, N] : tensor<?x9xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?x9xf32> {
    %y = nautilus_scalar.fill 0.0 : f32 : tensor<4x8xf32>
    // expected-error @+1 {{expected the tile of axis "n" to cover dim "N", got 8}}
    nautilus_scalar.assemble %y [i: M, n: N] : tensor<4x8xf32>
  }
  nautilus_scalar.return %Y : tensor<?x9xf32>
}

// -----

// A body with control flow.
nautilus_scalar.kernel @branch dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    %y = nautilus_scalar.map "Y" [i: M tile 4 at %i0] (%x = %X[i, 0] : tensor<?x?xf32>) -> tensor<4xf32> {
      %true = arith.constant true
      // expected-error @+1 {{expected an elementwise op of arith or math in a statement body, got 'scf.if'}}
      %0 = scf.if %true -> f32 {
        scf.yield %x : f32
      } else {
        scf.yield %x : f32
      }
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %y [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// -----

// An op that has no business in a grid.
nautilus_scalar.kernel @foreign dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> (Y[M] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    // expected-error @+1 {{expected a statement, a loop or index arithmetic in a grid, got 'tensor.empty'}}
    %y = tensor.empty() : tensor<4xf32>
    nautilus_scalar.assemble %y [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

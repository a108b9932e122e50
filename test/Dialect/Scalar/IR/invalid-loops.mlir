// RUN: nautilus-opt %s --split-input-file --verify-diagnostics
//
// One case per numbered constraint of each op of loop form.

// grid (C1): tile
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected a tile > 0 for loop axis "i", got a whole dim}}
  %0 = nautilus_scalar.grid (%i0) = [i: M] -> tensor<?x?xf32> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4x8xf32>
    nautilus_scalar.assemble %t [i: M, j: N] : tensor<4x8xf32>
  }
  nautilus_scalar.return
}

// -----

// grid (C1): dims
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected a dim that the kernel declares for axis "i", got "P"}}
  %0 = nautilus_scalar.grid (%i0) = [i: P tile 4] -> tensor<?x?xf32> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4x8xf32>
    nautilus_scalar.assemble %t [i: M, j: N] : tensor<4x8xf32>
  }
  nautilus_scalar.return
}

// -----

// grid (C2)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected the body to have arguments ('index', 'index'), got ('index')}}
  %0 = nautilus_scalar.grid (%i0) = [i: M tile 4, j: N tile 8] -> tensor<?x?xf32> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4x8xf32>
    nautilus_scalar.assemble %t [i: M, j: N] : tensor<4x8xf32>
  }
  nautilus_scalar.return
}

// -----

// grid (C3)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected assemble to name grid axis #nautilus_scalar.axis<"j", "N", 8> in every result}}
  %0 = nautilus_scalar.grid (%i0, %j0) = [i: M tile 4, j: N tile 8] -> tensor<?xf32> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    nautilus_scalar.assemble %t [i: M] : tensor<4xf32>
  }
  nautilus_scalar.return
}

// -----

// grid (C4): extent
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected extent ? of a result along axis "i", got 4}}
  %0 = nautilus_scalar.grid (%i0, %j0) = [i: M tile 4, j: N tile 8] -> tensor<4x8xf32> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4x8xf32>
    nautilus_scalar.assemble %t [i: M, j: N] : tensor<4x8xf32>
  }
  nautilus_scalar.return
}

// -----

// grid (C4): element type
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected element type 'f32' of a result, got 'tensor<?x?xf16>'}}
  %0 = nautilus_scalar.grid (%i0, %j0) = [i: M tile 4, j: N tile 8] -> tensor<?x?xf16> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4x8xf32>
    nautilus_scalar.assemble %t [i: M, j: N] : tensor<4x8xf32>
  }
  nautilus_scalar.return
}

// -----

// grid: number of results
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected one assembled tile per result (2), got 1}}
  %0:2 = nautilus_scalar.grid (%i0, %j0) = [i: M tile 4, j: N tile 8] -> (tensor<?x?xf32>, tensor<?x?xf32>) {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4x8xf32>
    nautilus_scalar.assemble %t [i: M, j: N] : tensor<4x8xf32>
  }
  nautilus_scalar.return
}

// -----

// assemble (C1): tile
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  %0 = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    // expected-error @below {{expected tile 4 of axis "i", got 8}}
    nautilus_scalar.assemble %t [i: M tile 8] : tensor<4xf32>
  }
  nautilus_scalar.return
}

// -----

// assemble (C1): rank
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  %0 = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?xf32> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    // expected-error @below {{expected one axis per dim of 'tensor<4xf32>', got 2}}
    nautilus_scalar.assemble %t [i: M, j: N tile 1] : tensor<4xf32>
  }
  nautilus_scalar.return
}

// -----

// assemble (C2)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  %0 = nautilus_scalar.grid (%i0) = [i: M tile 4] -> tensor<?x?xf32> {
    %t = nautilus_scalar.fill 0.0 : f32 : tensor<4x4xf32>
    // expected-error @below {{expected distinct axis names, got "i" twice}}
    nautilus_scalar.assemble %t [i: M, i: M] : tensor<4x4xf32>
  }
  nautilus_scalar.return
}

// -----

// for (C1)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected a tile > 0 for loop axis "k", got a whole dim}}
  nautilus_scalar.for %k0 = [k: N] {
    nautilus_scalar.yield
  }
  nautilus_scalar.return
}

// -----

// for (C1): one axis
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected one axis, got 2}}
  nautilus_scalar.for %k0 = [k: N tile 4, i: M tile 4] {
    nautilus_scalar.yield
  }
  nautilus_scalar.return
}

// -----

// for (C2)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected the body to yield ('tensor<?x?xf32>'), got ()}}
  %0 = nautilus_scalar.for %k0 = [k: N tile 4] iter (%c = %X : tensor<?x?xf32>) {
    nautilus_scalar.yield
  }
  nautilus_scalar.return
}

// -----

// fill (C1)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected a static shape, got 'tensor<?xf32>'}}
  %0 = nautilus_scalar.fill 0.0 : f32 : tensor<?xf32>
  nautilus_scalar.return
}

// -----

// fill (C2)
nautilus_scalar.kernel @k dims [M, N] (%X = X[M, N] : tensor<?x?xf32>) -> () {
  // expected-error @below {{expected a value of type 'f32', got 'f16'}}
  %0 = nautilus_scalar.fill 0.0 : f16 : tensor<4xf32>
  nautilus_scalar.return
}

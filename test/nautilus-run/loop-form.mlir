// A kernel in loop form against one in math form, and one that is wrong at the tail only.
//
// RUN: nautilus-run %s --entry tiled --reference plain --dims N=11 | FileCheck %s --check-prefix=GOOD
// RUN: nautilus-run %s --entry wrong --reference plain --dims N=8 | FileCheck %s --check-prefix=GOOD
// RUN: not nautilus-run %s --entry wrong --reference plain --dims N=11 | FileCheck %s --check-prefix=BAD
// GOOD: Y: max_abs 0, rel_l2 0, tolerance 1e-10
// GOOD-NEXT: PASS
// BAD: Y: max_abs 0, rel_l2 0, tolerance 1e-10, 3 differ in NaN or infinity, first at [8]: got nan, expected {{.*}} <- wrong
// BAD-NEXT: FAIL

nautilus_scalar.kernel @plain dims [N] (%X = X[N] : tensor<?xf32>) -> (Y[N] : tensor<?xf32>) {
  %Y = nautilus_scalar.map "Y" [i: N] (%x = %X[i] : tensor<?xf32>) -> tensor<?xf32> {
    %0 = arith.addf %x, %x : f32
    nautilus_scalar.yield %0 : f32
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

nautilus_scalar.kernel @tiled dims [N] (%X = X[N] : tensor<?xf32>) -> (Y[N] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?xf32> {
    %y = nautilus_scalar.map "Y" [i: N tile 4 at %i0] (%x = %X[i] : tensor<?xf32>) -> tensor<4xf32> {
      %0 = arith.addf %x, %x : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %y [i: N] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

// The last tile starts at the end of the dim, so that nothing is computed and poison is assembled.
nautilus_scalar.kernel @wrong dims [N] (%X = X[N] : tensor<?xf32>) -> (Y[N] : tensor<?xf32>) {
  %Y = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?xf32> {
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %isTail = arith.cmpi sge, %i0, %c8 : index
    %N = nautilus_scalar.dim "N"
    %o = arith.select %isTail, %N, %i0 : index
    %y = nautilus_scalar.map "Y" [i: N tile 4 at %o] (%x = %X[i] : tensor<?xf32>) -> tensor<4xf32> {
      %0 = arith.addf %x, %x : f32
      nautilus_scalar.yield %0 : f32
    }
    nautilus_scalar.assemble %y [i: N] : tensor<4xf32>
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

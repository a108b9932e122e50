// What a user may get wrong: exit code 2 for usage, 3 for the environment, 1 for the program.
//
// RUN: not nautilus-run %s 2>&1 | FileCheck %s --check-prefix=NODIM
// NODIM: error: expected an extent of dim 'N' in --dims
// RUN: not nautilus-run %s --dims N=3,Q=1 2>&1 | FileCheck %s --check-prefix=BADDIM
// BADDIM: error: expected dims of @shift, got 'Q'
// RUN: not nautilus-run %s --dims N=x 2>&1 | FileCheck %s --check-prefix=BADTEXT
// BADTEXT: error: expected --dims NAME=EXTENT,..., got 'N=x'
// RUN: not nautilus-run %s --entry nothing --dims N=3 2>&1 | FileCheck %s --check-prefix=NOENTRY
// NOENTRY: error: expected a nautilus_scalar.kernel named 'nothing'
// RUN: bash -c 'nautilus-run %s.absent 2>&1; echo code $?' | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: cannot open input file
// ABSENT-NEXT: code 3
// RUN: bash -c 'nautilus-run %s --level=none 2>&1; echo code $?' | FileCheck %s --check-prefix=LEVEL
// LEVEL: Cannot find option named 'none'
// LEVEL: code 2
// RUN: bash -c 'nautilus-run %s --dims N=3 2>&1; echo code $?' | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: usage.mlir:[[@LINE+6]]:8: error: expected subscript 0 of input 0 inside [0, 3), got 3
// BOUNDS: code 1
// RUN: nautilus-run %s --dims N=0 | FileCheck %s --check-prefix=EMPTY
// EMPTY: PASS

nautilus_scalar.kernel @shift dims [N] (%X = X[N] : tensor<?xf32>) -> (Y[N] : tensor<?xf32>) {
  %Y = nautilus_scalar.map "Y" [i: N] (%x = %X[i + 1] : tensor<?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  }
  nautilus_scalar.return %Y : tensor<?xf32>
}

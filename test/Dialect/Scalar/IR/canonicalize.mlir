// RUN: nautilus-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: nautilus_scalar.kernel @dims
nautilus_scalar.kernel @dims dims [M = 7, N] () -> (Y[N] : tensor<?xindex>) {
  // CHECK: nautilus_scalar.map
  %Y = nautilus_scalar.map "Y" [i: N] () -> tensor<?xindex> {
    // The extent of a static dim is a constant; that of a dynamic one stays.
    // CHECK: %[[C:.*]] = arith.constant 7 : index
    // CHECK: %[[N:.*]] = nautilus_scalar.dim "N"
    // CHECK: arith.addi %[[N]], %[[C]]
    %0 = nautilus_scalar.dim "M"
    %1 = nautilus_scalar.dim "N"
    %2 = arith.addi %0, %1 : index
    nautilus_scalar.yield %2 : index
  }
  nautilus_scalar.return %Y : tensor<?xindex>
}

// Statements and loops have no side effects, so unused ones go.
// CHECK-LABEL: nautilus_scalar.kernel @unused
nautilus_scalar.kernel @unused dims [N] (%X = X[N] : tensor<?xf32>) -> (Y[N] : tensor<?xf32>) {
  // CHECK-NEXT: nautilus_scalar.return %X
  %0 = nautilus_scalar.map "Y" [i: N] (%x = %X[i] : tensor<?xf32>) -> tensor<?xf32> {
    nautilus_scalar.yield %x : f32
  }
  %1 = nautilus_scalar.grid (%i0) = [i: N tile 4] -> tensor<?xf32> {
    %2 = nautilus_scalar.fill 0.0 : f32 : tensor<4xf32>
    %3 = nautilus_scalar.for %j0 = [j: N tile 4] iter (%c = %2 : tensor<4xf32>) {
      nautilus_scalar.yield %c : tensor<4xf32>
    }
    nautilus_scalar.assemble %3 [i: N] : tensor<4xf32>
  }
  nautilus_scalar.return %X : tensor<?xf32>
}

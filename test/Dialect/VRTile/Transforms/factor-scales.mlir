// Positive constant scales leave masks, maxima and minima.
//
// RUN: nautilus-opt %s --pass-pipeline='builtin.module(nautilus_vrtile.kernel(nautilus-vrtile-factor-scales))' --mlir-disable-threading --remarks-filter=Algebra --verify-diagnostics | FileCheck %s

// Through the mask and the maximum: the scale is a row's.
// CHECK-LABEL: @maximum
// CHECK-DAG:     %[[c:.*]] = arith.constant dense<2.500000e-01> : tensor<8xf32>
// CHECK-DAG:     %[[x:.*]] = nautilus_vrtile.load {{.*}} -> tensor<8x16xf32>
// CHECK:         %[[s:.*]] = arith.select %{{.*}}, %[[x]], %{{.*}} : tensor<8x16xi1>, tensor<8x16xf32>
// CHECK:         %[[m:.*]] = nautilus_vrtile.reduce %[[s]] along 1
// CHECK:         arith.mulf %[[m]], %[[c]] : tensor<8xf32>
nautilus_vrtile.kernel @maximum(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
  %n = arith.constant dense<50> : tensor<8x16xindex>
  %in = arith.cmpi slt, %j, %n : tensor<8x16xindex>
  %ninf = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %c = arith.constant dense<0.25> : tensor<8x16xf32>
  %sx = arith.mulf %x, %c : tensor<8x16xf32>
  %s = arith.select %in, %sx, %ninf : tensor<8x16xi1>, tensor<8x16xf32>
  %y = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
  ^bb0(%lhs: f32, %rhs: f32):
    %best = arith.maximumf %lhs, %rhs : f32
    nautilus_vrtile.yield %best : f32
  }
  nautilus_vrtile.store %y, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// A division as well.
// CHECK-LABEL: @divided
// CHECK:         nautilus_vrtile.reduce %{{.*}} along 1
// CHECK:         arith.divf %{{.*}}, %{{.*}} : tensor<8xf32>
nautilus_vrtile.kernel @divided(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %c = arith.constant dense<3.0> : tensor<8x16xf32>
  %s = arith.divf %x, %c : tensor<8x16xf32>
  %y = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
  ^bb0(%lhs: f32, %rhs: f32):
    %best = arith.maximumf %lhs, %rhs : f32
    nautilus_vrtile.yield %best : f32
  }
  nautilus_vrtile.store %y, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// Another use keeps the scaled tile, so that moving the scale would add an op.
// CHECK-LABEL: @used
// CHECK:         %[[s:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<8x16xf32>
// CHECK:         nautilus_vrtile.reduce %[[s]] along 1
nautilus_vrtile.kernel @used(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %c = arith.constant dense<0.25> : tensor<8x16xf32>
  %s = arith.mulf %x, %c : tensor<8x16xf32>
  nautilus_vrtile.store %s, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  %y = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
  ^bb0(%lhs: f32, %rhs: f32):
    %best = arith.maximumf %lhs, %rhs : f32
    nautilus_vrtile.yield %best : f32
  }
  nautilus_vrtile.store %y, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// A negative scale turns a maximum into a minimum.
// CHECK-LABEL: @negative
// CHECK:         %[[s:.*]] = arith.mulf
// CHECK:         nautilus_vrtile.reduce %[[s]] along 1
nautilus_vrtile.kernel @negative(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %c = arith.constant dense<-0.25> : tensor<8x16xf32>
  %s = arith.mulf %x, %c : tensor<8x16xf32>
  // expected-remark @+1 {{the scale stays inside the extreme: expected a positive finite constant}}
  %y = nautilus_vrtile.reduce %s along 1 identity [0xFF800000 : f32] : tensor<8x16xf32> -> tensor<8xf32> {
  ^bb0(%lhs: f32, %rhs: f32):
    %best = arith.maximumf %lhs, %rhs : f32
    nautilus_vrtile.yield %best : f32
  }
  nautilus_vrtile.store %y, %R[%i0] walk [0] : tensor<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  nautilus_vrtile.return
}

// Zero times a scale is zero, but one is not.
// CHECK-LABEL: @one
// CHECK:         arith.mulf
// CHECK:         arith.select
nautilus_vrtile.kernel @one(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %R: memref<?xf32, strided<[?], offset: ?>>, %Y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %i0, %j0 = nautilus_vrtile.origin [8 of 64, 16 of 64]
  %x = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x16xf32>
  %r = nautilus_vrtile.load %R[%i0] walk [0] : memref<?xf32, strided<[?], offset: ?>> -> tensor<8xf32>
  %j = nautilus_vrtile.iota %j0 along 1 : tensor<8x16xindex>
  %n = arith.constant dense<50> : tensor<8x16xindex>
  %in = arith.cmpi slt, %j, %n : tensor<8x16xindex>
  %c = arith.constant dense<0.25> : tensor<8x16xf32>
  %one = arith.constant dense<1.0> : tensor<8x16xf32>
  %s = arith.mulf %x, %c : tensor<8x16xf32>
  %y = arith.select %in, %s, %one : tensor<8x16xi1>, tensor<8x16xf32>
  nautilus_vrtile.store %y, %Y[%i0, %j0] walk [0, 1] : tensor<8x16xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.return
}

// Each op as text and back.
//
// RUN: nautilus-opt %s | nautilus-opt | FileCheck %s
// RUN: nautilus-opt %s --mlir-print-op-generic | nautilus-opt | FileCheck %s

// CHECK-LABEL: nautilus_vrtile.kernel @access(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[N:.*]]: index) attributes {test.note}
nautilus_vrtile.kernel @access(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %N: index) attributes {test.note} {
  // CHECK: %[[O:.*]]:2 = nautilus_vrtile.origin [4 of %[[N]], 8 of 64]
  %i0, %j0 = nautilus_vrtile.origin [4 of %N, 8 of 64]
  // CHECK: nautilus_vrtile.load %[[X]][%[[O]]#0, %[[O]]#1] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x8xf32>
  %a = nautilus_vrtile.load %X[%i0, %j0] walk [0, 1] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<4x8xf32>
  // CHECK: nautilus_vrtile.load %[[X]][%[[O]]#0, %[[O]]#1] walk [1, 0] bounds [inside, %[[N]]] padding 1.000000e+00 : f32 : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x4xf32>
  %b = nautilus_vrtile.load %X[%i0, %j0] walk [1, 0] bounds [inside, %N] padding 1.0 : f32 : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<8x4xf32>
  // CHECK: nautilus_vrtile.load %[[X]][%[[O]]#0, %[[O]]#1] walk [] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<f32>
  %c = nautilus_vrtile.load %X[%i0, %j0] walk [] : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<f32>
  // CHECK: nautilus_vrtile.store %{{.*}}, %[[X]][%[[O]]#0, %[[O]]#1] walk [0, 1] bounds [%[[N]], 64] : tensor<4x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  nautilus_vrtile.store %a, %X[%i0, %j0] walk [0, 1] bounds [%N, 64] : tensor<4x8xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  // CHECK: nautilus_vrtile.return
  nautilus_vrtile.return
}

// A grid without axes, and a block number that is given.
// CHECK-LABEL: nautilus_vrtile.kernel @point()
nautilus_vrtile.kernel @point() {
  // CHECK: nautilus_vrtile.origin []
  nautilus_vrtile.origin []
  nautilus_vrtile.return
}

// CHECK-LABEL: nautilus_vrtile.kernel @numbered(
nautilus_vrtile.kernel @numbered(%b: index) {
  // CHECK: nautilus_vrtile.origin [4 of 16] block %{{.*}}
  %i0 = nautilus_vrtile.origin [4 of 16] block %b
  nautilus_vrtile.return
}

// CHECK-LABEL: nautilus_vrtile.kernel @tiles(
nautilus_vrtile.kernel @tiles(%X: memref<?x?xf32, strided<[?, ?], offset: ?>>, %s: index) {
  %i0 = nautilus_vrtile.origin [4 of 16]
  %h = arith.constant 0.5 : f16
  %f = arith.constant 0.0 : f32
  // CHECK: nautilus_vrtile.splat %{{.*}} : f16 -> tensor<4x8xf16>
  %a = nautilus_vrtile.splat %h : f16 -> tensor<4x8xf16>
  %b = nautilus_vrtile.splat %h : f16 -> tensor<16x8xf16>
  %c = nautilus_vrtile.splat %f : f32 -> tensor<4x16xf32>
  // CHECK: nautilus_vrtile.dot %{{.*}}, %{{.*}} transpose, %{{.*}} : tensor<4x8xf16>, tensor<16x8xf16> -> tensor<4x16xf32>
  %d = nautilus_vrtile.dot %a, %b transpose, %c : tensor<4x8xf16>, tensor<16x8xf16> -> tensor<4x16xf32>
  // CHECK: nautilus_vrtile.iota %{{.*}} along 1 : tensor<4x16xi32>
  %n = nautilus_vrtile.iota %i0 along 1 : tensor<4x16xi32>
  // CHECK: nautilus_vrtile.reduce %{{.*}}, %{{.*}} along 1 identity [0xFF800000 : f32, 0 : i32] : tensor<4x16xf32>, tensor<4x16xi32> -> tensor<4xf32>, tensor<4xi32> {
  %v, %m = nautilus_vrtile.reduce %d, %n along 1 identity [0xFF800000 : f32, 0 : i32] : tensor<4x16xf32>, tensor<4x16xi32> -> tensor<4xf32>, tensor<4xi32> {
  ^bb0(%lv: f32, %ln: i32, %rv: f32, %rn: i32):
    %left = arith.cmpf ogt, %lv, %rv : f32
    %0 = arith.select %left, %lv, %rv : f32
    %1 = arith.select %left, %ln, %rn : i32
    // CHECK: nautilus_vrtile.yield %{{.*}}, %{{.*}} : f32, i32
    nautilus_vrtile.yield %0, %1 : f32, i32
  }
  // CHECK: nautilus_vrtile.broadcast %{{.*}} to [1] : tensor<4xf32> -> tensor<2x4x3xf32>
  %w = nautilus_vrtile.broadcast %v to [1] : tensor<4xf32> -> tensor<2x4x3xf32>
  // CHECK: nautilus_vrtile.transpose %{{.*}} [2, 0, 1] : tensor<2x4x3xf32> -> tensor<3x2x4xf32>
  %t = nautilus_vrtile.transpose %w [2, 0, 1] : tensor<2x4x3xf32> -> tensor<3x2x4xf32>
  nautilus_vrtile.return
}

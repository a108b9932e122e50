// RUN: nautilus-opt %s --split-input-file --convert-linalg-to-nautilus-scalar | FileCheck %s

// A product into a zero-filled accumulator is one reduction; the dims of both operands are unified.
// CHECK-LABEL: nautilus_scalar.kernel @matmul dims [d0, d1 = 64, d2]
// CHECK-SAME: (%{{.*}} = arg0[d0, d1] : tensor<?x64xf16>, %{{.*}} = arg1[d1, d2] : tensor<64x?xf16>) -> (result0[d0, d2] : tensor<?x?xf32>)
// CHECK: nautilus_scalar.reduce "matmul0" [i0: d0, i2: d2] over [i1: d1]
// CHECK-NOT: nautilus_scalar.map "matmul
func.func @matmul(%a: tensor<?x64xf16>, %b: tensor<64x?xf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf16>
  %n = tensor.dim %b, %c1 : tensor<64x?xf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x?xf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

// An op that says how it decomposes becomes its parts: a maximum, an exponential, a sum and a quotient.
// CHECK-LABEL: nautilus_scalar.kernel @rows
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
func.func @rows(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %empty = tensor.empty(%n) : tensor<4x?xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x?xf32>) outs(%empty : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// -----

// An accumulator that is not the neutral element is added by a statement of its own; f16 accumulates in f32.
// CHECK-LABEL: nautilus_scalar.kernel @accumulate
// CHECK: nautilus_scalar.reduce
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.mulf {{.*}} : f32
// CHECK: nautilus_scalar.map
// CHECK: arith.truncf
func.func @accumulate(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %r = linalg.matmul ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf16>) -> tensor<8x8xf16>
  return %r : tensor<8x8xf16>
}

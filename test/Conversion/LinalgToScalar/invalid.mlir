// RUN: nautilus-opt %s --convert-linalg-to-nautilus-scalar --split-input-file --verify-diagnostics

// An op that is not linalg.
func.func @other(%a: tensor<4x4xf32>) -> tensor<2x8xf32> {
  %empty = tensor.empty() : tensor<4x4xf32>
  %b = linalg.exp ins(%a : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{expected linalg ops on tensors, tensor.empty, tensor.dim and constants, got 'tensor.insert_slice'}}
  %c = tensor.insert_slice %b into %a[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32>
  %e = tensor.empty() : tensor<2x8xf32>
  return %e : tensor<2x8xf32>
}

// -----

// A combiner that is no monoid.
func.func @combiner(%a: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a sum, product, minimum, maximum or bitwise reduction, got 'arith.subf'}}
  %r = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1] (%x: f32, %acc: f32) {
    %s = arith.subf %acc, %x : f32
    linalg.yield %s : f32
  }
  return %r : tensor<4xf32>
}

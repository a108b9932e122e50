// RUN: nautilus-opt %s --convert-nautilus-math-to-nvvm | FileCheck %s

// exp is exp2 of a scaled argument; half precision goes through f32.
// CHECK-LABEL: func.func @exp(
// CHECK-SAME: %[[X:.*]]: f32, %[[H:.*]]: f16)
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[X]], %[[LOG2E]] : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[SCALED]])
// CHECK: arith.extf %[[H]] : f16 to f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @exp(%x: f32, %h: f16) -> (f32, f16) {
  %0 = math.exp %x : f32
  %1 = math.exp %h : f16
  return %0, %1 : f32, f16
}

// What the special function unit computes directly needs no scaling.
// CHECK-LABEL: func.func @direct(
// CHECK-NOT: arith.mulf
// CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
func.func @direct(%x: f32) -> (f32, f32, f32) {
  %0 = math.log2 %x : f32
  %1 = math.rsqrt %x : f32
  %2 = math.exp2 %x : f32
  return %0, %1, %2 : f32, f32, f32
}

// The natural logarithm is lg2 times ln 2.
// CHECK-LABEL: func.func @log(
// CHECK: %[[LN2:.*]] = arith.constant 0.693147182 : f32
// CHECK: %[[LG2:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: arith.mulf %[[LG2]], %[[LN2]] : f32
func.func @log(%x: f32) -> f32 {
  %0 = math.log %x : f32
  return %0 : f32
}

// f64 is left for the conversions that follow.
// CHECK-LABEL: func.func @double(
// CHECK: math.exp
func.func @double(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

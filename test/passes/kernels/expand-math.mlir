// RUN: proa-opt %s --proa-expand-math | FileCheck %s

// CHECK-LABEL: func.func @f32
// CHECK-NOT: math.tanh
// CHECK-NOT: math.log1p
// CHECK: return
func.func @f32(%x: f32) -> (f32, f32) {
  %0 = math.tanh %x : f32
  %1 = math.log1p %x : f32
  return %0, %1 : f32, f32
}

// Near miss: no polynomial is exact enough for f64.
// CHECK-LABEL: func.func @f64
// CHECK: math.tanh
func.func @f64(%x: f64) -> f64 {
  %0 = math.tanh %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @square
// CHECK: arith.mulf
// CHECK-NOT: math.powf
func.func @square(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %0 = math.powf %x, %two : f32
  return %0 : f32
}

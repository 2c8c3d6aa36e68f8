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

// CHECK-LABEL: func.func @atan
// CHECK-NOT: math.atan
// CHECK: arith.divf
// CHECK: math.copysign
// CHECK-NOT: math.atan
// CHECK: return
func.func @atan(%x: f32) -> f32 {
  %0 = math.atan %x : f32
  return %0 : f32
}

// Near misses: sin has no polynomial for all arguments, and atan of f64 none.
// CHECK-LABEL: func.func @calls
// CHECK: math.sin
// CHECK: math.atan
func.func @calls(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.sin %x : f32
  %1 = math.atan %y : f64
  return %0, %1 : f32, f64
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

// Seven terms and two constants of the logarithm of 2; selects keep NaN.
// CHECK-LABEL: func.func @exp
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f64)
// CHECK: %[[IS_LOW:.*]] = arith.cmpf olt, %[[X]]
// CHECK: %[[LEAST:.*]] = arith.select %[[IS_LOW]]
// CHECK: %[[SUM:.*]] = math.fma %[[LEAST]]
// CHECK: arith.cmpf ogt, %[[SUM]]
// CHECK: arith.shli
// CHECK-COUNT-6: math.fma
// CHECK: arith.mulf
// CHECK: math.exp %[[Y]] : f64
func.func @exp(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.exp %x : f32
  %1 = math.exp %y : f64
  return %0, %1 : f32, f64
}

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

// Two polynomials and a power of two, without a division; a select keeps NaN.
// CHECK-LABEL: func.func @erf
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f64)
// CHECK-NOT: arith.divf
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-COUNT-5: math.fma %[[SQUARE]],
// CHECK: %[[SMALL:.*]] = math.fma %[[X]], %{{.*}}, %[[X]]
// CHECK: %[[SIZE:.*]] = math.absf %[[X]]
// CHECK-COUNT-7: math.fma %[[SIZE]],
// CHECK: %[[ROUNDED:.*]] = arith.addf
// CHECK: arith.shli
// CHECK-COUNT-5: math.fma
// CHECK: %[[POWER:.*]] = arith.mulf
// CHECK: %[[REST:.*]] = arith.subf %{{.*}}, %[[POWER]]
// CHECK: %[[LARGE:.*]] = math.copysign %[[REST]], %[[X]]
// CHECK: arith.select %{{.*}}, %[[LARGE]], %[[SMALL]]
// Near miss: the coefficients are for f32.
// CHECK: math.erf %[[Y]]
func.func @erf(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.erf %x : f32
  %1 = math.erf %y : f64
  return %0, %1 : f32, f64
}

// Angles are reduced in f64.
// CHECK-LABEL: func.func @trigonometric
// CHECK-NOT: math.sin
// CHECK-NOT: math.cos
// CHECK-NOT: math.tan
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: return
func.func @trigonometric(%x: f32) -> (f32, f32, f32) {
  %0 = math.sin %x : f32
  %1 = math.cos %x : f32
  %2 = math.tan %x : f32
  return %0, %1, %2 : f32, f32, f32
}

// Near misses: no polynomial for cbrt, and none of f64.
// CHECK-LABEL: func.func @calls
// CHECK: math.cbrt
// CHECK: math.atan
// CHECK: math.sin
func.func @calls(%x: f32, %y: f64) -> (f32, f64, f64) {
  %0 = math.cbrt %x : f32
  %1 = math.atan %y : f64
  %2 = math.sin %y : f64
  return %0, %1, %2 : f32, f64, f64
}

// Selects keep NaN; the power of two is a product of two.
// CHECK-LABEL: func.func @f64
// CHECK-SAME: (%[[X:.*]]: f64)
// CHECK: arith.select
// CHECK-COUNT-2: arith.shli
// CHECK: %[[TANH:.*]] = arith.divf
// CHECK: math.copysign %[[TANH]], %[[X]]
func.func @f64(%x: f64) -> (f64, f64) {
  %0 = math.exp %x : f64
  %1 = math.tanh %x : f64
  return %0, %1 : f64, f64
}

// A remainder with a short quotient, and one of libm.
// CHECK-LABEL: func.func @remainder
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[H:.*]]: f16)
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[X]], %[[Y]]
// CHECK: scf.if
// CHECK: math.trunc %[[QUOTIENT]]
// CHECK: } else {
// CHECK: arith.remf %[[X]], %[[Y]] : f32
// CHECK: %[[WIDE:.*]] = arith.extf %[[H]] : f16 to f32
// CHECK: arith.divf
// CHECK: scf.if
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @remainder(%x: f32, %y: f32, %h: f16) -> (f32, f16) {
  %0 = arith.remf %x, %y : f32
  %1 = arith.remf %h, %h : f16
  return %0, %1 : f32, f16
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
// What a select clamps needs no other clamp: softmax.
// CHECK-LABEL: func.func @exp_of_clamped
// CHECK: arith.cmpf olt
// CHECK-NOT: arith.cmpf olt
// CHECK: math.fma
// CHECK-LABEL: func.func @exp_of_clamped_below
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf olt
// CHECK-LABEL: func.func @exp_of_other_select
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf olt
func.func @exp_of_clamped(%x: f32) -> f32 {
  %least = arith.constant -64.0 : f32
  %is_below = arith.cmpf olt, %x, %least : f32
  %clamped = arith.select %is_below, %least, %x : f32
  %0 = math.exp %clamped : f32
  return %0 : f32
}
func.func @exp_of_clamped_below(%x: f32) -> f32 {
  %least = arith.constant -100.0 : f32
  %is_below = arith.cmpf olt, %x, %least : f32
  %clamped = arith.select %is_below, %least, %x : f32
  %0 = math.exp %clamped : f32
  return %0 : f32
}
func.func @exp_of_other_select(%x: f32, %y: f32) -> f32 {
  %least = arith.constant -64.0 : f32
  %is_below = arith.cmpf olt, %y, %least : f32
  %clamped = arith.select %is_below, %least, %x : f32
  %0 = math.exp %clamped : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @exp
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[IS_LOW:.*]] = arith.cmpf olt, %[[X]]
// CHECK: %[[LEAST:.*]] = arith.select %[[IS_LOW]]
// CHECK: %[[SUM:.*]] = math.fma %[[LEAST]]
// CHECK: arith.cmpf ogt, %[[SUM]]
// CHECK: arith.shli
// CHECK-COUNT-6: math.fma
// CHECK: arith.mulf
func.func @exp(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

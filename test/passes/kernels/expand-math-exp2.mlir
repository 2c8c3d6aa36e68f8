// RUN: proa-opt %s --proa-expand-math=has-exp2 | FileCheck %s

// One power of two, and no division.
// CHECK-LABEL: func.func @erf
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-COUNT-5: math.fma %[[SQUARE]],
// CHECK: %[[SMALL:.*]] = math.fma %[[X]], %{{.*}}, %[[X]]
// CHECK: %[[SIZE:.*]] = math.absf %[[X]]
// CHECK-COUNT-7: math.fma %[[SIZE]],
// CHECK: %[[POWER:.*]] = math.exp2 %{{.*}} fastmath<afn>
// CHECK: %[[REST:.*]] = arith.subf %{{.*}}, %[[POWER]]
// CHECK: %[[LARGE:.*]] = math.copysign %[[REST]], %[[X]]
// CHECK: %[[IS_LARGE:.*]] = arith.cmpf ogt, %[[SIZE]]
// CHECK: %[[RESULT:.*]] = arith.select %[[IS_LARGE]], %[[LARGE]], %[[SMALL]]
// CHECK: return %[[RESULT]]
func.func @erf(%x: f32) -> f32 {
  %0 = math.erf %x : f32
  return %0 : f32
}

// Near miss: the coefficients are for f32.
// CHECK-LABEL: func.func @f64
// CHECK: math.erf
func.func @f64(%x: f64) -> f64 {
  %0 = math.erf %x : f64
  return %0 : f64
}

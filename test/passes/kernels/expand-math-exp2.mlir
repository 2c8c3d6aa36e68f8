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

// CHECK-LABEL: func.func @exp
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f64)
// CHECK: %[[SCALED:.*]] = arith.mulf %[[X]], %
// CHECK: %[[LEAST:.*]] = arith.maximumf %[[SCALED]]
// CHECK: %[[MOST:.*]] = arith.minimumf %[[LEAST]]
// CHECK: %[[ROUNDED:.*]] = arith.addf %[[MOST]], %[[ROUNDING:.*]] : f32
// CHECK: %[[N:.*]] = arith.subf %[[ROUNDED]], %[[ROUNDING]]
// CHECK: %[[NEGATIVE:.*]] = arith.negf %[[N]]
// CHECK: %[[HIGH:.*]] = math.fma %[[X]], %{{.*}}, %[[NEGATIVE]]
// CHECK: %[[FRACTION:.*]] = math.fma %[[X]], %{{.*}}, %[[HIGH]]
// CHECK: arith.shli
// CHECK: %[[SCALE:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: %[[POWER:.*]] = math.exp2 %[[FRACTION]] fastmath<afn>
// CHECK: arith.mulf %[[POWER]], %[[SCALE]]
// Near miss: the constants are for f32.
// CHECK: math.exp %[[Y]]
func.func @exp(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.exp %x : f32
  %1 = math.exp %y : f64
  return %0, %1 : f32, f64
}

// Near misses: instructions and functions of a device are fast.
// CHECK-LABEL: func.func @calls
// CHECK: math.sin
// CHECK: arith.remf
// CHECK-NOT: scf.if
// CHECK: return
func.func @calls(%x: f32, %y: f32) -> (f32, f32) {
  %0 = math.sin %x : f32
  %1 = arith.remf %x, %y : f32
  return %0, %1 : f32, f32
}

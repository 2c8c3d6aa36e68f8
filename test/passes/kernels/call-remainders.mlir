// RUN: proa-opt %s --proa-call-remainders | FileCheck %s

// One declaration for all calls.
// CHECK-DAG: func.func private @fmodf(f32, f32) -> f32 attributes {llvm.readnone}
// CHECK-DAG: func.func private @fmod(f64, f64) -> f64 attributes {llvm.readnone}
// CHECK-LABEL: func.func @floats
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f64, %[[H:.*]]: f16)
// CHECK: %[[FIRST:.*]] = call @fmodf(%[[X]], %[[Y]]) : (f32, f32) -> f32
// CHECK: call @fmodf(%[[FIRST]], %[[Y]])
// CHECK: call @fmod(%[[Z]], %[[Z]]) : (f64, f64) -> f64
// Near miss: libm has no function of f16.
// CHECK: arith.remf %[[H]], %[[H]] : f16
func.func @floats(%x: f32, %y: f32, %z: f64, %h: f16) -> (f32, f64, f16) {
  %0 = arith.remf %x, %y : f32
  %1 = arith.remf %0, %y : f32
  %2 = arith.remf %z, %z : f64
  %3 = arith.remf %h, %h : f16
  return %1, %2, %3 : f32, f64, f16
}

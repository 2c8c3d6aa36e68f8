// RUN: proa-opt %s --proa-expand-arith | FileCheck %s

// LLVM vectorizes a reduction by the intrinsics of these types.
// CHECK-LABEL: func.func @stay
// CHECK: arith.maximumf
// CHECK: arith.minnumf
func.func @stay(%a: f32, %b: f32, %c: f64, %d: f64) -> (f32, f64) {
  %0 = arith.maximumf %a, %b : f32
  %1 = arith.minnumf %c, %d : f64
  return %0, %1 : f32, f64
}

// It leaves out elements of a short reduction by those that ignore NaN.
// CHECK-LABEL: func.func @short_reduction
// CHECK-NOT: arith.maxnumf
// CHECK: arith.cmpf
func.func @short_reduction(%x: memref<15xf32>, %low: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 15 : index
  %most = scf.for %i = %zero to %size step %one iter_args(%sofar = %low) -> f32 {
    %own = memref.load %x[%i] : memref<15xf32>
    %next = arith.maxnumf %own, %sofar : f32
    scf.yield %next : f32
  }
  return %most : f32
}

// Near miss: a whole vector.
// CHECK-LABEL: func.func @long_reduction
// CHECK: arith.maxnumf
func.func @long_reduction(%x: memref<16xf32>, %low: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 16 : index
  %most = scf.for %i = %zero to %size step %one iter_args(%sofar = %low) -> f32 {
    %own = memref.load %x[%i] : memref<16xf32>
    %next = arith.maxnumf %own, %sofar : f32
    scf.yield %next : f32
  }
  return %most : f32
}

// CHECK-LABEL: func.func @half
// CHECK-NOT: arith.maximumf
// CHECK: arith.cmpf
// CHECK: arith.select
func.func @half(%a: bf16, %b: bf16) -> bf16 {
  %0 = arith.maximumf %a, %b : bf16
  return %0 : bf16
}

// CHECK-LABEL: func.func @rounded
// CHECK-NOT: arith.floordivsi
// CHECK: arith.divsi
func.func @rounded(%a: i64, %b: i64) -> i64 {
  %0 = arith.floordivsi %a, %b : i64
  return %0 : i64
}

// RUN: proa-opt %s --pass-pipeline="builtin.module(gpu.module(proa-convert-device-math))" | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: llvm.intr.fma(%arg0, %arg0, %arg0)
// CHECK: llvm.intr.trunc(%arg0)
// CHECK: "llvm.intr.abs"(%arg1) <{is_int_min_poison = false}>
// CHECK: math.floor %arg0
gpu.module @device {
  func.func @f(%x: f32, %i: i64) -> (f32, f32, i64, f32) {
    %a = math.fma %x, %x, %x : f32
    %b = math.trunc %x : f32
    %c = math.absi %i : i64
    %d = math.floor %x : f32
    return %a, %b, %c, %d : f32, f32, i64, f32
  }
}

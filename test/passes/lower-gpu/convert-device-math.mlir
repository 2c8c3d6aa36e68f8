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

// Beside wgmma no op may become a call: approximate divisions and roots of f32, 32 bits for indices with dynamic
// divisors. Near miss: constant divisors.
// CHECK-LABEL: func.func @beside_wgmma
// CHECK: arith.divf %{{.*}} fastmath<afn> : f32
// CHECK: llvm.intr.sqrt(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
// CHECK: arith.divui %{{.*}} : i32
// CHECK: arith.remui %{{.*}} : i32
// CHECK: arith.divui %{{.*}} : index
gpu.module @hopper {
  func.func @beside_wgmma(%x: f32, %i: index, %j: index, %d: i64, %s: !llvm.struct<(f32, f32, f32, f32)>)
      -> (f32, f32, index, index, index) {
    %r = nvvm.wgmma.mma_async %d, %d, %s, <m = 64, n = 8, k = 16>, D [<f32>, <zero>], A [<f16>, <one>, <row>],
        B [<f16>, <one>, <col>] : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
    %c3 = arith.constant 3 : index
    %a = arith.divf %x, %x : f32
    %b = math.sqrt %a : f32
    %p = arith.divui %i, %j : index
    %q = arith.remui %i, %j : index
    %t = arith.divui %i, %c3 : index
    return %a, %b, %p, %q, %t : f32, f32, index, index, index
  }
}

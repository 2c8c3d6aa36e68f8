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

// Maxima of f32 are one instruction each; maxima of f64 are expanded. Powers of two that may be approximate have no
// subnormal results; near miss: without the flag, and in f64.
// CHECK-LABEL: func.func @single
// CHECK: arith.maximumf %arg0, %arg3 : f32
// CHECK: arith.minnumf %arg0, %arg3 : f32
// CHECK-NOT: arith.maximumf
// CHECK: arith.select
// CHECK: rt.exp2_ftz %arg0
// CHECK: math.exp2 %arg0 : f32
// CHECK: math.exp2 %arg1 fastmath<afn> : f64
// CHECK-NOT: arith.ceildivui
gpu.module @maxima {
  func.func @single(%x: f32, %y: f64, %i: index, %z: f32, %w: f64) -> (f32, f32, f64, f32, f32, f64, index) {
    %c3 = arith.constant 3 : index
    %a = arith.maximumf %x, %z : f32
    %b = arith.minnumf %x, %z : f32
    %c = arith.maximumf %y, %w : f64
    %d = math.exp2 %x fastmath<afn> : f32
    %e = math.exp2 %x : f32
    %f = math.exp2 %y fastmath<afn> : f64
    %g = arith.ceildivui %i, %c3 : index
    return %a, %b, %c, %d, %e, %f, %g : f32, f32, f64, f32, f32, f64, index
  }
}

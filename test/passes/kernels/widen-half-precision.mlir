// RUN: proa-opt %s --proa-widen-half-precision --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Between two operations nothing is rounded.
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %e = tensor.empty() : tensor<4xbf16>
  // CHECK: ^bb0(%[[IN:.*]]: bf16, %{{.*}}: bf16):
  // CHECK: %[[WIDE:.*]] = arith.extf %[[IN]] : bf16 to f32
  // CHECK: %[[EXP:.*]] = math.exp %[[WIDE]] : f32
  // CHECK-NOT: arith.truncf
  // CHECK: %[[SUM:.*]] = arith.addf %[[EXP]], %{{.*}} : f32
  // CHECK-NEXT: %[[HALF:.*]] = arith.truncf %[[SUM]] : f32 to bf16
  // CHECK-NEXT: linalg.yield %[[HALF]]
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xbf16>) outs(%e : tensor<4xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %1 = math.exp %a : bf16
    %2 = arith.addf %1, %a : bf16
    linalg.yield %2 : bf16
  } -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @sum
func.func @sum(%x: tensor<4x9xf16>) -> tensor<4xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4xf16>
  // CHECK: %[[INIT:.*]] = linalg.fill {{.*}} -> tensor<4xf32>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  // CHECK: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"]} ins(%{{.*}} : tensor<4x9xf16>) outs(%[[INIT]] : tensor<4xf32>)
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK-NEXT: linalg.yield %{{.*}} : f32
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<4xf32>) outs(%{{.*}} : tensor<4xf16>)
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x9xf16>) outs(%f : tensor<4xf16>) {
  ^bb0(%a: f16, %o: f16):
    %s = arith.addf %o, %a : f16
    linalg.yield %s : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// -----

// f32 and conversions between types stay.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f64
// CHECK-NEXT: return
func.func @others(%x: f32) -> f64 {
  %0 = arith.addf %x, %x : f32
  %1 = arith.truncf %0 : f32 to f16
  %2 = arith.extf %1 : f16 to f64
  return %2 : f64
}

// -----

// A rounding of f64 stays.
// CHECK-LABEL: func.func @double
// CHECK-NEXT: arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: arith.extf %{{.*}} : f32 to f64
// CHECK-NEXT: return
func.func @double(%x: f64) -> f64 {
  %0 = arith.truncf %x : f64 to f32
  %1 = arith.extf %0 : f32 to f64
  return %1 : f64
}

// -----

#map = affine_map<(d0) -> (d0)>

// Arithmetic on 8-bit floats is done in f32 too. Roundings to 8 bits that a program asks for stay.
// CHECK-LABEL: func.func @float8
func.func @float8(%x: tensor<4xf8E5M2>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: ^bb0(%[[IN:.*]]: f8E5M2, %{{.*}}: f32):
  // CHECK: %[[WIDE:.*]] = arith.extf %[[IN]] : f8E5M2 to f32
  // CHECK: %[[NEGATED:.*]] = arith.negf %[[WIDE]] : f32
  // CHECK: %[[ROUNDED:.*]] = arith.truncf %[[NEGATED]] : f32 to f8E5M2
  // CHECK: %[[RESULT:.*]] = arith.extf %[[ROUNDED]] : f8E5M2 to f32
  // CHECK: linalg.yield %[[RESULT]]
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf8E5M2>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f8E5M2, %o: f32):
    %1 = arith.negf %a : f8E5M2
    %2 = arith.extf %1 : f8E5M2 to f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

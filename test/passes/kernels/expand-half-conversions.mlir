// RUN: proa-opt %s --pass-pipeline="builtin.module(func.func(proa-expand-half-conversions))" | FileCheck %s
// RUN: proa-opt %s --pass-pipeline="builtin.module(func.func(proa-expand-half-conversions{bf16=false f16=false}))" \
// RUN:   | FileCheck %s --check-prefix=HAS

// CHECK-LABEL: func.func @singles
// CHECK-NOT: arith.truncf
// CHECK-NOT: arith.extf
// CHECK: return
// HAS-LABEL: func.func @singles
// HAS-COUNT-2: arith.truncf
// HAS-COUNT-2: arith.extf
func.func @singles(%x: f32, %h: f16, %b: bf16) -> (f16, bf16, f32, f32) {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.truncf %x : f32 to bf16
  %2 = arith.extf %h : f16 to f32
  %3 = arith.extf %b : bf16 to f32
  return %0, %1, %2, %3 : f16, bf16, f32, f32
}

// With f64 one step becomes two on every CPU; the first one rounds to odd.
// CHECK-LABEL: func.func @doubles
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK-NOT: to f16
// CHECK: arith.extf %{{.*}} : f32 to f64
// HAS-LABEL: func.func @doubles
// HAS: arith.truncf %{{.*}} : f64 to f32
// HAS: arith.truncf %{{.*}} : f32 to f16
// HAS: arith.extf %{{.*}} : bf16 to f32
// HAS: arith.extf %{{.*}} : f32 to f64
func.func @doubles(%x: f64, %b: bf16) -> (f16, f64) {
  %0 = arith.truncf %x : f64 to f16
  %1 = arith.extf %b : bf16 to f64
  return %0, %1 : f16, f64
}

// CHECK-LABEL: func.func @vectors
// CHECK: arith.bitcast %{{.*}} : vector<4xf32> to vector<4xi32>
// CHECK: return %{{.*}} : vector<4xbf16>
func.func @vectors(%x: vector<4xf32>) -> vector<4xbf16> {
  %0 = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  return %0 : vector<4xbf16>
}

// CHECK-LABEL: func.func @integers
// CHECK: arith.uitofp %{{.*}} : i1 to f32
// CHECK: arith.fptosi %{{.*}} : f32 to i8
// CHECK-NOT: arith.truncf
// CHECK: return
// HAS-LABEL: func.func @integers
// HAS: arith.uitofp %{{.*}} : i1 to f32
// HAS-NEXT: arith.truncf %{{.*}} : f32 to bf16
func.func @integers(%x: i1, %h: f16) -> (bf16, i8) {
  %0 = arith.uitofp %x : i1 to bf16
  %1 = arith.fptosi %h : f16 to i8
  return %0, %1 : bf16, i8
}

// Near misses: not 16 bits, and another rounding.
// CHECK-LABEL: func.func @unchanged
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.truncf %{{.*}} toward_zero : f32 to f16
func.func @unchanged(%x: f64, %y: f32) -> (f32, f16) {
  %0 = arith.truncf %x : f64 to f32
  %1 = arith.truncf %y toward_zero : f32 to f16
  return %0, %1 : f32, f16
}

// No CPU has instructions for 8-bit floats. Between 8 and 16 bits the way leads through f32.
// CHECK-LABEL: func.func @float8
// CHECK-NOT: arith.truncf
// CHECK-NOT: arith.extf
// CHECK: return
// HAS-LABEL: func.func @float8
// HAS-NOT: f8E4M3FN to f
// HAS: arith.truncf %{{.*}} : f32 to f16
// HAS: arith.extf %{{.*}} : bf16 to f32
// HAS: return
func.func @float8(%x: f32, %e: f8E4M3FN, %b: bf16) -> (f8E5M2, f16, f8E4M3FN) {
  %0 = arith.truncf %x : f32 to f8E5M2
  %1 = arith.extf %e : f8E4M3FN to f16
  %2 = arith.truncf %b : bf16 to f8E4M3FN
  return %0, %1, %2 : f8E5M2, f16, f8E4M3FN
}

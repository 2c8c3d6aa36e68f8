// RUN: proa-opt %s --pd-widen-library-ops --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @poisson
// CHECK: %[[X:.*]] = pd.cast %{{.*}} {dtype = f32} : (tensor<4x4xbf16>) -> tensor<4x4xf32>
// CHECK: %[[Y:.*]] = pd.poisson %[[X]] : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: %[[Z:.*]] = pd.cast %[[Y]] {dtype = bf16} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
// CHECK: return %[[Z]]
func.func @poisson(%x: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %0 = pd.poisson %x : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %0 : tensor<4x4xbf16>
}

// -----

// Near misses: f32, and kernels that take 16 bits.
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT: pd.cast
func.func @unchanged(%x: tensor<4x4xf32>, %y: tensor<4x4xf16>)
    -> (tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf16>) {
  %0 = pd.poisson %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = pd.roll %y {shifts = array<i64: 1>, axis = array<i64: 0>} : (tensor<4x4xf16>) -> tensor<4x4xf16>
  %2 = pd.matmul %y, %y : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf16>
}

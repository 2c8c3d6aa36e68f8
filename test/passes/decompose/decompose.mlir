// RUN: proa-opt --pd-decompose %s | FileCheck %s
// RUN: proa-opt --pd-decompose=except=pd.relu %s | FileCheck %s --check-prefix=EXCEPT
// RUN: proa-opt --pd-decompose=only=pd.gelu %s | FileCheck %s --check-prefix=EXCEPT

// CHECK-LABEL: func @relu
// EXCEPT-LABEL: func @relu
func.func @relu(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // CHECK: %[[ZERO:.*]] = pd.constant dense<0.000000e+00> : tensor<f32>
  // CHECK: pd.maximum %arg0, %[[ZERO]]
  // EXCEPT: pd.relu
  %0 = pd.relu %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// Half precision is computed in single and rounded once.
// CHECK-LABEL: func @silu_half
func.func @silu_half(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: %[[WIDE:.*]] = pd.cast %arg0 {dtype = f32}
  // CHECK: pd.exp {{.*}} : (tensor<4xf32>)
  // CHECK: %[[OUT:.*]] = pd.multiply %[[WIDE]], {{.*}} : (tensor<4xf32>, tensor<4xf32>)
  // CHECK: pd.cast %[[OUT]] {dtype = f16}
  %0 = pd.silu %x : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func @mean
func.func @mean(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK-DAG: %[[SUM:.*]] = pd.sum %arg0 {axis = array<i64: 1>}
  // CHECK-DAG: %[[COUNT:.*]] = pd.constant dense<8.000000e+00>
  // CHECK: pd.divide %[[SUM]], %[[COUNT]]
  %0 = pd.mean %x {axis = array<i64: 1>, keepdim = false} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

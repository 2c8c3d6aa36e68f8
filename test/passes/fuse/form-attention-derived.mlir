// RUN: proa-opt %s --pd-vjp=function=f --pd-vjp=function=shared --cse --pd-form-fused-attention --canonicalize --cse \
// RUN:   | FileCheck %s

// The gradient that proa derives of an attention.
// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %[[MAX:[a-z_0-9]+]], %[[SUM:[a-z_0-9]+]] = pd.fused_attention %arg0, %arg1, %arg2
// CHECK: pd.fused_attention_grad %arg0, %arg1, %arg2, %arg3, %[[MAX]], %[[SUM]], %[[OUT]]
// CHECK-NOT: pd.softmax
// CHECK: return
func.func @f(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %t = pd.scale %s {scale = 0.5 : f64} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %t : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// Two heads of keys for four of queries: the gradient has the sum over the query heads of a head.
// CHECK-LABEL: func.func @shared_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %{{.*}} = pd.fused_attention %arg0, %arg1, %arg2
// CHECK-NEXT: %[[Q:[a-z_0-9]+]], %[[K:[a-z_0-9]+]], %[[V:[a-z_0-9]+]] = pd.fused_attention_grad %arg0, %arg1, %arg2, %arg3,
// CHECK-NEXT: return %[[OUT]], %[[Q]], %[[K]], %[[V]]
func.func @shared(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x8xf32>) -> tensor<2x4x5x8xf32> {
  %k1 = pd.unsqueeze %k {axis = array<i64: 2>} : (tensor<2x2x7x8xf32>) -> tensor<2x2x1x7x8xf32>
  %k2 = pd.expand %k1 {shape = array<i64: 2, 2, 2, 7, 8>} : (tensor<2x2x1x7x8xf32>) -> tensor<2x2x2x7x8xf32>
  %k3 = pd.reshape %k2 {shape = array<i64: 2, 4, 7, 8>} : (tensor<2x2x2x7x8xf32>) -> tensor<2x4x7x8xf32>
  %v1 = pd.unsqueeze %v {axis = array<i64: 2>} : (tensor<2x2x7x8xf32>) -> tensor<2x2x1x7x8xf32>
  %v2 = pd.expand %v1 {shape = array<i64: 2, 2, 2, 7, 8>} : (tensor<2x2x1x7x8xf32>) -> tensor<2x2x2x7x8xf32>
  %v3 = pd.reshape %v2 {shape = array<i64: 2, 4, 7, 8>} : (tensor<2x2x2x7x8xf32>) -> tensor<2x4x7x8xf32>
  %s = pd.matmul %q, %k3 {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v3 : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

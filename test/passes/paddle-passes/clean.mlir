// Paddle's passes that remove ops (docs/paddle-passes.md).
// RUN: proa-opt %s --pass-pipeline='builtin.module(pd-decompose,func.func(pd-canonicalize,cse))' | FileCheck %s

// identity_op_clean: scale by 1 and dropout in test mode
// CHECK-LABEL: @identity
// CHECK-NEXT: return %arg0
func.func @identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = pd.scale %x {scale = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1, %mask = pd.dropout %0 mode = upscale_in_train {is_test = true, p = 0.1 : f64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xui8>)
  return %1 : tensor<2x3xf32>
}

// remove_redundant_transpose
// CHECK-LABEL: @transposes
// CHECK-NEXT: return %arg0
func.func @transposes(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = pd.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = pd.transpose %0 {perm = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// common_subexpression_elimination, dead_code_elimination
// CHECK-LABEL: @equal_ops
// CHECK-NEXT: %[[E:.*]] = pd.exp
// CHECK-NEXT: return %[[E]], %[[E]]
func.func @equal_ops(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %dead = pd.tanh %x : (tensor<3xf32>) -> tensor<3xf32>
  %0 = pd.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = pd.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// Paddle's fusions of elementwise ops and normalizations: one kernel each, by the general pass (docs/paddle-passes.md).
// RUN: proa-opt %s --split-input-file --pass-pipeline='builtin.module(pd-decompose,pd-canonicalize,cse,pd-form-kernels)' | FileCheck %s

// add_norm_fuse, add_layernorm_xpu_fuse
// CHECK-LABEL: @add_norm
// CHECK-NEXT: call @kernel_0
// CHECK-NEXT: return
func.func @add_norm(%x: tensor<4x8xf32>, %r: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = pd.add %x, %r : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1, %m, %v = pd.layer_norm %0 scale = %s bias = %b {begin_norm_axis = 1 : i64} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return %1 : tensor<4x8xf32>
}

// -----

// rms_norm_fuse, rms_norm_xpu_fuse
// CHECK-LABEL: @rms_norm
// CHECK-NEXT: call @kernel_0
// CHECK-NEXT: return
func.func @rms_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = pd.square %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.mean %0 {axis = array<i64: 1>, keepdim = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = pd.scale %1 {bias = 1.0e-6 : f64} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = pd.rsqrt %2 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = pd.multiply %x, %3 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %5 = pd.multiply %4, %s : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// elementwise_act_onednn_fuse, softplus_activation_fuse, silu_fuse, elementwise_mul_add_xpu_fuse, add_activation_xpu_fuse
// CHECK-LABEL: @elementwise
// CHECK-NEXT: call @kernel_0
// CHECK-NEXT: return
func.func @elementwise(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = pd.multiply %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.add %0, %z : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = pd.sigmoid %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = pd.multiply %1, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

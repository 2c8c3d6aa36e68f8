// Paddle's fusions of a convolution with bias, activation and residual (docs/paddle-passes.md).
// RUN: proa-opt %s --pass-pipeline='builtin.module(func.func(pd-channels-last,pd-canonicalize,pd-fuse-epilogues))' | FileCheck %s

// conv2d_add_fuse, conv2d_add_act_fuse, conv2d_bias_fuse, conv_activation_onednn_fuse, conv_elementwise_add_onednn_fuse
// CHECK-LABEL: @convolution
// CHECK: rt.conv{{.*}}bias{{.*}}relu
func.func @convolution(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %b: tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.add %0, %b : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.relu %1 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

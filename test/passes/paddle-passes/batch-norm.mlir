// conv2d_bn_fuse, conv2d_bn_onednn_fuse and conv2d_bias_bn_onednn_fuse of Paddle (docs/paddle-passes.md).
// RUN: proa-opt %s --pd-fold-batch-norm | FileCheck %s

// CHECK-LABEL: @conv_bias_bn
// CHECK-NOT: pd.batch_norm
// CHECK: pd.conv2d
// CHECK-NOT: pd.batch_norm
// CHECK: return
func.func @conv_bias_bn(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"},
                        %b: tensor<1x4x1x1xf32> {pd.param = "b"}, %m: tensor<4xf32> {pd.param = "m"},
                        %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.add %0, %b : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2:6 = "pd.batch_norm"(%1, %m, %v) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %2#0 : tensor<1x4x8x8xf32>
}

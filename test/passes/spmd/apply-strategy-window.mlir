// RUN: proa-opt %s --dist-apply-strategy=strategy=cp2 | FileCheck %s

// The slice begins a block at 7 of the 9 columns of the convolution; the 7 columns of the feed are one block.
// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<2x7x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"cp"}, {}]>
func.func @main(%x: tensor<2x7x4xf32> {pd.feed = "x"}, %w: tensor<8x4x1x3xf32> {pd.param = "w"}, %p: tensor<4x4xf32> {pd.param = "p"}) -> (tensor<2x8x7xf32> {pd.fetch = "y"}) {
  %0 = pd.matmul %x, %p : (tensor<2x7x4xf32>, tensor<4x4xf32>) -> tensor<2x7x4xf32>
  %1 = pd.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<2x7x4xf32>) -> tensor<2x4x7xf32>
  %2 = pd.unsqueeze %1 {axis = array<i64: -2>} : (tensor<2x4x7xf32>) -> tensor<2x4x1x7xf32>
  %3 = pd.conv2d %2, %w {paddings = array<i64: 0, 0, 2, 2>} : (tensor<2x4x1x7xf32>, tensor<8x4x1x3xf32>) -> tensor<2x8x1x9xf32>
  %4 = pd.squeeze %3 {axis = array<i64: -2>} : (tensor<2x8x1x9xf32>) -> tensor<2x8x9xf32>
  %5 = pd.slice %4 {axes = array<i64: 2>, ends = array<i64: 7>, starts = array<i64: 0>} : (tensor<2x8x9xf32>) -> tensor<2x8x7xf32>
  return %5 : tensor<2x8x7xf32>
}

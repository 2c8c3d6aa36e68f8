// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @fold
func.func @fold(%x: tensor<1x2x2xf64>) {
  // CHECK: pd.fold %{{.*}} {dilations = array<i64: 1, 1>, kernel_sizes = array<i64: 1, 2>, output_sizes = array<i64: 1, 3>, paddings = array<i64: 0>, strides = array<i64: 1, 1>} : (tensor<1x2x2xf64>) -> tensor<1x1x1x3xf64>
  %0 = pd.fold %x {output_sizes = array<i64: 1, 3>, kernel_sizes = array<i64: 1, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2xf64>) -> tensor<1x1x1x3xf64>
  return
}

// CHECK-LABEL: func @unfold
func.func @unfold(%x: tensor<1x2x4x4xf64>) {
  // CHECK: pd.unfold %{{.*}} {dilations = array<i64: 1, 1>, kernel_sizes = array<i64: 2, 2>, paddings = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf64>) -> tensor<1x8x9xf64>
  %0 = pd.unfold %x {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf64>) -> tensor<1x8x9xf64>
  return
}

// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @fold
func.func @fold(%x: tensor<1x2x2xf64>) {
  // CHECK: pd.fold %{{.*}} {dilations = array<i64: 1, 1>, kernel_sizes = array<i64: 1, 2>, output_sizes = array<i64: 1, 3>, paddings = array<i64: 0>, strides = array<i64: 1, 1>} : (tensor<1x2x2xf64>) -> tensor<1x1x1x3xf64>
  %0 = pd.fold %x {output_sizes = array<i64: 1, 3>, kernel_sizes = array<i64: 1, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2xf64>) -> tensor<1x1x1x3xf64>
  return
}

// CHECK-LABEL: func @temporal_shift
func.func @temporal_shift(%x: tensor<2x4x1x1xf64>) {
  // CHECK: pd.temporal_shift %{{.*}} {seg_num = 2 : i64} : (tensor<2x4x1x1xf64>) -> tensor<2x4x1x1xf64>
  %0 = pd.temporal_shift %x {seg_num = 2 : i64} : (tensor<2x4x1x1xf64>) -> tensor<2x4x1x1xf64>
  return
}

// CHECK-LABEL: func @unfold
func.func @unfold(%x: tensor<1x2x4x4xf64>) {
  // CHECK: pd.unfold %{{.*}} {dilations = array<i64: 1, 1>, kernel_sizes = array<i64: 2, 2>, paddings = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf64>) -> tensor<1x8x9xf64>
  %0 = pd.unfold %x {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf64>) -> tensor<1x8x9xf64>
  return
}

// CHECK-LABEL: func @unpool
func.func @unpool(%x: tensor<1x2x2x2xf64>, %indices: tensor<1x2x2x2xi32>) {
  // CHECK: pd.unpool %{{.*}}, %{{.*}} {ksize = array<i64: 2, 2>, padding = array<i64: 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xi32>) -> tensor<1x2x4x4xf64>
  %0 = pd.unpool %x, %indices {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xi32>) -> tensor<1x2x4x4xf64>
  return
}

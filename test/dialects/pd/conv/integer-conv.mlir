// RUN: proa-opt %s --pd-canonicalize | FileCheck %s

// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%x: tensor<1x8x9x9xui8>, %l: tensor<1x9x9x8xi8>, %w: tensor<16x4x3x3xi8>)
    -> (tensor<1x16x5x5xi32>, tensor<1x9x9x16xi32>) {
  // CHECK: pd.integer_conv2d %{{.*}}, %{{.*}} {groups = 2 : i64, paddings = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x8x9x9xui8>, tensor<16x4x3x3xi8>) -> tensor<1x16x5x5xi32>
  %0 = pd.integer_conv2d %x, %w {groups = 2, paddings = array<i64: 1, 1>, strides = array<i64: 2, 2>}
    : (tensor<1x8x9x9xui8>, tensor<16x4x3x3xi8>) -> tensor<1x16x5x5xi32>
  // CHECK: pd.integer_conv2d %{{.*}}, %{{.*}} data_format = NHWC {groups = 2 : i64, paddings = array<i64: 1, 1, 1, 1>} : (tensor<1x9x9x8xi8>, tensor<16x4x3x3xi8>) -> tensor<1x9x9x16xi32>
  %1 = pd.integer_conv2d %l, %w padding_algorithm = SAME data_format = NHWC {groups = 2}
    : (tensor<1x9x9x8xi8>, tensor<16x4x3x3xi8>) -> tensor<1x9x9x16xi32>
  return %0, %1 : tensor<1x16x5x5xi32>, tensor<1x9x9x16xi32>
}

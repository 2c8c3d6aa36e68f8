// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @conv2d
func.func @conv2d(%input: tensor<2x3x8x8xf32>, %filter: tensor<6x1x3x3xf32>) {
  // CHECK: pd.conv2d %{{.*}}, %{{.*}} {groups = 3 : i64} : (tensor<2x3x8x8xf32>, tensor<6x1x3x3xf32>) -> tensor<2x6x6x6xf32>
  %0 = pd.conv2d %input, %filter {groups = 3 : i64} : (tensor<2x3x8x8xf32>, tensor<6x1x3x3xf32>) -> tensor<2x6x6x6xf32>
  return
}

// CHECK-LABEL: func @conv2d_transpose
func.func @conv2d_transpose(%x: tensor<1x3x3x3xf32>, %filter: tensor<3x1x3x3xf32>) {
  // CHECK: pd.conv2d_transpose %{{.*}}, %{{.*}} {groups = 3 : i64} : (tensor<1x3x3x3xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x5x5xf32>
  %0 = pd.conv2d_transpose %x, %filter {groups = 3 : i64} : (tensor<1x3x3x3xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x5x5xf32>
  return
}

// CHECK-LABEL: func @conv2d_weight_gradient
func.func @conv2d_weight_gradient(%input: tensor<1x3x8x8xf32>, %out_gradient: tensor<1x4x8x8xf32>) {
  // CHECK: pd.conv2d_weight_gradient %{{.*}}, %{{.*}} {kernel_size = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<4x3x1x1xf32>
  %0 = pd.conv2d_weight_gradient %input, %out_gradient {kernel_size = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<4x3x1x1xf32>
  return
}

// CHECK-LABEL: func @conv3d
func.func @conv3d(%input: tensor<1x2x4x4x4xf32>, %filter: tensor<2x2x3x3x3xf32>) {
  // CHECK: pd.conv3d %{{.*}}, %{{.*}} {paddings = array<i64: 1, 1, 1>} : (tensor<1x2x4x4x4xf32>, tensor<2x2x3x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  %0 = pd.conv3d %input, %filter {paddings = array<i64: 1, 1, 1>} : (tensor<1x2x4x4x4xf32>, tensor<2x2x3x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// CHECK-LABEL: func @conv3d_transpose
func.func @conv3d_transpose(%x: tensor<1x2x2x2x2xf64>, %filter: tensor<2x1x2x2x2xf64>) {
  // CHECK: pd.conv3d_transpose %{{.*}}, %{{.*}} {strides = array<i64: 2, 1, 1>} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 2, 1, 1>} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return
}

// CHECK-LABEL: func @conv3d_weight_gradient
func.func @conv3d_weight_gradient(%x: tensor<1x2x3x3x3xf32>, %d: tensor<1x4x2x2x2xf32>) {
  // CHECK: pd.conv3d_weight_gradient %{{.*}}, %{{.*}} {kernel_size = array<i64: 2, 2, 2>} : (tensor<1x2x3x3x3xf32>, tensor<1x4x2x2x2xf32>) -> tensor<4x2x2x2x2xf32>
  %0 = pd.conv3d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>} : (tensor<1x2x3x3x3xf32>, tensor<1x4x2x2x2xf32>) -> tensor<4x2x2x2x2xf32>
  return
}

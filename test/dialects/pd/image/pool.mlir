// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @max_pool2d_with_index
func.func @max_pool2d_with_index(%x: tensor<1x2x6x6xf32>) {
  // CHECK: pd.max_pool2d_with_index %{{.*}} {global_pooling = true} : (tensor<1x2x6x6xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>)
  %0:2 = pd.max_pool2d_with_index %x {global_pooling = true} : (tensor<1x2x6x6xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>)
  return
}

// CHECK-LABEL: func @max_pool3d_with_index
func.func @max_pool3d_with_index(%x: tensor<1x1x4x4x4xf32>) {
  // CHECK: pd.max_pool3d_with_index %{{.*}} {kernel_size = array<i64: 2, 2, 2>, paddings = array<i64: 0, 0, 0>, strides = array<i64: 2, 2, 2>} : (tensor<1x1x4x4x4xf32>) -> (tensor<1x1x2x2x2xf32>, tensor<1x1x2x2x2xi32>)
  %0:2 = pd.max_pool3d_with_index %x {kernel_size = array<i64: 2, 2, 2>, paddings = array<i64: 0, 0, 0>, strides = array<i64: 2, 2, 2>} : (tensor<1x1x4x4x4xf32>) -> (tensor<1x1x2x2x2xf32>, tensor<1x1x2x2x2xi32>)
  return
}

// CHECK-LABEL: func @pool2d_gradient
func.func @pool2d_gradient(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x2x2xf32>) {
  // CHECK: pd.pool2d_gradient %{{.*}}, %{{.*}} pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  %0 = pd.pool2d_gradient %x, %d pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  return
}

// CHECK-LABEL: func @pool2d
func.func @pool2d(%x: tensor<1x2x5x5xf32>) {
  // CHECK: pd.pool2d %{{.*}} {adaptive = true, kernel_size = array<i64: 3, 2>} : (tensor<1x2x5x5xf32>) -> tensor<1x2x3x2xf32>
  %0 = pd.pool2d %x {kernel_size = array<i64: 3, 2>, adaptive = true} : (tensor<1x2x5x5xf32>) -> tensor<1x2x3x2xf32>
  return
}

// CHECK-LABEL: func @pool3d_gradient
func.func @pool3d_gradient(%x: tensor<1x2x4x4x4xf32>, %d: tensor<1x2x2x2x2xf32>) {
  // CHECK: pd.pool3d_gradient %{{.*}}, %{{.*}} {kernel_size = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x4x4x4xf32>, tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  %0 = pd.pool3d_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x4x4x4xf32>, tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// CHECK-LABEL: func @pool3d
func.func @pool3d(%x: tensor<1x2x3x4x3xf64>) {
  // CHECK: pd.pool3d %{{.*}} pooling_type = avg {kernel_size = array<i64: 2, 2, 2>} : (tensor<1x2x3x4x3xf64>) -> tensor<1x2x2x3x2xf64>
  %0 = pd.pool3d %x pooling_type = avg {kernel_size = array<i64: 2, 2, 2>} : (tensor<1x2x3x4x3xf64>) -> tensor<1x2x2x3x2xf64>
  return
}

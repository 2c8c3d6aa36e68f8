// RUN: proa-opt %s --pd-scale-channels | FileCheck %s
// RUN: proa-opt %s --pd-scale-channels --check-numerics -o /dev/null

// CHECK-LABEL: @channels_first
// CHECK: %[[F:.*]] = pd.reshape %arg1 {shape = array<i64: 3, 1, 1>}
// CHECK: pd.multiply %arg0, %[[F]]
// CHECK-NOT: pd.conv2d
func.func @channels_first(%x: tensor<2x3x4x5xf32>, %w: tensor<3x1x1x1xf32>) -> tensor<2x3x4x5xf32> {
  %0 = pd.conv2d %x, %w {groups = 3 : i64} : (tensor<2x3x4x5xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @channels_last
// CHECK: %[[F:.*]] = pd.reshape %arg1 {shape = array<i64: 3>}
// CHECK: pd.multiply %arg0, %[[F]]
func.func @channels_last(%x: tensor<2x4x5x3xf32>, %w: tensor<3x1x1x1xf32>) -> tensor<2x4x5x3xf32> {
  %0 = pd.conv2d %x, %w data_format = NHWC {groups = 3 : i64}
    : (tensor<2x4x5x3xf32>, tensor<3x1x1x1xf32>) -> tensor<2x4x5x3xf32>
  return %0 : tensor<2x4x5x3xf32>
}

// The dilation of a window of one element says nothing.
// CHECK-LABEL: @half_with_dilation
// CHECK: pd.multiply {{.*}}xf16>
func.func @half_with_dilation(%x: tensor<2x3x4x?xf16>, %w: tensor<3x1x1x1xf16>) -> tensor<2x3x4x?xf16> {
  %0 = pd.conv2d %x, %w {groups = 3 : i64, dilations = array<i64: 2, 2>}
    : (tensor<2x3x4x?xf16>, tensor<3x1x1x1xf16>) -> tensor<2x3x4x?xf16>
  return %0 : tensor<2x3x4x?xf16>
}

// CHECK-LABEL: @one_channel
// CHECK: pd.multiply
func.func @one_channel(%x: tensor<2x1x4x5xf32>, %w: tensor<1x1x1x1xf32>) -> tensor<2x1x4x5xf32> {
  %0 = pd.conv2d %x, %w : (tensor<2x1x4x5xf32>, tensor<1x1x1x1xf32>) -> tensor<2x1x4x5xf32>
  return %0 : tensor<2x1x4x5xf32>
}

// CHECK-LABEL: @three_dimensions
// CHECK: pd.reshape %arg1 {shape = array<i64: 3, 1, 1, 1>}
// CHECK: pd.multiply
func.func @three_dimensions(%x: tensor<2x3x4x5x2xf32>, %w: tensor<3x1x1x1x1xf32>) -> tensor<2x3x4x5x2xf32> {
  %0 = pd.conv3d %x, %w {groups = 3 : i64} : (tensor<2x3x4x5x2xf32>, tensor<3x1x1x1x1xf32>) -> tensor<2x3x4x5x2xf32>
  return %0 : tensor<2x3x4x5x2xf32>
}

// CHECK-LABEL: @transposed
// CHECK: pd.multiply %arg0
// CHECK-NOT: pd.conv2d_transpose
func.func @transposed(%x: tensor<2x3x4x5xf32>, %w: tensor<3x1x1x1xf32>) -> tensor<2x3x4x5xf32> {
  %0 = pd.conv2d_transpose %x, %w {groups = 3 : i64, output_size = array<i64: 4, 5>}
    : (tensor<2x3x4x5xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @gradient_by_the_filter
// CHECK: %[[P:.*]] = pd.multiply %arg0, %arg1
// CHECK: %[[S:.*]] = pd.sum %[[P]] {axis = array<i64: 0, 2, 3>
// CHECK: pd.reshape %[[S]] {shape = array<i64: 3, 1, 1, 1>}
func.func @gradient_by_the_filter(%x: tensor<2x3x4x5xf32>, %d: tensor<2x3x4x5xf32>) -> tensor<3x1x1x1xf32> {
  %0 = pd.conv2d_weight_gradient %x, %d {kernel_size = array<i64: 1, 1>, groups = 3 : i64}
    : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<3x1x1x1xf32>
  return %0 : tensor<3x1x1x1xf32>
}

// CHECK-LABEL: @gradient_with_channels_last
// CHECK: pd.sum {{.*}} {axis = array<i64: 0, 1, 2>
func.func @gradient_with_channels_last(%x: tensor<2x4x5x3xf16>, %d: tensor<2x4x5x3xf16>) -> tensor<3x1x1x1xf16> {
  %0 = pd.conv2d_weight_gradient %x, %d data_format = NHWC {kernel_size = array<i64: 1, 1>, groups = 3 : i64}
    : (tensor<2x4x5x3xf16>, tensor<2x4x5x3xf16>) -> tensor<3x1x1x1xf16>
  return %0 : tensor<3x1x1x1xf16>
}

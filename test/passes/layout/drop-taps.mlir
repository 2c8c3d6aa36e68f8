// RUN: proa-opt %s --pd-drop-taps | FileCheck %s
// RUN: proa-opt %s --pd-drop-taps --check-numerics -o /dev/null

// The image has 8 rows and columns: a tap 8 away is in the padding for each window.
// CHECK-LABEL: @one_tap_is_left
// CHECK: %[[USED:.*]] = pd.slice %{{.*}} {axes = array<i64: 2, 3>, {{.*}}} : (tensor<4x3x3x3xf32>) -> tensor<4x3x1x1xf32>
// CHECK: pd.conv2d %{{.*}}, %[[USED]] {paddings = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>)
func.func @one_tap_is_left(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w {dilations = array<i64: 8, 8>, paddings = array<i64: 8, 8>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: @the_image_reaches_one_tap_further
// CHECK-NOT: pd.slice
// CHECK: pd.conv2d
func.func @the_image_reaches_one_tap_further(%x: tensor<1x3x9x9xf32>, %w: tensor<4x3x3x3xf32>)
    -> tensor<1x4x9x9xf32> {
  %0 = pd.conv2d %x, %w {dilations = array<i64: 8, 8>, paddings = array<i64: 8, 8>}
    : (tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x9x9xf32>
  return %0 : tensor<1x4x9x9xf32>
}

// Columns keep their taps.
// CHECK-LABEL: @rows_only
// CHECK: pd.slice %{{.*}} {axes = array<i64: 2>
// CHECK-SAME: -> tensor<4x3x1x3xf32>
// CHECK: pd.conv2d {{.*}}dilations = array<i64: 1, 8>{{.*}}paddings = array<i64: 0, 0, 8, 8>
func.func @rows_only(%x: tensor<1x3x8x20xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x20xf32> {
  %0 = pd.conv2d %x, %w {dilations = array<i64: 8, 8>, paddings = array<i64: 8, 8>}
    : (tensor<1x3x8x20xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x20xf32>
  return %0 : tensor<1x4x8x20xf32>
}

// A side without enough padding keeps its tap: a padding cannot be negative.
// CHECK-LABEL: @little_padding
// CHECK-NOT: pd.slice
// CHECK: pd.conv2d
func.func @little_padding(%x: tensor<1x3x4x4xf32>, %w: tensor<4x3x2x2xf32>) -> tensor<1x4x5x5xf32> {
  %0 = pd.conv2d %x, %w {dilations = array<i64: 6, 6>, paddings = array<i64: 5, 2, 5, 2>}
    : (tensor<1x3x4x4xf32>, tensor<4x3x2x2xf32>) -> tensor<1x4x5x5xf32>
  return %0 : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: @one_window
// CHECK-NOT: pd.slice
// CHECK: pd.conv2d
func.func @one_window(%x: tensor<1x3x2x2xf32>, %w: tensor<4x3x2x2xf32>) -> tensor<1x4x1x1xf32> {
  %0 = pd.conv2d %x, %w {dilations = array<i64: 6, 6>, paddings = array<i64: 3, 2, 3, 2>}
    : (tensor<1x3x2x2xf32>, tensor<4x3x2x2xf32>) -> tensor<1x4x1x1xf32>
  return %0 : tensor<1x4x1x1xf32>
}

// CHECK-LABEL: @dynamic
// CHECK-NOT: pd.slice
// CHECK: pd.conv2d
func.func @dynamic(%x: tensor<1x3x?x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x?x8xf32> {
  %0 = pd.conv2d %x, %w {dilations = array<i64: 8, 8>, paddings = array<i64: 8, 8>}
    : (tensor<1x3x?x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x?x8xf32>
  return %0 : tensor<1x4x?x8xf32>
}

// CHECK-LABEL: @three_dimensions
// CHECK: pd.slice {{.*}}axes = array<i64: 2, 4>
// CHECK: pd.conv3d
func.func @three_dimensions(%x: tensor<1x2x4x9x4xf32>, %w: tensor<4x2x3x3x3xf32>) -> tensor<1x4x4x9x4xf32> {
  %0 = pd.conv3d %x, %w {dilations = array<i64: 4, 4, 4>, paddings = array<i64: 4, 4, 4>}
    : (tensor<1x2x4x9x4xf32>, tensor<4x2x3x3x3xf32>) -> tensor<1x4x4x9x4xf32>
  return %0 : tensor<1x4x4x9x4xf32>
}

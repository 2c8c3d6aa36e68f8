// RUN: proa-opt %s --pd-merge-branches | FileCheck %s
// RUN: proa-opt %s --pd-merge-branches --check-numerics --check-numerics-finite -o /dev/null

// A block of RepVGG: the biases are summed, too.
// CHECK-LABEL: @window_and_pixel
// CHECK: %[[P:.*]] = pd.pad %arg2 {paddings = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>}
// CHECK: %[[W:.*]] = pd.add %arg1, %[[P]]
// CHECK: %[[C:.*]] = pd.conv2d %arg0, %[[W]] {paddings = array<i64: 1, 1>}
// CHECK: %[[B:.*]] = pd.add %arg4, %arg3
// CHECK: %[[S:.*]] = pd.add %[[C]], %[[B]]
// CHECK: return %[[S]]
func.func @window_and_pixel(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {pd.param = "w"},
    %v: tensor<4x3x1x1xf32> {pd.param = "v"}, %b: tensor<4x1x1xf32> {pd.param = "b"},
    %c: tensor<1x4x1x1xf32> {pd.param = "c"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 1, 1>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.add %0, %b : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.conv2d %x, %v : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %3 = pd.add %2, %c : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %4 = pd.add %3, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %4 : tensor<1x4x8x8xf32>
}

// The other addends stay, in their order.
// CHECK-LABEL: @strides
// CHECK: pd.pad %arg2 {paddings = array<i64: 0, 0, 0, 0, 1, 0, 1, 1>}
// CHECK: %[[C:.*]] = pd.conv2d
// CHECK: %[[Y:.*]] = pd.add %[[C]], %arg3
// CHECK: pd.add %[[Y]], %arg4
func.func @strides(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x3x3xf32> {pd.param = "w"},
    %v: tensor<4x1x2x1xf32> {pd.param = "v"}, %y: tensor<1x4x4x4xf32>, %z: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = pd.conv2d %x, %w {groups = 4 : i64, paddings = array<i64: 1, 1>, strides = array<i64: 2, 2>}
    : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
  %1 = pd.add %y, %0 : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %2 = pd.conv2d %x, %v {groups = 4 : i64, strides = array<i64: 2, 2>}
    : (tensor<1x4x8x8xf32>, tensor<4x1x2x1xf32>) -> tensor<1x4x4x4xf32>
  %3 = pd.add %z, %2 : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %4 = pd.add %1, %3 : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %4 : tensor<1x4x4x4xf32>
}

// The normalization becomes the diagonal of the tap in the middle, in each group.
// CHECK-LABEL: @normalization
// CHECK-DAG: pd.rsqrt
// CHECK-DAG: %[[E:.*]] = pd.eye {{.*}}num_rows = 2
// CHECK: pd.reshape {{.*}} {shape = array<i64: 4, 2, 1, 1>}
// CHECK: pd.pad {{.*}} {paddings = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>}
// CHECK: pd.conv2d
// CHECK-NOT: pd.batch_norm
func.func @normalization(%x: tensor<1x4x8x8xf32>, %w: tensor<4x2x3x3xf32> {pd.param = "w"},
    %m: tensor<4xf32> {pd.param = "m"}, %v: tensor<4xf32> {pd.param = "v"}, %s: tensor<4xf32> {pd.param = "s"},
    %b: tensor<4xf32> {pd.param = "b"}) -> tensor<1x4x8x8xf32> {
  %n = pd.abs %v : (tensor<4xf32>) -> tensor<4xf32>
  %0 = pd.conv2d %x, %w {groups = 2 : i64, paddings = array<i64: 1, 1>}
    : (tensor<1x4x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1:6 = "pd.batch_norm"(%x, %m, %n, %s, %b) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  %2 = pd.add %1#0, %0 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// A block of MobileOne with channels last: factors of channels, a normalization, and the number 0 of Python's sum().
// CHECK-LABEL: @depthwise
// CHECK: pd.conv2d {{.*}} data_format = NHWC
// CHECK-NOT: pd.conv2d
// CHECK-NOT: pd.batch_norm
func.func @depthwise(%x: tensor<1x8x8x4xf32>, %w: tensor<4x1x3x3xf32> {pd.param = "w"},
    %f: tensor<4x1x1x1xf32> {pd.param = "f"}, %m: tensor<4xf32> {pd.param = "m"},
    %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x8x8x4xf32> {
  %zero = pd.constant dense<0.0> : tensor<f32>
  %n = pd.abs %v : (tensor<4xf32>) -> tensor<4xf32>
  %0 = pd.conv2d %x, %w data_format = NHWC {groups = 4 : i64, paddings = array<i64: 1, 1>}
    : (tensor<1x8x8x4xf32>, tensor<4x1x3x3xf32>) -> tensor<1x8x8x4xf32>
  %1 = pd.conv2d %x, %f data_format = NHWC {groups = 4 : i64}
    : (tensor<1x8x8x4xf32>, tensor<4x1x1x1xf32>) -> tensor<1x8x8x4xf32>
  %2:6 = "pd.batch_norm"(%x, %m, %n) {is_test = true, data_format = #pd<data_format NHWC>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  %3 = pd.add %0, %zero : (tensor<1x8x8x4xf32>, tensor<f32>) -> tensor<1x8x8x4xf32>
  %4 = pd.add %3, %1 : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %5 = pd.add %4, %2#0 : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  return %5 : tensor<1x8x8x4xf32>
}

// Factors of channels on the diagonal of a filter without groups.
// CHECK-LABEL: @factors
// CHECK: pd.eye
// CHECK: pd.conv2d
// CHECK-NOT: groups = 4
// CHECK: return
func.func @factors(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32> {pd.param = "w"},
    %f: tensor<4x1x1x1xf32> {pd.param = "f"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %f {groups = 4 : i64} : (tensor<1x4x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// Taps with the same dilation, around the same element. Rows and columns of the image are dynamic.
// CHECK-LABEL: @dilated
// CHECK: pd.pad %arg2 {paddings = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>}
func.func @dilated(%x: tensor<1x3x?x?xf32>, %w: tensor<4x3x5x5xf32> {pd.param = "w"},
    %v: tensor<4x3x3x3xf32> {pd.param = "v"}) -> tensor<1x4x?x?xf32> {
  %0 = pd.conv2d %x, %w {dilations = array<i64: 2, 2>, paddings = array<i64: 4, 4>}
    : (tensor<1x3x?x?xf32>, tensor<4x3x5x5xf32>) -> tensor<1x4x?x?xf32>
  %1 = pd.conv2d %x, %v {dilations = array<i64: 2, 2>, paddings = array<i64: 2, 2>}
    : (tensor<1x3x?x?xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x?x?xf32>
  %2 = pd.add %0, %1 : (tensor<1x4x?x?xf32>, tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
  return %2 : tensor<1x4x?x?xf32>
}

// Near misses: a result that is read elsewhere, an image that is not the same, a filter that is fed.
// CHECK-LABEL: @other_use
// CHECK-COUNT-2: pd.conv2d
func.func @other_use(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"},
    %v: tensor<4x3x1x1xf32> {pd.param = "v"}) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d %x, %v : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %0, %2 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
}

// CHECK-LABEL: @other_image
// CHECK-COUNT-2: pd.conv2d
func.func @other_image(%x: tensor<1x3x8x8xf32>, %y: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"},
    %v: tensor<4x3x1x1xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d %y, %v : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: @fed_filter
// CHECK-COUNT-2: pd.conv2d
func.func @fed_filter(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"}, %v: tensor<4x3x1x1xf32>)
    -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d %x, %v : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// In training the statistics come from the batch.
// CHECK-LABEL: @training
// CHECK: pd.batch_norm
func.func @training(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x1x1xf32> {pd.param = "w"},
    %m: tensor<4xf32> {pd.param = "m"}, %v: tensor<4xf32> {pd.param = "v"}) -> tensor<2x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<2x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %1:6 = "pd.batch_norm"(%x, %m, %v) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  %2 = pd.add %1#0, %0 : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return %2 : tensor<2x4x8x8xf32>
}

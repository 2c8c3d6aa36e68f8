// RUN: proa-opt --pd-fold-batch-norm %s | FileCheck %s

// CHECK-LABEL: func @fold
// CHECK: pd.rsqrt
// CHECK: %[[W:.*]] = pd.multiply %arg1
// CHECK: %[[C:.*]] = pd.conv2d %arg0, %[[W]]
// CHECK: pd.add %[[C]]
// CHECK-NOT: pd.batch_norm
func.func @fold(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"},
                %v: tensor<4xf32> {pd.param = "v"}, %s: tensor<4xf32> {pd.param = "s"}, %b: tensor<4xf32> {pd.param = "b"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1:6 = "pd.batch_norm"(%0, %m, %v, %s, %b) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8xf32>
}

// Near miss: in training the statistics come from the batch.
// CHECK-LABEL: func @training
// CHECK: pd.batch_norm
func.func @training(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"},
                %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1:6 = "pd.batch_norm"(%0, %m, %v) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8xf32>
}

// Results whose types say less than what takes their place: the function keeps its type.
// CHECK-LABEL: func @less_known
// CHECK-SAME: -> (tensor<2x?x8x8xf32>, tensor<?xf32>)
// CHECK-NOT: pd.batch_norm
// CHECK-DAG: %[[MEAN:.*]] = tensor.cast %arg2 : tensor<4xf32> to tensor<?xf32>
// CHECK-DAG: %[[OUT:.*]] = tensor.cast %{{.*}} : tensor<2x4x8x8xf32> to tensor<2x?x8x8xf32>
// CHECK: return %[[OUT]], %[[MEAN]]
func.func @less_known(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"},
                %v: tensor<4xf32> {pd.param = "v"}) -> (tensor<2x?x8x8xf32>, tensor<?xf32>) {
  %0 = pd.conv2d %x, %w : (tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x8x8xf32>
  %1:6 = "pd.batch_norm"(%0, %m, %v) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<2x?x8x8xf32>, tensor<?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0, %1#1 : tensor<2x?x8x8xf32>, tensor<?xf32>
}

// The filter of a transposed convolution has the channels of the result in its second dim.
// CHECK-LABEL: func @transposed
// CHECK: %[[F:.*]] = pd.reshape %{{.*}} {shape = array<i64: 1, -1, 1, 1>}
// CHECK: %[[W:.*]] = pd.multiply %arg1, %[[F]]
// CHECK: pd.conv2d_transpose %arg0, %[[W]]
// CHECK-NOT: pd.batch_norm
func.func @transposed(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x1x1xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"},
                %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d_transpose %x, %w : (tensor<1x3x8x8xf32>, tensor<3x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1:6 = "pd.batch_norm"(%0, %m, %v) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func @volumes
// CHECK: pd.conv3d
// CHECK: pd.add
// CHECK-NOT: pd.batch_norm
func.func @volumes(%x: tensor<1x3x8x8x8xf32>, %w: tensor<4x3x1x1x1xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"},
                %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8x8xf32> {
  %0 = pd.conv3d %x, %w : (tensor<1x3x8x8x8xf32>, tensor<4x3x1x1x1xf32>) -> tensor<1x4x8x8x8xf32>
  %1:6 = "pd.batch_norm"(%0, %m, %v) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8x8xf32>
}

// Near miss: a slice of this filter belongs to a channel of each group.
// CHECK-LABEL: func @transposed_groups
// CHECK: pd.batch_norm
func.func @transposed_groups(%x: tensor<1x2x8x8xf32>, %w: tensor<2x2x1x1xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"},
                %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d_transpose %x, %w {groups = 2 : i64} : (tensor<1x2x8x8xf32>, tensor<2x2x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1:6 = "pd.batch_norm"(%0, %m, %v) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8xf32>
}

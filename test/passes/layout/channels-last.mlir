// RUN: proa-opt --pd-channels-last --canonicalize %s | FileCheck %s

// One transpose in, one out; what lies between follows, a residual and a bias for each channel too.
// CHECK-LABEL: func @flow
// CHECK-COUNT-1: pd.transpose {{.*}}perm = array<i64: 0, 2, 3, 1>
// CHECK: pd.conv2d {{.*}}data_format = NHWC
// CHECK: pd.add {{.*}} : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
// CHECK: pd.relu {{.*}} tensor<1x8x8x4xf32>
// CHECK: pd.conv2d {{.*}}data_format = NHWC
// CHECK: pd.add {{.*}} : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>)
// CHECK: pd.transpose {{.*}}perm = array<i64: 0, 3, 1, 2>
// CHECK-NEXT: return
func.func @flow(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %b: tensor<1x4x1x1xf32>, %v: tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.add %0, %b : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.relu %1 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %3 = pd.conv2d %2, %v : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %4 = pd.add %3, %2 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %4 : tensor<1x4x8x8xf32>
}

// A mean over the image needs no transpose back.
// CHECK-LABEL: func @mean
// CHECK: pd.mean {{.*}}axis = array<i64: 1, 2>{{.*}} (tensor<1x8x8x4xf32>) -> tensor<1x4xf32>
// CHECK-NOT: perm = array<i64: 0, 3, 1, 2>
func.func @mean(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x4xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.mean %0 {axis = array<i64: 2, 3>} : (tensor<1x4x8x8xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// Near miss: without a convolution nothing changes.
// CHECK-LABEL: func @no_conv
// CHECK-NOT: pd.transpose
func.func @no_conv(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %0 = pd.relu %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// A gradient has two images; a filter's gradient is none.
// CHECK-LABEL: func @gradient
// CHECK-DAG: %[[X:.*]] = pd.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
// CHECK-DAG: %[[D:.*]] = pd.transpose %arg2 {perm = array<i64: 0, 2, 3, 1>}
// CHECK: %[[DW:.*]] = pd.conv2d_weight_gradient %[[X]], %[[D]] data_format = NHWC {kernel_size = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<1x8x8x4xf32>) -> tensor<4x3x1x1xf32>
// CHECK: return %{{.*}}, %[[DW]]
func.func @gradient(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %d: tensor<1x4x8x8xf32>) -> (tensor<1x4x8x8xf32>, tensor<4x3x1x1xf32>) {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d_weight_gradient %x, %d {kernel_size = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<4x3x1x1xf32>
  return %0, %1 : tensor<1x4x8x8xf32>, tensor<4x3x1x1xf32>
}

// Sums over all but the channels keep them.
// CHECK-LABEL: func @statistics
// CHECK: pd.sum {{.*}}axis = array<i64: 0, 1, 2>{{.*}} (tensor<1x8x8x4xf32>) -> tensor<4xf32>
// CHECK-NOT: perm = array<i64: 0, 3, 1, 2>
func.func @statistics(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<4xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.sum %0 {axis = array<i64: 0, 2, 3>} : (tensor<1x4x8x8xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Near miss: unpool knows channels first only.
// CHECK-LABEL: func @unpool
// CHECK: pd.unpool {{.*}} : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>) -> tensor<1x4x8x8xf32>
func.func @unpool(%x: tensor<1x3x4x4xf32>, %w: tensor<4x3x1x1xf32>, %i: tensor<1x4x4x4xi32>) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x4x4xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x4x4xf32>
  %1 = pd.unpool %0, %i data_format = NCHW {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>}
      : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// Convolutions of integers start a chain too, and paddings follow.
// CHECK-LABEL: func @integers
// CHECK: %[[X:.*]] = pd.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xui8>) -> tensor<1x8x8x3xui8>
// CHECK: %[[A:.*]] = pd.integer_conv2d %[[X]], %arg1 data_format = NHWC {{.*}} : (tensor<1x8x8x3xui8>, tensor<4x3x1x1xi8>) -> tensor<1x8x8x4xi32>
// CHECK: %[[B:.*]] = pd.cast %[[A]] {dtype = ui8}
// CHECK: %[[P:.*]] = pd.pad %[[B]] {pad_value = 7.000000e+00 : f64, paddings = array<i64: 0, 0, 1, 2, 3, 4, 0, 0>} : (tensor<1x8x8x4xui8>) -> tensor<1x11x15x4xui8>
// CHECK: pd.integer_conv2d %[[P]], %arg2 data_format = NHWC
func.func @integers(%x: tensor<1x3x8x8xui8>, %w: tensor<4x3x1x1xi8>, %v: tensor<4x4x1x1xi8>) -> tensor<1x4x11x15xi32> {
  %0 = pd.integer_conv2d %x, %w : (tensor<1x3x8x8xui8>, tensor<4x3x1x1xi8>) -> tensor<1x4x8x8xi32>
  %1 = pd.cast %0 {dtype = ui8} : (tensor<1x4x8x8xi32>) -> tensor<1x4x8x8xui8>
  %2 = pd.pad %1 {pad_value = 7.0 : f64, paddings = array<i64: 0, 0, 0, 0, 1, 2, 3, 4>} : (tensor<1x4x8x8xui8>) -> tensor<1x4x11x15xui8>
  %3 = pd.integer_conv2d %2, %v : (tensor<1x4x11x15xui8>, tensor<4x4x1x1xi8>) -> tensor<1x4x11x15xi32>
  return %3 : tensor<1x4x11x15xi32>
}

// Tokens of a transformer between convolutions: the transposes around reshapes cancel, and an image that is made of
// tokens starts a chain.
// CHECK-LABEL: func @tokens
// CHECK-NOT: pd.transpose
// CHECK: %[[IMAGE:.*]] = pd.reshape %arg0 {shape = array<i64: 1, 4, 6, 8>} : (tensor<1x24x8xf32>) -> tensor<1x4x6x8xf32>
// CHECK: pd.conv2d %[[IMAGE]], {{.*}}data_format = NHWC
// CHECK: pd.reshape {{.*}} : (tensor<1x4x6x8xf32>) -> tensor<1x24x8xf32>
// CHECK-NOT: pd.transpose
// CHECK: return
func.func @tokens(%x: tensor<1x24x8xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x24x8xf32> {
  %0 = pd.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<1x24x8xf32>) -> tensor<1x8x24xf32>
  %1 = pd.reshape %0 {shape = array<i64: 1, 8, 4, 6>} : (tensor<1x8x24xf32>) -> tensor<1x8x4x6xf32>
  %2 = pd.conv2d %1, %w : (tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x6xf32>
  %3 = pd.reshape %2 {shape = array<i64: 1, 8, 24>} : (tensor<1x8x4x6xf32>) -> tensor<1x8x24xf32>
  %4 = pd.transpose %3 {perm = array<i64: 0, 2, 1>} : (tensor<1x8x24xf32>) -> tensor<1x24x8xf32>
  return %4 : tensor<1x24x8xf32>
}

// The same with a flatten, as vision transformers make tokens of patches.
// CHECK-LABEL: func @flattened
// CHECK: %[[CONV:.*]] = pd.conv2d {{.*}}data_format = NHWC
// CHECK: %[[OUT:.*]] = pd.reshape %[[CONV]] {shape = array<i64: 1, 24, 8>}
// CHECK-NOT: pd.transpose
// CHECK: return %[[OUT]]
func.func @flattened(%x: tensor<1x8x4x6xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x24x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x6xf32>
  %1 = pd.flatten %0 {start_axis = 2 : i64, stop_axis = 3 : i64} : (tensor<1x8x4x6xf32>) -> tensor<1x8x24xf32>
  %2 = pd.transpose %1 {perm = array<i64: 0, 2, 1>} : (tensor<1x8x24xf32>) -> tensor<1x24x8xf32>
  return %2 : tensor<1x24x8xf32>
}

// Near miss: channels and rows become one dimension.
// CHECK-LABEL: func @flattened_channels
// CHECK: pd.conv2d {{.*}}data_format = NHWC
// CHECK: pd.transpose {{.*}}perm = array<i64: 0, 3, 1, 2>
// CHECK: pd.flatten
// CHECK: pd.transpose {{.*}}perm = array<i64: 0, 2, 1>
func.func @flattened_channels(%x: tensor<1x8x4x6xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x6x32xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x6xf32>
  %1 = pd.flatten %0 {start_axis = 1 : i64, stop_axis = 2 : i64} : (tensor<1x8x4x6xf32>) -> tensor<1x32x6xf32>
  %2 = pd.transpose %1 {perm = array<i64: 0, 2, 1>} : (tensor<1x32x6xf32>) -> tensor<1x6x32xf32>
  return %2 : tensor<1x6x32xf32>
}

// Near miss: the second transpose exchanges the rows and the columns of the image.
// CHECK-LABEL: func @other_order
// CHECK: pd.transpose {{.*}}perm = array<i64: 0, 2, 1>
// CHECK: pd.transpose {{.*}}perm = array<i64: 0, 3, 2, 1>
func.func @other_order(%x: tensor<1x24x8xf32>) -> tensor<1x6x4x8xf32> {
  %0 = pd.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<1x24x8xf32>) -> tensor<1x8x24xf32>
  %1 = pd.reshape %0 {shape = array<i64: 1, 8, 4, 6>} : (tensor<1x8x24xf32>) -> tensor<1x8x4x6xf32>
  %2 = pd.transpose %1 {perm = array<i64: 0, 3, 2, 1>} : (tensor<1x8x4x6xf32>) -> tensor<1x6x4x8xf32>
  return %2 : tensor<1x6x4x8xf32>
}

// Near miss: the reshape cuts through the tokens.
// CHECK-LABEL: func @cut
// CHECK-COUNT-2: pd.transpose
func.func @cut(%x: tensor<1x24x8xf32>) -> tensor<1x16x12xf32> {
  %0 = pd.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<1x24x8xf32>) -> tensor<1x8x24xf32>
  %1 = pd.reshape %0 {shape = array<i64: 1, 12, 16>} : (tensor<1x8x24xf32>) -> tensor<1x12x16xf32>
  %2 = pd.transpose %1 {perm = array<i64: 0, 2, 1>} : (tensor<1x12x16xf32>) -> tensor<1x16x12xf32>
  return %2 : tensor<1x16x12xf32>
}

// The class of each pixel.
// CHECK-LABEL: func @classes
// CHECK: pd.argmax {{.*}}{axis = 3 : i64{{.*}} (tensor<1x8x8x4xf32>) -> tensor<1x8x8xi64>
// CHECK-NOT: perm = array<i64: 0, 3, 1, 2>
func.func @classes(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x8x8xi64> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.argmax %0 {axis = 1 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x8x8xi64>
  return %1 : tensor<1x8x8xi64>
}

// Near miss: without rows the result would be transposed.
// CHECK-LABEL: func @best_rows
// CHECK: perm = array<i64: 0, 3, 1, 2>
// CHECK: pd.argmax {{.*}}{axis = 2 : i64
func.func @best_rows(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x4x8xi64> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.argmax %0 {axis = 2 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8xi64>
  return %1 : tensor<1x4x8xi64>
}

// Pieces of an image keep channels last.
// CHECK-LABEL: func @pieces
// CHECK: pd.conv2d {{.*}} data_format = NHWC
// CHECK: %[[S:.*]]:2 = pd.split %{{.*}} {axis = 3 : i64, sections = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>) -> (tensor<1x8x8x2xf32>, tensor<1x8x8x2xf32>)
// CHECK: pd.slice %[[S]]#1 {axes = array<i64: 1>, {{.*}} -> tensor<1x6x8x2xf32>
// CHECK: pd.transpose
// CHECK: return
func.func @pieces(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %v: tensor<4x4x1x1xf32>)
    -> (tensor<1x2x8x8xf32>, tensor<1x2x6x8xf32>) {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.conv2d %1, %v : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %3:2 = pd.split %2 {axis = -3 : i64, sections = array<i64: 2, 2>}
    : (tensor<1x4x8x8xf32>) -> (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>)
  %4 = pd.slice %3#1 {axes = array<i64: -2>, starts = array<i64: 0>, ends = array<i64: 6>}
    : (tensor<1x2x8x8xf32>) -> tensor<1x2x6x8xf32>
  return %3#0, %4 : tensor<1x2x8x8xf32>, tensor<1x2x6x8xf32>
}

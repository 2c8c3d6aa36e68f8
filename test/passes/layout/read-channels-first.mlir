// RUN: proa-opt %s --pd-read-channels-first --canonicalize --remarks=pd-read-channels-first --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @few
// CHECK-NEXT: rt.conv2d %arg0, {{.*}}data_format = NHWC input_format = NCHW
func.func @few(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x6x6x4xf32> {
  %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  // expected-remark @below {{pd-read-channels-first: rt.conv2d reads its image with channels first: it has 3 channels, at most 8}}
  %0 = rt.conv2d %t, %w, %b data_format = NHWC {post_ops = [#rt.post_op<bias>]} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// The transpose of other users stays.
// CHECK-LABEL: func @shared
// CHECK: %[[T:.*]] = pd.transpose
// CHECK: rt.conv2d %arg0, {{.*}}input_format = NCHW
// CHECK: return %{{.*}}, %[[T]]
func.func @shared(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<1x6x6x4xf32>, tensor<1x8x8x3xf32>) {
  %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  // expected-remark @below {{rt.conv2d reads its image with channels first: it has 3 channels, at most 8}}
  %0 = rt.conv2d %t, %w data_format = NHWC : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return %0, %t : tensor<1x6x6x4xf32>, tensor<1x8x8x3xf32>
}

// CHECK-LABEL: func @other_order
// CHECK: pd.transpose
func.func @other_order(%x: tensor<1x8x3x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32> {
  %t = pd.transpose %x {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x8x3x8xf32>) -> tensor<1x8x8x3xf32>
  // expected-remark @below {{rt.conv2d reads its image with channels last: its image is not transposed from channels first}}
  %0 = rt.conv2d %t, %w data_format = NHWC : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// CHECK-LABEL: func @many
// CHECK: pd.transpose
func.func @many(%x: tensor<1x9x8x8xf32>, %w: tensor<4x9x3x3xf32>) -> tensor<1x6x6x4xf32> {
  %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x9x8x8xf32>) -> tensor<1x8x8x9xf32>
  // expected-remark @below {{its image has 9 channels in 1 groups, expected 1 to 8 in one group}}
  %0 = rt.conv2d %t, %w data_format = NHWC : (tensor<1x8x8x9xf32>, tensor<4x9x3x3xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// CHECK-LABEL: func @pixels
// CHECK: pd.transpose
func.func @pixels(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x8x8x4xf32> {
  %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  // expected-remark @below {{its window is one pixel}}
  %0 = rt.conv2d %t, %w data_format = NHWC : (tensor<1x8x8x3xf32>, tensor<4x3x1x1xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// CHECK-LABEL: func @groups
// CHECK: pd.transpose
func.func @groups(%x: tensor<1x4x8x8xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x6x6x4xf32> {
  %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x8x8x4xf32>
  // expected-remark @below {{its image has 4 channels in 2 groups, expected 1 to 8 in one group}}
  %0 = rt.conv2d %t, %w data_format = NHWC {groups = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<4x2x3x3xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// CHECK-LABEL: func @dynamic_channels
// CHECK: pd.transpose
func.func @dynamic_channels(%x: tensor<1x?x8x8xf32>, %w: tensor<4x?x3x3xf32>) -> tensor<1x6x6x4xf32> {
  %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x?x8x8xf32>) -> tensor<1x8x8x?xf32>
  // expected-remark @below {{its image has ? channels in 1 groups, expected 1 to 8 in one group}}
  %0 = rt.conv2d %t, %w data_format = NHWC : (tensor<1x8x8x?xf32>, tensor<4x?x3x3xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// CHECK-LABEL: func @halves
// CHECK: pd.transpose
func.func @halves(%x: tensor<1x3x8x8xbf16>, %w: tensor<4x3x3x3xbf16>) -> tensor<1x6x6x4xbf16> {
  %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xbf16>) -> tensor<1x8x8x3xbf16>
  // expected-remark @below {{its image is not in f32}}
  %0 = rt.conv2d %t, %w data_format = NHWC : (tensor<1x8x8x3xbf16>, tensor<4x3x3x3xbf16>) -> tensor<1x6x6x4xbf16>
  return %0 : tensor<1x6x6x4xbf16>
}

// A result with channels first is another convolution: nothing is transposed before it.
// CHECK-LABEL: func @stores_first
// CHECK: pd.transpose
// CHECK: rt.conv2d %{{[0-9]+}}, %arg1 :
func.func @stores_first(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %t = pd.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x8x8x3xf32>) -> tensor<1x3x8x8xf32>
  %0 = rt.conv2d %t, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// CHECK-LABEL: func @dynamic(
// CHECK-NOT: pd.transpose
// CHECK: rt.conv2d %arg0, {{.*}}input_format = NCHW
func.func @dynamic(%x: tensor<1x3x?x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x?x6x4xf32> {
  %t = pd.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x?x8xf32>) -> tensor<1x?x8x3xf32>
  // expected-remark @below {{rt.conv2d reads its image with channels first: it has 3 channels, at most 8}}
  %0 = rt.conv2d %t, %w data_format = NHWC : (tensor<1x?x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x?x6x4xf32>
  return %0 : tensor<1x?x6x4xf32>
}

// RUN: proa-opt --pd-fuse-epilogues %s | FileCheck %s

// CHECK-LABEL: func @bias_and_activation
// CHECK-NEXT: %[[R:.*]] = rt.matmul %arg0, %arg1, %arg2 {post_ops = [#rt.post_op<bias>, #rt.post_op<relu>]}
// CHECK-NEXT: return %[[R]]
func.func @bias_and_activation(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = pd.relu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// An activation of a reshape of the result is computed before it.
// CHECK-LABEL: func @reshaped
// CHECK: %[[R:.*]] = rt.matmul %arg0, %arg1, %arg2 {post_ops = [#rt.post_op<bias>, #rt.post_op<relu>, #rt.post_op<gelu_erf>]}
// CHECK-SAME: -> tensor<4x16xf32>
// CHECK-NEXT: %[[A:.*]] = pd.reshape %[[R]]
// CHECK-NEXT: %[[B:.*]] = pd.flatten %[[A]]
// CHECK-NEXT: return %[[B]]
func.func @reshaped(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x4x4xf32> {
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = pd.reshape %1 {shape = array<i64: 4, 4, 2, 2>} : (tensor<4x16xf32>) -> tensor<4x4x2x2xf32>
  %3 = pd.relu %2 : (tensor<4x4x2x2xf32>) -> tensor<4x4x2x2xf32>
  %4 = pd.flatten %3 {start_axis = 2 : i64, stop_axis = 3 : i64} : (tensor<4x4x2x2xf32>) -> tensor<4x4x4xf32>
  %5 = pd.gelu %4 : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return %5 : tensor<4x4x4xf32>
}

// Near misses: the reshape has another user; the runtime does not have a function as an activation.
// CHECK-LABEL: func @reshaped_users
// CHECK: pd.matmul
// CHECK: pd.reshape
// CHECK: pd.relu
// CHECK: pd.matmul
// CHECK: pd.reshape
// CHECK: pd.sin
func.func @reshaped_users(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.reshape %0 {shape = array<i64: 8, 8>} : (tensor<4x16xf32>) -> tensor<8x8xf32>
  %2 = pd.relu %1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %4 = pd.reshape %3 {shape = array<i64: 8, 8>} : (tensor<4x16xf32>) -> tensor<8x8xf32>
  %5 = pd.sin %4 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %2, %5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// The residual may be the first operand of the sum.
// CHECK-LABEL: func @residual
// CHECK: rt.matmul %arg0, %arg1, %arg2, %arg3 {post_ops = [#rt.post_op<bias>, #rt.post_op<add>]}
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>, %r: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = pd.add %r, %1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// Attention: scaled and transposed operands are read where they lie, the result is stored transposed.
// CHECK-LABEL: func @attention
// CHECK-NEXT: %[[S:.*]] = rt.matmul %arg0, %arg1 {alpha = 1.250000e-01 : f64, transpose_y = true, x_permutation = array<i64: 0, 2, 1, 3>, y_permutation = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: rt.matmul %[[S]], %arg2 {out_permutation = array<i64: 0, 2, 1, 3>, y_permutation = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: return
func.func @attention(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x4x16xf32>, %v: tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32> {
  %0 = pd.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %1 = pd.scale %0 {scale = 0.125} : (tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  %2 = pd.transpose %k {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %3 = pd.matmul %1, %2 {transpose_y = true} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x8xf32>
  %4 = pd.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %5 = pd.matmul %3, %4 : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  %6 = pd.transpose %5 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x8x16xf32>) -> tensor<2x8x4x16xf32>
  return %6 : tensor<2x8x4x16xf32>
}

// Near miss: a second user needs the product itself.
// CHECK-LABEL: func @two_users
// CHECK: pd.matmul
// CHECK: pd.relu
func.func @two_users(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.relu %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// Near miss: a broadcast mask is not a bias; it stays for the kernel of the softmax after it.
// CHECK-LABEL: func @mask
// CHECK: pd.matmul
// CHECK: pd.add
func.func @mask(%x: tensor<2x4x8xf32>, %w: tensor<2x8x16xf32>, %m: tensor<2x1x16xf32>) -> tensor<2x4x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  %1 = pd.add %0, %m : (tensor<2x4x16xf32>, tensor<2x1x16xf32>) -> tensor<2x4x16xf32>
  return %1 : tensor<2x4x16xf32>
}

// Near miss: double precision is computed by a plain loop, which gains nothing.
// CHECK-LABEL: func @double
// CHECK: pd.matmul
func.func @double(%x: tensor<4x8xf64>, %w: tensor<8x16xf64>) -> tensor<4x16xf64> {
  %0 = pd.matmul %x, %w : (tensor<4x8xf64>, tensor<8x16xf64>) -> tensor<4x16xf64>
  %1 = pd.relu %0 : (tensor<4x16xf64>) -> tensor<4x16xf64>
  return %1 : tensor<4x16xf64>
}

// The bias of a convolution with channels first has the shape [1, C, 1, 1].
// CHECK-LABEL: func @conv
// CHECK: %[[B:.*]] = pd.reshape %arg2
// CHECK: rt.conv2d %arg0, %arg1, %[[B]] {{.*}}post_ops = [#rt.post_op<bias>, #rt.post_op<relu>]
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %b: tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.add %0, %b : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.relu %1 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// Near miss: the residual of a depthwise convolution.
// CHECK-LABEL: func @depthwise
// CHECK: pd.conv2d
// CHECK: pd.add
func.func @depthwise(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x1x1xf32>, %r: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w {groups = 4 : i64, paddings = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.add %0, %r : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// Of a depthwise convolution with dilated taps the bias alone.
// CHECK-LABEL: func @dilated_depthwise
// CHECK: rt.conv2d{{.*}}post_ops = [#rt.post_op<bias>]
// CHECK: pd.relu
func.func @dilated_depthwise(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x3x3xf32>, %b: tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w {groups = 4 : i64, dilations = array<i64: 2, 2>, paddings = array<i64: 2, 2, 2, 2>} : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.add %0, %b : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = pd.relu %1 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

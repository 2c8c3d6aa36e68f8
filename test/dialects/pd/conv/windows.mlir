// Dims of convolutions and poolings, and their folds once dims are static.
// RUN: proa-opt %s | proa-opt --canonicalize | FileCheck %s

// CHECK-LABEL: @paddings_in_pairs
// CHECK: pd.conv2d %arg0, %arg1 {groups = 2 : i64, paddings = array<i64: 1, 1, 2, 2>, strides = array<i64: 2, 2>}
func.func @paddings_in_pairs(%x: tensor<2x4x8x8xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<2x6x4x5xf32> {
  %0 = pd.conv2d %x, %w {groups = 2, paddings = array<i64: 1, 2>, strides = array<i64: 2, 2>} : (tensor<2x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x4x5xf32>
  return %0 : tensor<2x6x4x5xf32>
}

// SAME: 4 windows of stride 2 over 8 need 9 elements, one more behind. Dilations count as 1.
// CHECK-LABEL: @same
// CHECK: pd.conv2d %arg0, %arg1 {paddings = array<i64: 0, 1, 0, 1>, strides = array<i64: 2, 2>}
func.func @same(%x: tensor<?x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<?x6x4x4xf32> {
  %0 = pd.conv2d %x, %w padding_algorithm = SAME {dilations = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<?x6x4x4xf32>
  return %0 : tensor<?x6x4x4xf32>
}

// Near miss: a dynamic dim keeps SAME.
// CHECK-LABEL: @same_dynamic
// CHECK: padding_algorithm = SAME
func.func @same_dynamic(%x: tensor<1x?x8x4xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<1x?x8x6xf32> {
  %0 = pd.conv2d %x, %w padding_algorithm = SAME data_format = NHWC : (tensor<1x?x8x4xf32>, tensor<6x4x3x3xf32>) -> tensor<1x?x8x6xf32>
  return %0 : tensor<1x?x8x6xf32>
}

// CHECK-LABEL: @volume
func.func @volume(%x: tensor<1x2x4x5x6xf32>, %w: tensor<3x2x2x2x2xf32>) -> tensor<1x3x3x4x5xf32> {
  // CHECK: paddings = array<i64: 0, 0, 0, 0, 0, 0>
  %0 = pd.conv3d %x, %w : (tensor<1x2x4x5x6xf32>, tensor<3x2x2x2x2xf32>) -> tensor<1x3x3x4x5xf32>
  return %0 : tensor<1x3x3x4x5xf32>
}

// (4 - 1) * 2 - 2 + 3 = 7, and 8 with an output padding or size.
// CHECK-LABEL: @transposed
func.func @transposed(%x: tensor<1x3x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> (tensor<1x2x7x7xf32>, tensor<1x2x8x8xf32>, tensor<1x2x8x7xf32>) {
  %0 = pd.conv2d_transpose %x, %w {paddings = array<i64: 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x7x7xf32>
  %1 = pd.conv2d_transpose %x, %w {paddings = array<i64: 1, 1>, strides = array<i64: 2, 2>, output_padding = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x8x8xf32>
  %2 = pd.conv2d_transpose %x, %w {paddings = array<i64: 1, 1>, strides = array<i64: 2, 2>, output_size = array<i64: 8, 7>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x8x7xf32>
  return %0, %1, %2 : tensor<1x2x7x7xf32>, tensor<1x2x8x8xf32>, tensor<1x2x8x7xf32>
}

// CHECK-LABEL: @poolings
func.func @poolings(%x: tensor<1x2x5x5xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x3xf32>) {
  // CHECK: pd.pool2d %arg0 {kernel_size = array<i64: 2, 2>, paddings = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
  %0 = pd.pool2d %x {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x5x5xf32>) -> tensor<1x2x2x2xf32>
  // CHECK: ceil_mode = true
  %1 = pd.pool2d %x {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>, ceil_mode = true} : (tensor<1x2x5x5xf32>) -> tensor<1x2x3x3xf32>
  // CHECK: pd.pool2d %arg0 {adaptive = true, kernel_size = array<i64: 3, 2>}
  %2 = pd.pool2d %x {kernel_size = array<i64: 3, 2>, adaptive = true} : (tensor<1x2x5x5xf32>) -> tensor<1x2x3x2xf32>
  // CHECK: pd.pool2d %arg0 {kernel_size = array<i64: 2, 2>, paddings = array<i64: 0, 1, 0, 1>, strides = array<i64: 2, 2>}
  %3 = pd.pool2d %x padding_algorithm = SAME {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x5x5xf32>) -> tensor<1x2x3x3xf32>
  return %0, %1, %2, %3 : tensor<1x2x2x2xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x3xf32>
}

// CHECK-LABEL: @global_pooling
// CHECK: pd.pool2d %arg0 pooling_type = avg {kernel_size = array<i64: 5, 6>, paddings = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
func.func @global_pooling(%x: tensor<?x2x5x6xf32>) -> tensor<?x2x1x1xf32> {
  %0 = pd.pool2d %x pooling_type = avg {kernel_size = array<i64: 1, 1>, global_pooling = true, paddings = array<i64: 3, 3>} : (tensor<?x2x5x6xf32>) -> tensor<?x2x1x1xf32>
  return %0 : tensor<?x2x1x1xf32>
}

// Near miss: dynamic dims.
// CHECK-LABEL: @global_pooling_dynamic
// CHECK: global_pooling = true
func.func @global_pooling_dynamic(%x: tensor<1x2x?x6xf32>) -> tensor<1x2x1x1xf32> {
  %0 = pd.pool2d %x {global_pooling = true} : (tensor<1x2x?x6xf32>) -> tensor<1x2x1x1xf32>
  return %0 : tensor<1x2x1x1xf32>
}

// CHECK-LABEL: @pool_by_tensor
func.func @pool_by_tensor(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32> {
  %k = pd.constant dense<[2, 2]> : tensor<2xi64>
  %0 = pd.pool2d %x, %k : (tensor<1x2x4x4xf32>, tensor<2xi64>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// CHECK-LABEL: @max_pool_with_index
// CHECK: pd.max_pool2d_with_index %arg0 {kernel_size = array<i64: 6, 6>, paddings = array<i64: 0, 0>, strides = array<i64: 1, 1>}
func.func @max_pool_with_index(%x: tensor<1x2x6x6xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>) {
  %0, %1 = pd.max_pool2d_with_index %x {global_pooling = true} : (tensor<1x2x6x6xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>)
  return %0, %1 : tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>
}

// CHECK-LABEL: @resampling
func.func @resampling(%x: tensor<1x2x4x5xf32>, %n: tensor<i32>) -> (tensor<1x2x7x8xf32>, tensor<1x2x8x10xf32>, tensor<1x2x6x7xf32>, tensor<1x2x3x?xf32>) {
  %0 = pd.nearest_interp %x {out_h = 7, out_w = 8, align_corners = false} : (tensor<1x2x4x5xf32>) -> tensor<1x2x7x8xf32>
  %1 = pd.bilinear_interp %x {scale = array<f64: 2.0>} : (tensor<1x2x4x5xf32>) -> tensor<1x2x8x10xf32>
  %s = pd.constant dense<[6, 7]> : tensor<2xi32>
  %2 = pd.bicubic_interp %x out_size = %s {scale = array<f64: 2.0>} : (tensor<1x2x4x5xf32>, tensor<2xi32>) -> tensor<1x2x6x7xf32>
  %h = pd.constant dense<3> : tensor<1xi32>
  // CHECK: pd.bilinear_interp %arg0 sizes = %{{[a-z0-9]+}}, %arg1
  %3 = pd.bilinear_interp %x sizes = %h, %n : (tensor<1x2x4x5xf32>, tensor<1xi32>, tensor<i32>) -> tensor<1x2x3x?xf32>
  return %0, %1, %2, %3 : tensor<1x2x7x8xf32>, tensor<1x2x8x10xf32>, tensor<1x2x6x7xf32>, tensor<1x2x3x?xf32>
}

// CHECK-LABEL: @lstm
func.func @lstm(%x: tensor<7x2x16xf32>, %h: tensor<2x2x24xf32>, %c: tensor<2x2x24xf32>, %wi: tensor<96x16xf32>, %wh: tensor<96x24xf32>, %b: tensor<96xf32>, %n: tensor<2xi32>) -> tensor<7x2x48xf32> {
  // CHECK: pd.rnn %arg0 states = %arg1, %arg2 weights = %arg3, %arg4, %arg3, %arg4, %arg5, %arg5, %arg5, %arg5 lengths = %arg6
  %0:3 = pd.rnn %x states = %h, %c weights = %wi, %wh, %wi, %wh, %b, %b, %b, %b lengths = %n mode = LSTM {hidden_size = 24, is_bidirec = true}
    : (tensor<7x2x16xf32>, tensor<2x2x24xf32>, tensor<2x2x24xf32>, tensor<96x16xf32>, tensor<96x24xf32>, tensor<96x16xf32>, tensor<96x24xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<2xi32>) -> (tensor<7x2x48xf32>, tensor<2x2x24xf32>, tensor<2x2x24xf32>)
  return %0#0 : tensor<7x2x48xf32>
}

// A global pooling ignores the operand for the size of the window.
// CHECK-LABEL: @global_with_kernel_operand
// CHECK: pd.pool2d %arg0 {kernel_size = array<i64: 4, 5>, paddings = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} :
func.func @global_with_kernel_operand(%x: tensor<1x2x4x5xf32>) -> tensor<1x2x1x1xf32> {
  %size = pd.constant dense<2> : tensor<2xi64>
  %0 = pd.pool2d %x, %size {global_pooling = true} : (tensor<1x2x4x5xf32>, tensor<2xi64>) -> tensor<1x2x1x1xf32>
  return %0 : tensor<1x2x1x1xf32>
}

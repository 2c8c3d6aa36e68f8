// Grids and columns on small constants: values by hand.
// RUN: proa-opt %s --pd-refine-shapes --canonicalize | FileCheck %s

// The middle of four elements, a corner, and a place outside.
// CHECK-LABEL: @grid_sample
func.func @grid_sample() -> (tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>) {
  // CHECK-DAG: dense<{{\[\[\[\[}}2.500000e+00, 2.000000e+00, 0.000000e+00]]]]>
  // CHECK-DAG: dense<{{\[\[\[\[}}2.500000e+00, 2.000000e+00, 4.000000e+00]]]]>
  // CHECK-DAG: dense<{{\[\[\[\[}}4.000000e+00, 2.000000e+00, 4.000000e+00]]]]>
  // CHECK-DAG: dense<{{\[\[\[\[}}2.500000e+00, 5.000000e-01, 0.000000e+00]]]]>
  %x = pd.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf64>
  %g = pd.constant dense<[[[[0.0, 0.0], [1.0, -1.0], [5.0, 5.0]]]]> : tensor<1x1x3x2xf64>
  %0 = pd.grid_sample %x, %g : (tensor<1x1x2x2xf64>, tensor<1x1x3x2xf64>) -> tensor<1x1x1x3xf64>
  %1 = pd.grid_sample %x, %g padding_mode = border : (tensor<1x1x2x2xf64>, tensor<1x1x3x2xf64>) -> tensor<1x1x1x3xf64>
  // Position 0.5 is rounded away from zero; position 3 is mirrored at 1 to -1, and that at 0 to 1.
  %2 = pd.grid_sample %x, %g mode = nearest padding_mode = reflection : (tensor<1x1x2x2xf64>, tensor<1x1x3x2xf64>) -> tensor<1x1x1x3xf64>
  // The corner is a quarter inside: the other three parts are zeros.
  %3 = pd.grid_sample %x, %g {align_corners = false} : (tensor<1x1x2x2xf64>, tensor<1x1x3x2xf64>) -> tensor<1x1x1x3xf64>
  return %0, %1, %2, %3 : tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>
}

// x and y swapped, then moved by 1 and 2.
// CHECK-LABEL: @affine_grid
func.func @affine_grid() -> (tensor<1x2x2x2xf64>, tensor<1x1x2x2xf64>) {
  // CHECK-DAG: dense<{{\[\[\[\[}}0.000000e+00, 1.000000e+00], [0.000000e+00, 3.000000e+00]], {{\[\[}}2.000000e+00, 1.000000e+00], [2.000000e+00, 3.000000e+00]]]]>
  // CHECK-DAG: dense<{{\[\[\[\[}}1.000000e+00, 1.500000e+00], [1.000000e+00, 2.500000e+00]]]]>
  %t = pd.constant dense<[[[0.0, 1.0, 1.0], [1.0, 0.0, 2.0]]]> : tensor<1x2x3xf64>
  %0 = pd.affine_grid %t {output_shape = array<i64: 1, 3, 2, 2>} : (tensor<1x2x3xf64>) -> tensor<1x2x2x2xf64>
  %1 = pd.affine_grid %t {output_shape = array<i64: 1, 3, 1, 2>, align_corners = false} : (tensor<1x2x3xf64>) -> tensor<1x1x2x2xf64>
  return %0, %1 : tensor<1x2x2x2xf64>, tensor<1x1x2x2xf64>
}

// CHECK-LABEL: @columns
func.func @columns() -> (tensor<1x2x4xi32>, tensor<1x1x1x3xf64>) {
  // Windows of two columns, one zero on the left.
  // CHECK-DAG: dense<{{\[\[\[}}0, 1, 0, 3], [1, 2, 3, 4]]]> : tensor<1x2x4xi32>
  %x = pd.constant dense<[[[[1, 2], [3, 4]]]]> : tensor<1x1x2x2xi32>
  %0 = pd.unfold %x {kernel_sizes = array<i64: 1, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 1, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x2x2xi32>) -> tensor<1x2x4xi32>
  // The middle element belongs to both windows.
  // CHECK-DAG: dense<{{\[\[\[\[}}1.000000e+00, 5.000000e+00, 4.000000e+00]]]]>
  %c = pd.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf64>
  %1 = pd.fold %c {output_sizes = array<i64: 1, 3>, kernel_sizes = array<i64: 1, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2xf64>) -> tensor<1x1x1x3xf64>
  return %0, %1 : tensor<1x2x4xi32>, tensor<1x1x1x3xf64>
}

// CHECK-LABEL: @unpool
func.func @unpool() -> tensor<1x1x2x2xf64> {
  // CHECK: dense<{{\[\[\[\[}}0.000000e+00, 7.000000e+00], [0.000000e+00, 0.000000e+00]]]]>
  %x = pd.constant dense<7.0> : tensor<1x1x1x1xf64>
  %i = pd.constant dense<1> : tensor<1x1x1x1xi32>
  %0 = pd.unpool %x, %i {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x1x1x1xf64>, tensor<1x1x1x1xi32>) -> tensor<1x1x2x2xf64>
  return %0 : tensor<1x1x2x2xf64>
}

// Two steps of four channels: the first from the step before, the second from the step after.
// CHECK-LABEL: @temporal_shift
func.func @temporal_shift() -> tensor<2x4x1x1xf64> {
  // CHECK: dense<{{\[\[\[\[}}0.000000e+00]], {{\[\[}}6.000000e+00]], {{\[\[}}3.000000e+00]], {{\[\[}}4.000000e+00]]], {{\[\[\[}}1.000000e+00]], {{\[\[}}0.000000e+00]], {{\[\[}}7.000000e+00]], {{\[\[}}8.000000e+00]]]]>
  %x = pd.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]], [[[5.0]], [[6.0]], [[7.0]], [[8.0]]]]> : tensor<2x4x1x1xf64>
  %0 = pd.temporal_shift %x {seg_num = 2 : i64} : (tensor<2x4x1x1xf64>) -> tensor<2x4x1x1xf64>
  return %0 : tensor<2x4x1x1xf64>
}

// CHECK-LABEL: @lrn
func.func @lrn() -> (tensor<1x2x1x1xf64>, tensor<1x2x1x1xf64>) {
  // Windows of two channels from each one on: 1 + 1 + 4, 1 + 4.
  // CHECK-DAG: dense<{{\[\[\[\[}}0.16666666666666666]], {{\[\[}}4.000000e-01]]]]>
  // CHECK-DAG: dense<{{\[\[\[\[}}6.000000e+00]], {{\[\[}}5.000000e+00]]]]>
  %x = pd.constant dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf64>
  %0, %1 = pd.lrn %x {n = 2 : i64, k = 1.0, alpha = 1.0, beta = 1.0} : (tensor<1x2x1x1xf64>) -> (tensor<1x2x1x1xf64>, tensor<1x2x1x1xf64>)
  return %0, %1 : tensor<1x2x1x1xf64>, tensor<1x2x1x1xf64>
}

// CHECK-LABEL: @spectral_norm
func.func @spectral_norm() -> tensor<2x2xf64> {
  // CHECK: dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 5.000000e-01]]>
  %w = pd.constant dense<[[2.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %u = pd.constant dense<[1.0, 0.0]> : tensor<2xf64>
  %0 = pd.spectral_norm %w, %u, %u {eps = 0.0} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// exp(0 + 0) : exp(0 + ln 3).
// CHECK-LABEL: @fused_softmax_mask
func.func @fused_softmax_mask() -> (tensor<1x2xf64>, tensor<1x2xf64>) {
  // CHECK-DAG: dense<{{\[\[}}2.500000e-01, 7.500000e-01]]>
  // CHECK-DAG: dense<{{\[\[}}-5.000000e-01, 3.000000e+00]]>
  %x = pd.constant dense<0.0> : tensor<1x2xf64>
  %m = pd.constant dense<[0.0, 1.0986122886681098]> : tensor<2xf64>
  %0 = pd.fused_softmax_mask %x, %m : (tensor<1x2xf64>, tensor<2xf64>) -> tensor<1x2xf64>
  %y = pd.constant dense<[[-2.0, 3.0]]> : tensor<1x2xf64>
  %1, %n = pd.rrelu %y {lower = 0.125, upper = 0.375, is_test = true} : (tensor<1x2xf64>) -> (tensor<1x2xf64>, tensor<1x2xf64>)
  return %0, %1 : tensor<1x2xf64>, tensor<1x2xf64>
}

// At step 0 the sines are 0 and the cosines 1.
// CHECK-LABEL: @position_encoding
func.func @position_encoding() -> tensor<1x1x4xf64> {
  // CHECK: dense<{{\[\[\[}}2.000000e+00, 2.000000e+00, 5.000000e+00, 5.000000e+00]]]>
  %x = pd.constant dense<1.0> : tensor<1x1x4xf64>
  %0 = pd.add_position_encoding %x {alpha = 2.0, beta = 3.0} : (tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  return %0 : tensor<1x1x4xf64>
}

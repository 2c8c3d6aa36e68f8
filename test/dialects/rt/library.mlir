// Library ops of the rt dialect, parsed and printed.
// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @library
func.func @library(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %b: tensor<4xf32>, %r: tensor<2x4xf32>, %i: tensor<1x3x8x8xf32>, %f: tensor<4x3x3x3xf32>) {
  // CHECK: rt.matmul {{.*}} {post_ops = [#rt.post_op<bias>]}
  %0 = rt.matmul %x, %y, %b {post_ops = [#rt.post_op<bias>]} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: rt.matmul {{.*}} {post_ops = [#rt.post_op<bias>, #rt.post_op<leaky_relu, alpha = 2.000000e-01>, #rt.post_op<add>, #rt.post_op<clip, alpha = 0.000000e+00, beta = 6.000000e+00>]}
  %1 = rt.matmul %x, %y, %b, %r {post_ops = [#rt.post_op<bias>, #rt.post_op<leaky_relu, alpha = 0.2>, #rt.post_op<add>, #rt.post_op<clip, alpha = 0.0, beta = 6.0>]} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: rt.conv2d {{.*}} {paddings = array<i64: 1, 1, 1, 1>}
  %2 = rt.conv2d %i, %f {paddings = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: rt.conv2d {{.*}} data_format = NHWC input_format = NCHW :
  %3 = rt.conv2d %i, %f data_format = NHWC input_format = NCHW : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// RUN: proa-opt %s --pd-decompose | FileCheck %s

// The offsets are a small constant, but their formula has a value of 2^30 elements: it is not folded.
// CHECK-LABEL: func @offsets
// CHECK: pd.ranges
func.func @offsets(%x: tensor<1x2x4x2147483648xf32>) -> tensor<2xi64> {
  %out, %offsets = pd.im2sequence %x {kernels = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x2147483648xf32>) -> (tensor<2147483648x8xf32>, tensor<2xi64>)
  return %offsets : tensor<2xi64>
}

// RUN: proa-opt --pass-pipeline='builtin.module(func.func(pd-fuse-epilogues{target=gpu}))' %s | FileCheck %s

// A product stays as it is, because a kernel computes it with its neighbours.
// CHECK-LABEL: func @product
// CHECK-NEXT: pd.matmul
// CHECK-NEXT: pd.relu
func.func @product(%x: tensor<4x8xf32>, %y: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = pd.matmul %x, %y : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.relu %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// Near miss: no kernel computes a convolution.
// CHECK-LABEL: func @convolution
// CHECK-NEXT: rt.conv2d
// CHECK-NEXT: return
func.func @convolution(%x: tensor<1x4x8x8xf32>, %f: tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32> {
  %0 = pd.conv2d %x, %f {paddings = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  %1 = pd.relu %0 : (tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>
  return %1 : tensor<1x6x6x6xf32>
}

// Rows of which a thread of the GPU reads several chunks at once, with a rest and elements after the last chunk.
// RUN: proa-run %s --target=cuda-emulated --compare f64 | FileCheck %s
// CHECK: 3 of 3 values agree, 0 differ: PASS
func.func @main(%x: tensor<3x9003xf32>) -> (tensor<3x9003xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y = pd.softmax %x : (tensor<3x9003xf32>) -> tensor<3x9003xf32>
  %s = pd.sum %x {axis = array<i64: 1>} : (tensor<3x9003xf32>) -> tensor<3xf32>
  %m = pd.max %x {axis = array<i64: 1>} : (tensor<3x9003xf32>) -> tensor<3xf32>
  return %y, %s, %m : tensor<3x9003xf32>, tensor<3xf32>, tensor<3xf32>
}

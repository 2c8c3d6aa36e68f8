func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %six = pd.constant dense<6.0> : tensor<f32>
  %five = pd.constant dense<5.0> : tensor<f32>
  %relu = pd.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.minimum %relu, %six : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = pd.minimum %relu, %five : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

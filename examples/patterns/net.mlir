func.func @main(%x: tensor<2x3xf32> {pd.feed = "x"}, %w: tensor<3x4xf32> {pd.param = "w"},
                %y: tensor<3x4xf32> {pd.feed = "y"}) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = pd.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = pd.scale %0 {scale = 0.25 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = pd.matmul %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = pd.scale %2 {scale = 0.25 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1, %3 : tensor<2x4xf32>, tensor<2x4xf32>
}

func.func @main(%x: tensor<4x6xf32> {pd.feed = "x"}, %ids: tensor<4xi64> {pd.feed = "ids"},
    %e: tensor<10x6xf32> {pd.param = "e"}, %w1: tensor<6x16xf32> {pd.param = "w1"},
    %w2: tensor<16x6xf32> {pd.param = "w2"}) -> (tensor<4x6xf32> {pd.fetch = "y"}) {
  %1 = pd.embedding %ids, %e : (tensor<4xi64>, tensor<10x6xf32>) -> tensor<4x6xf32>
  %2 = pd.add %x, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = pd.matmul %2, %w1 : (tensor<4x6xf32>, tensor<6x16xf32>) -> tensor<4x16xf32>
  %5 = pd.gelu %4 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %7 = pd.matmul %5, %w2 : (tensor<4x16xf32>, tensor<16x6xf32>) -> tensor<4x6xf32>
  return %7 : tensor<4x6xf32>
}

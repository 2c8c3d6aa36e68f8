// A matrix of 4 TB between two products, which no kernel avoids.
func.func @main(%x: tensor<1000000x1xf32> {pd.feed = "x"}, %y: tensor<1x1000000xf32> {pd.feed = "y"})
    -> (tensor<1000000x1xf32> {pd.fetch = "out"}) {
  %0 = pd.matmul %x, %y : (tensor<1000000x1xf32>, tensor<1x1000000xf32>) -> tensor<1000000x1000000xf32>
  %1 = pd.softmax %0 : (tensor<1000000x1000000xf32>) -> tensor<1000000x1000000xf32>
  %2 = pd.matmul %1, %x : (tensor<1000000x1000000xf32>, tensor<1000000x1xf32>) -> tensor<1000000x1xf32>
  return %2 : tensor<1000000x1xf32>
}

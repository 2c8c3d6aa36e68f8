// Programs with annotations that partition-test completes by dist-propagate before it runs them. The test replaces the
// sizes of the mesh.
dist.mesh @m = <["x"=2, "y"=2]>

// Borders of rows are exchanged. The stride of the pooling moves the parts.
func.func @halo(%image: tensor<2x3x25x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}, {"y"}, {}]>}, %w: tensor<4x3x3x3xf32>)
    -> (tensor<2x4x25x6xf32>, tensor<2x4x12x3xf32>) {
  %0 = pd.conv2d %image, %w {paddings = array<i64: 1, 1>} : (tensor<2x3x25x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x25x6xf32>
  %1 = pd.pool2d %0 {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>, paddings = array<i64: 0, 0>} : (tensor<2x4x25x6xf32>) -> tensor<2x4x12x3xf32>
  return %0, %1 : tensor<2x4x25x6xf32>, tensor<2x4x12x3xf32>
}

// Only the rows before a part are needed, and rows of zeros before the first.
func.func @causal(%x: tensor<1x1x26x3xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"y", "x"}, {}]>}, %w: tensor<1x1x3x1xf32>) -> tensor<1x1x26x3xf32> {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 2, 0, 0, 0>} : (tensor<1x1x26x3xf32>, tensor<1x1x3x1xf32>) -> tensor<1x1x26x3xf32>
  return %0 : tensor<1x1x26x3xf32>
}

// A scan, a sharded vocabulary; the searches are too small for a local form.
func.func @searches(%x: tensor<4x700xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}, %ids: tensor<5xi64>,
                    %table: tensor<130x80xf32> {dist.sharding = #dist.sharding<@m, [{"y"}, {}]>})
    -> (tensor<4x700xf32>, tensor<4xi64>, tensor<5x80xf32>, tensor<4x3xf32>) {
  %0 = pd.cumsum %x {axis = 1} : (tensor<4x700xf32>) -> tensor<4x700xf32>
  %1 = pd.argmax %x {axis = 1} : (tensor<4x700xf32>) -> tensor<4xi64>
  %2 = pd.embedding %ids, %table : (tensor<5xi64>, tensor<130x80xf32>) -> tensor<5x80xf32>
  %3, %4 = pd.topk %x {k = 3, axis = 1} : (tensor<4x700xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return %0, %1, %2, %3 : tensor<4x700xf32>, tensor<4xi64>, tensor<5x80xf32>, tensor<4x3xf32>
}

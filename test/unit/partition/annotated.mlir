// Programs with annotations that partition-test completes by dist-propagate before it runs them. The test replaces the
// sizes of the mesh.
dist.mesh @m = <["x"=2, "y"=2]>

// Borders of rows are exchanged. The stride of the pooling moves the shards.
func.func @halo(%image: tensor<2x3x25x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}, {"y"}, {}]>}, %w: tensor<4x3x3x3xf32>)
    -> (tensor<2x4x25x6xf32>, tensor<2x4x12x3xf32>) {
  %0 = pd.conv2d %image, %w {paddings = array<i64: 1, 1>} : (tensor<2x3x25x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x25x6xf32>
  %1 = pd.pool2d %0 {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>, paddings = array<i64: 0, 0>} : (tensor<2x4x25x6xf32>) -> tensor<2x4x12x3xf32>
  return %0, %1 : tensor<2x4x25x6xf32>, tensor<2x4x12x3xf32>
}

// Only the rows before a shard are needed, and rows of zeros before the first.
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

// Shards exchange elements; of equal ones the indices ascend. Over one axis, over both, and of a size that 6 devices do not
// divide.
func.func @sorts(%x: tensor<4x24xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}, %y: tensor<24xi64> {dist.sharding = #dist.sharding<@m, [{"y", "x"}]>},
                 %z: tensor<20xf32> {dist.sharding = #dist.sharding<@m, [{"y", "x"}]>})
    -> (tensor<4x24xf32>, tensor<4x24xi64>, tensor<24xi64>, tensor<24xi64>, tensor<20xf32>, tensor<20xi64>) {
  %0, %1 = pd.argsort %x {axis = 1, stable = true, dist.shardings = [#dist.sharding<@m, [{"x"}, {"y"}]>, #dist.sharding<@m, [{"x"}, {"y"}]>]} : (tensor<4x24xf32>) -> (tensor<4x24xf32>, tensor<4x24xi64>)
  %2, %3 = pd.argsort %y {axis = 0, stable = true, descending = true, dist.shardings = [#dist.sharding<@m, [{"y", "x"}]>, #dist.sharding<@m, [{"y", "x"}]>]} : (tensor<24xi64>) -> (tensor<24xi64>, tensor<24xi64>)
  %4, %5 = pd.argsort %z {axis = 0, stable = true, dist.shardings = [#dist.sharding<@m, [{"y", "x"}]>, #dist.sharding<@m, [{"y", "x"}]>]} : (tensor<20xf32>) -> (tensor<20xf32>, tensor<20xi64>)
  return %0, %1, %2, %3, %4, %5 : tensor<4x24xf32>, tensor<4x24xi64>, tensor<24xi64>, tensor<24xi64>, tensor<20xf32>, tensor<20xi64>
}

// Attention over a split sequence gathers keys and values, or passes them around a ring.
func.func @attention_of_shards(%q: tensor<2x3x12x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}, {"y"}, {}]>}, %k: tensor<2x3x12x4xf32>,
                              %v: tensor<2x3x12x5xf32>, %mask: tensor<1x1x12x12xf32>, %g: tensor<2x3x12x5xf32>)
    -> (tensor<2x3x12x5xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>) {
  %0, %m, %s = pd.fused_attention %q, %k, %v mask = %mask {scale = 0.5 : f64}
    : (tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>, tensor<1x1x12x12xf32>) -> (tensor<2x3x12x5xf32>, tensor<2x3x12xf32>, tensor<2x3x12xf32>)
  %1:3 = pd.fused_attention_grad %q, %k, %v, %g, %m, %s, %0 mask = %mask {scale = 0.5 : f64}
    : (tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>, tensor<2x3x12x5xf32>, tensor<2x3x12xf32>, tensor<2x3x12xf32>, tensor<2x3x12x5xf32>, tensor<1x1x12x12xf32>)
    -> (tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>)
  return %0, %1#0, %1#1, %1#2 : tensor<2x3x12x5xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>
}

// Devices have the masks of all keys.
func.func @attention_with_key_masks(%q: tensor<2x3x12x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}, {"y"}, {}]>}, %k: tensor<2x3x12x4xf32>,
                              %v: tensor<2x3x12x5xf32>, %mask: tensor<1x1x12x12xf32>, %keys: tensor<2x1x1x12xf32>, %g: tensor<2x3x12x5xf32>)
    -> (tensor<2x3x12x5xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>) {
  %0, %m, %s = pd.fused_attention %q, %k, %v mask = %mask key_mask = %keys {scale = 0.5 : f64}
    : (tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>, tensor<1x1x12x12xf32>, tensor<2x1x1x12xf32>) -> (tensor<2x3x12x5xf32>, tensor<2x3x12xf32>, tensor<2x3x12xf32>)
  %1:3 = pd.fused_attention_grad %q, %k, %v, %g, %m, %s, %0 mask = %mask key_mask = %keys {scale = 0.5 : f64}
    : (tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>, tensor<2x3x12x5xf32>, tensor<2x3x12xf32>, tensor<2x3x12xf32>, tensor<2x3x12x5xf32>, tensor<1x1x12x12xf32>, tensor<2x1x1x12xf32>)
    -> (tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>)
  return %0, %1#0, %1#1, %1#2 : tensor<2x3x12x5xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x4xf32>, tensor<2x3x12x5xf32>
}

func.func @attention_in_rings(%q: tensor<2x1x12x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}, {"y"}, {}]>}, %k: tensor<2x1x12x4xf32>,
                              %v: tensor<2x1x12x5xf32>, %mask: tensor<2x1x12x12xf32>, %g: tensor<2x1x12x5xf32>)
    -> (tensor<2x1x12x5xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>) {
  %0, %m, %s = pd.fused_attention %q, %k, %v mask = %mask {scale = 0.5 : f64, ring = true}
    : (tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>, tensor<2x1x12x12xf32>) -> (tensor<2x1x12x5xf32>, tensor<2x1x12xf32>, tensor<2x1x12xf32>)
  %1:3 = pd.fused_attention_grad %q, %k, %v, %g, %m, %s, %0 mask = %mask {scale = 0.5 : f64, ring = true}
    : (tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>, tensor<2x1x12x5xf32>, tensor<2x1x12xf32>, tensor<2x1x12xf32>, tensor<2x1x12x5xf32>, tensor<2x1x12x12xf32>)
    -> (tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>)
  return %0, %1#0, %1#1, %1#2 : tensor<2x1x12x5xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>
}

// Each step reads the mask of the keys of its shard, a condition or numbers.
func.func @key_masks_in_rings(%q: tensor<2x1x12x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}, {"y"}, {}]>}, %k: tensor<2x1x12x4xf32>,
                              %v: tensor<2x1x12x5xf32>, %mask: tensor<1x1x12x12xf32>, %keys: tensor<2x1x1x12xf32>, %g: tensor<2x1x12x5xf32>)
    -> (tensor<2x1x12x5xf32>, tensor<2x1x12x5xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>) {
  %zero = pd.constant dense<0.0> : tensor<f32>
  %c = pd.greater_than %keys, %zero : (tensor<2x1x1x12xf32>, tensor<f32>) -> tensor<2x1x1x12xi1>
  %a, %am, %as = pd.fused_attention %q, %k, %v key_mask = %keys {scale = 0.5 : f64, ring = true}
    : (tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>, tensor<2x1x1x12xf32>) -> (tensor<2x1x12x5xf32>, tensor<2x1x12xf32>, tensor<2x1x12xf32>)
  %0, %m, %s = pd.fused_attention %q, %k, %v mask = %mask key_mask = %c {scale = 0.5 : f64, ring = true, mask_fill = -1.0 : f64}
    : (tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>, tensor<1x1x12x12xf32>, tensor<2x1x1x12xi1>) -> (tensor<2x1x12x5xf32>, tensor<2x1x12xf32>, tensor<2x1x12xf32>)
  %1:3 = pd.fused_attention_grad %q, %k, %v, %g, %m, %s, %0 mask = %mask key_mask = %c {scale = 0.5 : f64, ring = true, mask_fill = -1.0 : f64}
    : (tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>, tensor<2x1x12x5xf32>, tensor<2x1x12xf32>, tensor<2x1x12xf32>, tensor<2x1x12x5xf32>, tensor<1x1x12x12xf32>, tensor<2x1x1x12xi1>)
    -> (tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>)
  return %a, %0, %1#0, %1#1, %1#2 : tensor<2x1x12x5xf32>, tensor<2x1x12x5xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x4xf32>, tensor<2x1x12x5xf32>
}

// Shards of 3 and 2 rows: gathered also where a ring is asked for.
func.func @attention_of_uneven_shards(%q: tensor<1x1x5x4xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"y"}, {}]>}, %k: tensor<1x1x5x4xf32>,
                                     %v: tensor<1x1x5x4xf32>) -> tensor<1x1x5x4xf32> {
  %0, %m, %s = pd.fused_attention %q, %k, %v {ring = true}
    : (tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>) -> (tensor<1x1x5x4xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>)
  return %0 : tensor<1x1x5x4xf32>
}

// The fused projection of query, key and value: blocks of columns split the heads, and stay split through a split, a
// slice and a concat.
func.func @fused_projection(%x: tensor<4x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>},
                            %w: tensor<6x36xf32> {dist.sharding = #dist.sharding<@m, [{}, {"y"} blocks(3 * 12)]>}, %b: tensor<36xf32>)
    -> (tensor<4x3x6x2xf32>, tensor<4x12xf32>, tensor<4x24xf32>) {
  %0 = pd.matmul %x, %w : (tensor<4x6xf32>, tensor<6x36xf32>) -> tensor<4x36xf32>
  %1 = pd.add %0, %b : (tensor<4x36xf32>, tensor<36xf32>) -> tensor<4x36xf32>
  %2 = pd.reshape %1 {shape = array<i64: 4, 3, 6, 2>} : (tensor<4x36xf32>) -> tensor<4x3x6x2xf32>
  %3:3 = pd.split %1 {sections = array<i64: 12, 12, 12>, axis = 1 : i64} : (tensor<4x36xf32>) -> (tensor<4x12xf32>, tensor<4x12xf32>, tensor<4x12xf32>)
  %4 = pd.slice %1 {axes = array<i64: 1>, starts = array<i64: 12>, ends = array<i64: 24>} : (tensor<4x36xf32>) -> tensor<4x12xf32>
  %5 = pd.multiply %3#0, %4 : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
  %6 = pd.concat %5, %3#2 {axis = 1 : i64} : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x24xf32>
  return %2, %5, %6 : tensor<4x3x6x2xf32>, tensor<4x12xf32>, tensor<4x24xf32>
}

// Blocks of uneven shards: 7 and 4 columns.
func.func @uneven_pieces(%x: tensor<3x11xf32> {dist.sharding = #dist.sharding<@m, [{}, {"y"} blocks(7, 4)]>})
    -> (tensor<3x7xf32>, tensor<3x4xf32>, tensor<3x11xf32>) {
  %0:2 = pd.split %x {sections = array<i64: 7, 4>, axis = 1 : i64} : (tensor<3x11xf32>) -> (tensor<3x7xf32>, tensor<3x4xf32>)
  %1 = pd.concat %0#1, %0#0 {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3x7xf32>) -> tensor<3x11xf32>
  return %0#0, %0#1, %1 : tensor<3x7xf32>, tensor<3x4xf32>, tensor<3x11xf32>
}

// Each device samples its shard, with the numbers of one device.
func.func @random_shards(%x: tensor<9x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}, %n: tensor<9x5xi64>)
    -> (tensor<9x5xf32>, tensor<9x5xf32>, tensor<9x5xf32>, tensor<9x5xi64>, tensor<9x5xf32>, tensor<9x5xf32>, tensor<9x5xi64>) {
  %0 = pd.uniform {dtype = f32, shape = array<i64: 9, 5>, seed = 3 : i64} : () -> tensor<9x5xf32>
  %1 = pd.add %0, %x : (tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  %2 = pd.gaussian {dtype = f32, shape = array<i64: 9, 5>, seed = 4 : i64} : () -> tensor<9x5xf32>
  %3 = pd.add %2, %x : (tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  %4 = pd.truncated_gaussian_random {dtype = f32, shape = array<i64: 9, 5>, seed = 5 : i64} : () -> tensor<9x5xf32>
  %5 = pd.add %4, %x : (tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  %6 = pd.randint {dtype = i64, shape = array<i64: 9, 5>, seed = 6 : i64, high = 1000 : i64} : () -> tensor<9x5xi64>
  %7 = pd.add %6, %n : (tensor<9x5xi64>, tensor<9x5xi64>) -> tensor<9x5xi64>
  %mean = pd.abs %x : (tensor<9x5xf32>) -> tensor<9x5xf32>
  %8 = pd.poisson %mean {seed = 7 : i64} : (tensor<9x5xf32>) -> tensor<9x5xf32>
  %9 = pd.standard_gamma %mean {seed = 8 : i64} : (tensor<9x5xf32>) -> tensor<9x5xf32>
  %chance = pd.sigmoid %x : (tensor<9x5xf32>) -> tensor<9x5xf32>
  %10 = pd.binomial %n, %chance {seed = 9 : i64} : (tensor<9x5xi64>, tensor<9x5xf32>) -> tensor<9x5xi64>
  return %1, %3, %5, %7, %8, %9, %10 : tensor<9x5xf32>, tensor<9x5xf32>, tensor<9x5xf32>, tensor<9x5xi64>, tensor<9x5xf32>, tensor<9x5xf32>, tensor<9x5xi64>
}

// The dims of a split value are the dims of the whole.
func.func @dims(%x: tensor<9x5xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<2xi32>, tensor<i64>) {
  %0 = pd.shape %x : (tensor<9x5xf32>) -> tensor<2xi32>
  %1 = pd.dim %x {index = 1 : i64} : (tensor<9x5xf32>) -> tensor<i64>
  return %0, %1 : tensor<2xi32>, tensor<i64>
}

// Blocks: a dimension whose shards are shards of several blocks, as in the fused weight of query, key and value.
// RUN: proa-opt %s --dist-propagate=check --split-input-file | FileCheck %s
// RUN: sed '/^.. -----/,$d' %s | proa-opt "--dist-propagate=explain=w" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// The columns are 3 x 8 heads x 8. Blocks of the weight split the heads of each block.
// CHECK-LABEL: func.func @fused
// CHECK: pd.matmul {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}, {"mp"} blocks(3 * 64)]>]}
// CHECK-NEXT: pd.reshape {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}, {}, {"mp"}, {}]>]
// CHECK-NEXT: return
// EXPLAIN: w: [{}, {mp} blocks(3 * 64)]
// EXPLAIN-NEXT: w dimension 1 = {mp} blocks(3 * 64): annotation
dist.mesh @m = <["mp"=4]>
func.func @fused(%x: tensor<2x16x64xf32>, %w: tensor<64x192xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(3 * 64)]>})
    -> tensor<2x16x3x8x8xf32> {
  %0 = pd.matmul %x, %w : (tensor<2x16x64xf32>, tensor<64x192xf32>) -> tensor<2x16x192xf32>
  %1 = pd.reshape %0 {shape = array<i64: 2, 16, 3, 8, 8>} : (tensor<2x16x192xf32>) -> tensor<2x16x3x8x8xf32>
  return %1 : tensor<2x16x3x8x8xf32>
}

// -----

// Backward: the heads give the weight its blocks, through the bias too.
// CHECK-LABEL: func.func @backward
// CHECK-SAME: tensor<64x192xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(3 * 64)]>}
// CHECK-SAME: tensor<192xf32> {dist.sharding = #dist.sharding<@m, [{"mp"} blocks(3 * 64)]>}
// CHECK-NOT: dist.reshard
dist.mesh @m = <["mp"=4]>
func.func @backward(%x: tensor<2x16x64xf32>, %w: tensor<64x192xf32>, %b: tensor<192xf32>)
    -> (tensor<2x16x3x8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {}, {"mp"}, {}]>}) {
  %0 = pd.matmul %x, %w : (tensor<2x16x64xf32>, tensor<64x192xf32>) -> tensor<2x16x192xf32>
  %1 = pd.add %0, %b : (tensor<2x16x192xf32>, tensor<192xf32>) -> tensor<2x16x192xf32>
  %2 = pd.reshape %1 {shape = array<i64: 2, 16, 3, 8, 8>} : (tensor<2x16x192xf32>) -> tensor<2x16x3x8x8xf32>
  return %2 : tensor<2x16x3x8x8xf32>
}

// -----

// A split into the blocks, and a slice of one: each result has the axis, without blocks. The shards join to a dimension
// of blocks again.
// CHECK-LABEL: func.func @pieces
// CHECK-NOT: dist.reshard
// CHECK: pd.split {{.*}}dist.shardings = [#dist.sharding<@m, [{}, {"mp"}]>, #dist.sharding<@m, [{}, {"mp"}]>, #dist.sharding<@m, [{}, {"mp"}]>]
// CHECK: pd.slice {{.*}}dist.shardings = [#dist.sharding<@m, [{}, {"mp"}]>]
// CHECK: pd.concat {{.*}}dist.shardings = [#dist.sharding<@m, [{}, {"mp"} blocks(8, 8)]>]
// CHECK-NOT: dist.reshard
dist.mesh @m = <["mp"=2]>
func.func @pieces(%x: tensor<4x24xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(3 * 8)]>})
    -> (tensor<4x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0:3 = pd.split %x {sections = array<i64: 8, 8, 8>, axis = 1 : i64} : (tensor<4x24xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  %1 = pd.slice %x {axes = array<i64: 1>, starts = array<i64: 8>, ends = array<i64: 16>} : (tensor<4x24xf32>) -> tensor<4x8xf32>
  %2 = pd.concat %0#0, %0#2 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return %2, %0#1, %1 : tensor<4x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Near misses. One block of all columns: its shards are not shards of the pieces. A block of 12 ends inside of a piece.
// Heads outside of the three pieces: a block of 8 columns is not a range of the heads.
// CHECK-LABEL: func.func @one_block
// CHECK-SAME: dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>
// CHECK: dist.reshard %{{.*}} from <@m, [{}, {"mp"}]> to <@m, [{}, {}]>
// CHECK: pd.split {{.*}}dist.shardings = [#dist.sharding<@m, [{}, {}]>,
// CHECK-LABEL: func.func @other_blocks
// CHECK: dist.reshard %{{.*}} from <@m, [{}, {"mp"} blocks(12, 12)]> to <@m, [{}, {}]>
// CHECK: pd.split {{.*}}dist.shardings = [#dist.sharding<@m, [{}, {}]>,
// CHECK-LABEL: func.func @inner_blocks
// CHECK: dist.reshard %{{.*}} from <@m, [{}, {"mp"} blocks(3 * 8)]> to <@m, [{}, {}]>
// CHECK: pd.reshape {{.*}} {dist.shardings = [#dist.sharding<@m, [{}, {}, {}, {}]>]
dist.mesh @m = <["mp"=2]>
func.func @one_block(%x: tensor<4x24xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) -> tensor<4x8xf32> {
  %0:3 = pd.split %x {sections = array<i64: 8, 8, 8>, axis = 1 : i64} : (tensor<4x24xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return %0#1 : tensor<4x8xf32>
}
func.func @other_blocks(%x: tensor<4x24xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(12, 12)]>}) -> tensor<4x8xf32> {
  %0:3 = pd.split %x {sections = array<i64: 8, 8, 8>, axis = 1 : i64} : (tensor<4x24xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  return %0#1 : tensor<4x8xf32>
}
func.func @inner_blocks(%x: tensor<4x24xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(3 * 8)]>}) -> tensor<4x2x3x4xf32> {
  %0 = pd.reshape %x {shape = array<i64: 4, 2, 3, 4>} : (tensor<4x24xf32>) -> tensor<4x2x3x4xf32>
  return %0 : tensor<4x2x3x4xf32>
}

// -----

// A random op samples its shard; random numbers that depend on all others are sliced.
// CHECK-LABEL: func.func @random
// CHECK: pd.uniform {{.*}}dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
// CHECK: pd.poisson {{.*}}dist.shardings = [#dist.sharding<@m, [{"x"}, {}]>]
// CHECK: pd.randperm {{.*}}dist.shardings = [#dist.sharding<@m, [{}]>]
dist.mesh @m = <["x"=2]>
func.func @random(%x: tensor<8x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x4xf32>, tensor<8xi64>) {
  %0 = pd.uniform {dtype = f32, shape = array<i64: 8, 4>} : () -> tensor<8x4xf32>
  %1 = pd.add %x, %0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = pd.poisson %1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = pd.randperm {dtype = i64, n = 8 : i64} : () -> tensor<8xi64>
  return %2, %3 : tensor<8x4xf32>, tensor<8xi64>
}

// -----

// The dims of a split value need no gather.
// CHECK-LABEL: func.func @dims
// CHECK-NOT: dist.reshard
// CHECK: pd.shape {{.*}}dist.shardings = [#dist.sharding<@m, [{}]>]
// CHECK: pd.dim {{.*}}dist.shardings = [#dist.sharding<@m, []>]
// CHECK-NOT: dist.reshard
dist.mesh @m = <["x"=2]>
func.func @dims(%x: tensor<?x4096xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<2xi32>, tensor<i64>) {
  %0 = pd.shape %x : (tensor<?x4096xf32>) -> tensor<2xi32>
  %1 = pd.dim %x {index = 0 : i64} : (tensor<?x4096xf32>) -> tensor<i64>
  return %0, %1 : tensor<2xi32>, tensor<i64>
}

// -----

// Near miss: a dimension with blocks is static.
// CHECK-LABEL: func.func @dynamic
// CHECK: pd.concat {{.*}}dist.shardings = [#dist.sharding<@m, [{}, {}]>]
dist.mesh @m = <["mp"=2]>
func.func @dynamic(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"}]>}) -> tensor<4x?xf32> {
  %0 = pd.concat %x, %x {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// Blocks of the inner dimension of a merge, whose outer one is split: the merged dimension has no such split, so the
// columns are gathered.
// CHECK-LABEL: func.func @inner_blocks
// CHECK: dist.reshard %{{.*}} from <@m, [{"x"}, {"y"} blocks(2, 2)]> to <@m, [{"x"}, {}]>
// CHECK: pd.reshape {{.*}} {dist.shardings = [#dist.sharding<@m, [{"x"}]>]
dist.mesh @m = <["x"=2, "y"=2]>
func.func @inner_blocks(%a: tensor<2x4xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {"y"} blocks(2 * 2)]>})
    -> tensor<8xf32> {
  %0 = pd.reshape %a {shape = array<i64: 8>} : (tensor<2x4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

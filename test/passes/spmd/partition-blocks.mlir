// Dimensions of blocks, shards of random tensors, and dims of split values.
// RUN: proa-opt %s --dist-partition --split-input-file | FileCheck %s
// RUN: proa-opt %s --dist-partition=rank=1 --split-input-file | FileCheck %s --check-prefix=RANK

// Shards of a split, a slice and a concat are shards of their pieces.
// CHECK-LABEL: func @pieces
// CHECK-SAME: (%[[X:.*]]: tensor<4x12xf32>
// CHECK-NEXT: pd.split %[[X]] {axis = 1 : i64, sections = array<i64: 4, 4, 4>} : (tensor<4x12xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-NEXT: pd.slice %[[X]] {axes = array<i64: 1>, ends = array<i64: 8>, starts = array<i64: 4>} : (tensor<4x12xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: pd.concat {{.*}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
// CHECK-NOT: dist.all_gather
dist.mesh @m = <["mp"=2]>
#shard = #dist.sharding<@m, [{}, {"mp"}]>
func.func @pieces(%x: tensor<4x24xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(3 * 8)]>})
    -> (tensor<4x16xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(8, 8)]>}, tensor<4x8xf32> {dist.sharding = #shard}, tensor<4x8xf32> {dist.sharding = #shard}) {
  %0:3 = pd.split %x {sections = array<i64: 8, 8, 8>, axis = 1 : i64, dist.shardings = [#shard, #shard, #shard]}
    : (tensor<4x24xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
  %1 = pd.slice %x {axes = array<i64: 1>, starts = array<i64: 8>, ends = array<i64: 16>, dist.shardings = [#shard]} : (tensor<4x24xf32>) -> tensor<4x8xf32>
  %2 = pd.concat %0#0, %0#2 {axis = 1 : i64, dist.shardings = [#dist.sharding<@m, [{}, {"mp"} blocks(8, 8)]>]} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return %2, %0#1, %1 : tensor<4x16xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Uneven pieces: device 1 has 1 of 3 and 2 of 5 columns. Without a device the sections are not known.
// CHECK-LABEL: func @uneven
// CHECK: dist.all_gather
// CHECK: pd.split {{.*}} -> (tensor<4x3xf32>, tensor<4x5xf32>)
// RANK-LABEL: func @uneven
// RANK-NEXT: pd.split %{{.*}} {axis = 1 : i64, sections = array<i64: 1, 2>} : (tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<4x2xf32>)
// RANK-NEXT: pd.slice %{{.*}} {axes = array<i64: 1>, ends = array<i64: 3>, starts = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4x2xf32>
dist.mesh @m = <["mp"=2]>
#shard = #dist.sharding<@m, [{}, {"mp"}]>
func.func @uneven(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(3, 5)]>})
    -> (tensor<4x3xf32> {dist.sharding = #shard}, tensor<4x5xf32> {dist.sharding = #shard}, tensor<4x5xf32> {dist.sharding = #shard}) {
  %0:2 = pd.split %x {sections = array<i64: 3, 5>, axis = 1 : i64, dist.shardings = [#shard, #shard]} : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x5xf32>)
  %1 = pd.slice %x {axes = array<i64: 1>, starts = array<i64: 3>, ends = array<i64: 8>, dist.shardings = [#shard]} : (tensor<4x8xf32>) -> tensor<4x5xf32>
  return %0#0, %0#1, %1 : tensor<4x3xf32>, tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// Blocks of heads: the reshape runs on the heads of the device.
// CHECK-LABEL: func @heads
// CHECK: pd.reshape %{{.*}} {shape = array<i64: 2, 3, 4, 8>} : (tensor<2x96xf32>) -> tensor<2x3x4x8xf32>
dist.mesh @m = <["mp"=2]>
func.func @heads(%x: tensor<2x192xf32> {dist.sharding = #dist.sharding<@m, [{}, {"mp"} blocks(3 * 64)]>})
    -> (tensor<2x3x8x8xf32> {dist.sharding = #dist.sharding<@m, [{}, {}, {"mp"}, {}]>}) {
  %0 = pd.reshape %x {shape = array<i64: 2, 3, 8, 8>, dist.shardings = [#dist.sharding<@m, [{}, {}, {"mp"}, {}]>]} : (tensor<2x192xf32>) -> tensor<2x3x8x8xf32>
  return %0 : tensor<2x3x8x8xf32>
}

// -----

// A random op samples its shard of the whole: where it begins follows from the device.
// CHECK-LABEL: func @random
// CHECK: %[[B:.*]] = pd.concat {{.*}} -> tensor<2xi64>
// CHECK: pd.uniform  part_begin = %[[B]] {dtype = f32, seed = 3 : i64, shape = array<i64: 4, 6>, whole_shape = array<i64: 8, 6>} : (tensor<2xi64>) -> tensor<4x6xf32>
// CHECK: pd.poisson %{{.*}}, %{{.*}} {whole_shape = array<i64: 8, 6>} : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<4x6xf32>
// CHECK-NOT: dist.all_gather
// RANK-LABEL: func @random
// RANK: pd.uniform  part_begin = %{{.*}} {dtype = f32, seed = 3 : i64, shape = array<i64: 4, 6>, whole_shape = array<i64: 8, 6>}
dist.mesh @m = <["x"=2]>
#rows = #dist.sharding<@m, [{"x"}, {}]>
func.func @random(%x: tensor<8x6xf32> {dist.sharding = #rows}) -> (tensor<8x6xf32> {dist.sharding = #rows}, tensor<8x6xf32> {dist.sharding = #rows}) {
  %0 = pd.uniform {dtype = f32, shape = array<i64: 8, 6>, seed = 3 : i64, dist.shardings = [#rows]} : () -> tensor<8x6xf32>
  %1 = pd.poisson %x {dist.shardings = [#rows]} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0, %1 : tensor<8x6xf32>, tensor<8x6xf32>
}

// -----

// Uneven shards: without a device, the dims are a tensor.
// CHECK-LABEL: func @random_uneven
// CHECK: pd.gaussian  shape = %{{.*}} part_begin = %{{.*}} {{.*}}whole_shape = array<i64: 5>} : (tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
// RANK-LABEL: func @random_uneven
// RANK: pd.gaussian  part_begin = %{{.*}} {dtype = f32, shape = array<i64: 2>, whole_shape = array<i64: 5>} : (tensor<1xi64>) -> tensor<2xf32>
dist.mesh @m = <["x"=2]>
#shard = #dist.sharding<@m, [{"x"}]>
func.func @random_uneven() -> (tensor<5xf32> {dist.sharding = #shard}) {
  %0 = pd.gaussian {dtype = f32, shape = array<i64: 5>, dist.shardings = [#shard]} : () -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Static dims are constants; dynamic ones are the sum of the shards.
// CHECK-LABEL: func @dims
// CHECK: %[[OWN:.*]] = pd.dim
// CHECK: %[[SUM:.*]] = dist.all_reduce %{{.*}} from <@m, [], partial = [sum {"x"}]> to <@m, []> : tensor<i64> -> tensor<i64>
// CHECK-NOT: dist.all_gather
dist.mesh @m = <["x"=2]>
func.func @dims(%x: tensor<?x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<2xi32> {dist.sharding = #dist.sharding<@m, [{}]>}) {
  %0 = pd.shape %x {dist.shardings = [#dist.sharding<@m, [{}]>]} : (tensor<?x6xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func @static_dims
// CHECK-NOT: dist.all_reduce
// CHECK: pd.constant dense<8> : tensor<i64>
dist.mesh @m = <["x"=2]>
func.func @static_dims(%x: tensor<8x6xf32> {dist.sharding = #dist.sharding<@m, [{"x"}, {}]>}) -> (tensor<i64> {dist.sharding = #dist.sharding<@m, []>}) {
  %0 = pd.dim %x {index = -2 : i64, dist.shardings = [#dist.sharding<@m, []>]} : (tensor<8x6xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

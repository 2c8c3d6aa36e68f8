// RUN: proa-opt %s --dist-from-process-groups="rings=0=dp,1=mp rank=1" | FileCheck %s
dist.mesh @mesh = <["dp"=4, "mp"=4]>

// The types of whole tensors say the shards: shards of tensor parallelism are along mp, also where dp has the same size.
// CHECK-LABEL: func.func @wholes(
// CHECK-SAME: tensor<4x8xf32> {dist.global = tensor<4x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "w"}
// CHECK-SAME: tensor<6xf32> {dist.global = tensor<6xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
// CHECK-SAME: -> (tensor<4x8xf32> {dist.global = tensor<4x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.state = "w"})
func.func @wholes(%w: tensor<4x8xf32> {dist.global = tensor<4x32xf32>, pd.param = "w"}, %b: tensor<6xf32> {dist.global = tensor<6xf32>})
    -> (tensor<4x8xf32> {pd.state = "w"}) {
  %0 = pd.c_identity %w {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Two experts on each of 4 processes: rows go to them, and to the order of experts.
// CHECK-LABEL: func.func @experts(
// CHECK: %[[R:.*]] = dist.exchange_rows %{{.*}} over <@mesh, {"mp"}> : tensor<6x8xf32>, tensor<4xi64>, tensor<4xi64> -> tensor<?x8xf32>
// CHECK: pd.gather %[[R]],
// CHECK: %[[G:.*]] = pd.gather
// CHECK: dist.exchange_rows %[[G]], {{.*}} over <@mesh, {"mp"}> : tensor<?x8xf32>, tensor<4xi64>, tensor<4xi64> -> tensor<?x8xf32>
func.func @experts(%x: tensor<6x8xf32>, %local: tensor<8xi64>, %global: tensor<8xi64>) -> tensor<?x8xf32> {
  %0 = pd.global_scatter %x, %local, %global {ring_id = 1 : i64} : (tensor<6x8xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<?x8xf32>
  %1 = pd.global_gather %0, %local, %global {ring_id = 1 : i64} : (tensor<?x8xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

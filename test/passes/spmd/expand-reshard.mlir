// RUN: proa-opt %s --dist-expand-reshard | FileCheck %s
// RUN: proa-opt %s --dist-expand-reshard --remarks=dist-expand-reshard -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// Slow links between nodes: sums are scattered in each node first.
// RUN: proa-opt %s "--dist-expand-reshard=links=node:1e-5:1e9,gpu:1e-6:1e11" | FileCheck %s --check-prefix=LINKS
// RUN: proa-opt %s "--dist-expand-reshard=mesh-link=1e-6:1e8" | FileCheck %s --check-prefix=SLOW
// A result is as before after folding: one pair of local and global forms for a chain.
// RUN: proa-opt %s --dist-expand-reshard --canonicalize | FileCheck %s --check-prefix=FOLDED

dist.mesh @m = <["x"=2, "y"=2]>
dist.mesh @next = <["x"=2], devices = [4, 5]>
dist.mesh @flat = <["z"=4]>
dist.mesh @cluster = <["node"=2, "gpu"=4]>

// CHECK-LABEL: func @move
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>)
// CHECK-NEXT: %[[L:.*]] = dist.to_local %[[X]] with <@m, [{"x"}, {}]> : tensor<8x16xf32> -> tensor<4x16xf32>
// CHECK-NEXT: %[[M:.*]] = dist.all_to_all %[[L]] of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<4x16xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[G:.*]] = dist.to_global %[[M]] with <@m, [{}, {"x"}]> : tensor<8x8xf32> -> tensor<8x16xf32>
// CHECK-NEXT: return %[[G]]
// REMARK: dist.reshard becomes: all_to_all
func.func @move(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: func @each_kind
func.func @each_kind(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: dist.slice {{.*}} -> tensor<4x8xf32>
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@m, [{"x"}, {"y"}]> : tensor<8x16xf32>
  // CHECK: dist.permute
  %1 = dist.reshard %0 from <@m, [{"x"}, {"y"}]> to <@m, [{"y"}, {"x"}]> : tensor<8x16xf32>
  // CHECK: dist.all_gather
  %2 = dist.reshard %1 from <@m, [{"y"}, {"x"}]> to <@m, [{}, {"x"}]> : tensor<8x16xf32>
  // CHECK: dist.to_partial
  %3 = dist.reshard %2 from <@m, [{}, {"x"}]> to <@m, [{}, {}], partial = [sum {"x"}]> : tensor<8x16xf32>
  // CHECK: dist.reduce_scatter
  %4 = dist.reshard %3 from <@m, [{}, {}], partial = [sum {"x"}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32>
  // CHECK: dist.all_reduce
  %5 = dist.reshard %4 from <@m, [{}, {}], partial = [max {"x"}]> to <@m, [{}, {}]> : tensor<8x16xf32>
  return %5 : tensor<8x16xf32>
}

// The same sharding.
// CHECK-LABEL: func @same
// CHECK-NOT: dist.reshard
// FOLDED-LABEL: func @same
// FOLDED-NEXT: return
func.func @same(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@m, [{"x"}, {}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Shards of 9 rows are 5 and 4; dynamic dims stay dynamic.
// CHECK-LABEL: func @dynamic_shards
// CHECK: dist.all_gather {{.*}} : tensor<?x16xf32> -> tensor<9x16xf32>
// CHECK: dist.all_to_all {{.*}} : tensor<?x16xf32> -> tensor<?x8xf32>
func.func @dynamic_shards(%x: tensor<9x16xf32>, %y: tensor<?x16xf32>) -> (tensor<9x16xf32>, tensor<?x16xf32>) {
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@m, [{}, {}]> : tensor<9x16xf32>
  %1 = dist.reshard %y from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> : tensor<?x16xf32>
  return %0, %1 : tensor<9x16xf32>, tensor<?x16xf32>
}

// Between meshes the devices of one send and the devices of the other receive.
// CHECK-LABEL: func @stages
// CHECK: %[[L:.*]] = dist.to_local %arg0 with <@m, [{"x"}, {}]>
// CHECK: dist.send %[[L]] of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@next, [{"x"}, {}]> channel 0 : tensor<4x16xf32>
// CHECK: %[[R:.*]] = dist.recv of tensor<8x16xf32> from <@m, [{"x"}, {}]> to <@next, [{"x"}, {}]> channel 0 : tensor<4x16xf32>
// CHECK: dist.to_global %[[R]] with <@next, [{"x"}, {}]>
// REMARK: dist.reshard becomes: send, recv
func.func @stages(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = dist.reshard %x from <@m, [{"x"}, {}]> to <@next, [{"x"}, {}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// A sum is combined before it is sent. Each transfer has a channel of its own.
// CHECK-LABEL: func @sum_for_stage
// CHECK: dist.reduce_scatter
// CHECK: dist.send {{.*}} to <@next, [{"x"}, {}]> channel 1
// CHECK: dist.recv {{.*}} channel 1
func.func @sum_for_stage(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = dist.reshard %x from <@m, [{}, {}], partial = [sum {"x"}]> to <@next, [{"x"}, {}]> : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// With slow messages between meshes each element is sent once and gathered there.
// CHECK-LABEL: func @whole_for_stage
// CHECK: dist.recv {{.*}} : tensor<1024x1024xf32>
// SLOW-LABEL: func @whole_for_stage
// SLOW: dist.recv {{.*}} : tensor<512x1024xf32>
// SLOW: dist.all_gather
func.func @whole_for_stage(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = dist.reshard %x from <@m, [{}, {}]> to <@next, [{}, {}]> : tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// Two views of the same devices: nothing moves where the shards are equal.
// CHECK-LABEL: func @views
// CHECK-NEXT: %[[L:.*]] = dist.to_local %arg0 with <@m, [{"x", "y"}, {}]> : tensor<8x16xf32> -> tensor<2x16xf32>
// CHECK-NEXT: %[[A:.*]] = dist.to_global %[[L]] with <@flat, [{"z"}, {}]> : tensor<2x16xf32> -> tensor<8x16xf32>
// CHECK-NEXT: %[[B:.*]] = dist.to_local %[[A]] with <@flat, [{"z"}, {}]>
// CHECK-NEXT: %[[M:.*]] = dist.all_to_all %[[B]] of tensor<8x16xf32> from <@flat, [{"z"}, {}]> to <@flat, [{"z":(1)2}, {"z":(2)2}]>
// CHECK-NEXT: dist.to_global %[[M]] with <@m, [{"x"}, {"y"}]>
// REMARK: dist.reshard becomes: nothing
func.func @views(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = dist.reshard %x from <@m, [{"x", "y"}, {}]> to <@flat, [{"z"}, {}]> : tensor<8x16xf32>
  %1 = dist.reshard %0 from <@flat, [{"z"}, {}]> to <@m, [{"x"}, {"y"}]> : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// CHECK-LABEL: func @sum_over_nodes
// CHECK: dist.all_reduce
// LINKS-LABEL: func @sum_over_nodes
// LINKS: dist.reduce_scatter {{.*}} partial = [sum {"node"}]>
// LINKS: dist.all_reduce
// LINKS: dist.all_gather
func.func @sum_over_nodes(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = dist.reshard %x from <@cluster, [{}, {}], partial = [sum {"node", "gpu"}]> to <@cluster, [{}, {}]> : tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

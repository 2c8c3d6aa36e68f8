// Ops of process groups become ops of dist and come back.
// RUN: proa-opt %s --dist-from-process-groups="rings=0=dp,1=mp rank=1" | FileCheck %s
// RUN: proa-opt %s --dist-from-process-groups="rings=0=dp,1=mp rank=1" --dist-to-process-groups="rings=0=dp,1=mp rank=1" --canonicalize | FileCheck %s --check-prefix=BACK
dist.mesh @mesh = <["dp"=2, "mp"=4]>

// Values may differ along other axes: they are stated as terms.
// CHECK-LABEL: func.func @reductions(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32> {dist.global = tensor<4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
// CHECK: dist.all_reduce %[[X]] of tensor<4x8xf32> from <@mesh, [{}, {}], partial = [sum {"dp", "mp"}]> to <@mesh, [{}, {}], partial = [sum {"mp"}]> {legacy_op = {name = "pd.c_allreduce_sum", ring_id = 0 : i64}} : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: dist.all_reduce {{.*}} partial = [sum {"dp", "mp"}]> to <@mesh, [{}, {}], partial = [sum {"dp"}]> {legacy_op = {name = "pd.mp_allreduce_sum", ring_id = 1 : i64}}
// CHECK: dist.all_reduce {{.*}} partial = [max {"dp", "mp"}]> to <@mesh, [{}, {}], partial = [max {"dp"}]>
// CHECK: dist.all_reduce {{.*}} partial = [prod {"dp", "mp"}]>
// CHECK: dist.all_reduce {{.*}} {legacy_op = {name = "pd.c_reduce_min", ring_id = 1 : i64, root = 3 : i64}}
// BACK-LABEL: func.func @reductions(
// BACK-SAME: %[[X:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// BACK-NEXT: %[[A:.*]] = pd.c_allreduce_sum %[[X]] : (tensor<4x8xf32>) -> tensor<4x8xf32>
// BACK-NEXT: %[[B:.*]] = pd.mp_allreduce_sum %[[A]] {ring_id = 1 : i64} :
// BACK-NEXT: %[[C:.*]] = pd.c_allreduce_max %[[B]] {ring_id = 1 : i64} :
// BACK-NEXT: %[[D:.*]] = pd.c_allreduce_prod %[[C]] {ring_id = 1 : i64} :
// BACK-NEXT: pd.c_reduce_min %[[D]] {ring_id = 1 : i64, root = 3 : i64} :
func.func @reductions(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pd.c_allreduce_sum %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.mp_allreduce_sum %0 {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = pd.c_allreduce_max %1 {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = pd.c_allreduce_prod %2 {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = pd.c_reduce_min %3 {ring_id = 1 : i64, root = 3 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @shards(
// CHECK: dist.all_gather {{.*}} of tensor<16x8xf32> from <@mesh, [{"mp"}, {}], partial = [sum {"dp"}]> to <@mesh, [{}, {}], partial = [sum {"dp"}]> {legacy_op = {name = "pd.all_gather", nranks = 4 : i64, ring_id = 1 : i64}} : tensor<4x8xf32> -> tensor<16x8xf32>
// CHECK: dist.reduce_scatter {{.*}} of tensor<16x8xf32> from <@mesh, [{}, {}], partial = [sum {"dp", "mp"}]> to <@mesh, [{"mp"}, {}], partial = [sum {"dp"}]> {{.*}} : tensor<16x8xf32> -> tensor<4x8xf32>
// CHECK: dist.slice {{.*}} of tensor<4x8xf32> {{.*}} : tensor<4x8xf32> -> tensor<4x2xf32>
// CHECK: dist.all_gather {{.*}} of tensor<4x8xf32> from <@mesh, [{}, {"mp"}]{{.*}} : tensor<4x2xf32> -> tensor<4x8xf32>
// CHECK: dist.broadcast {{.*}} over <@mesh, {"mp"}> root [2] {legacy_op
// BACK-LABEL: func.func @shards(
// BACK-NEXT: pd.all_gather {{.*}} {nranks = 4 : i64, ring_id = 1 : i64} :
// BACK-NEXT: pd.reduce_scatter {{.*}} {nranks = 4 : i64, ring_id = 1 : i64} :
// BACK-NEXT: pd.c_split {{.*}} {nranks = 4 : i64, rank = 1 : i64, ring_id = 1 : i64} :
// BACK-NEXT: pd.c_concat {{.*}} {nranks = 4 : i64, rank = 1 : i64, ring_id = 1 : i64} :
// BACK-NEXT: pd.broadcast {{.*}} {ring_id = 1 : i64, root = 2 : i64} :
func.func @shards(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pd.all_gather %x {ring_id = 1 : i64, nranks = 4 : i64} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  %1 = pd.reduce_scatter %0 {ring_id = 1 : i64, nranks = 4 : i64} : (tensor<16x8xf32>) -> tensor<4x8xf32>
  %2 = pd.c_split %1 {ring_id = 1 : i64, nranks = 4 : i64, rank = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %3 = pd.c_concat %2 {ring_id = 1 : i64, nranks = 4 : i64, rank = 1 : i64} : (tensor<4x2xf32>) -> tensor<4x8xf32>
  %4 = pd.broadcast %3 {ring_id = 1 : i64, root = 2 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// Several ops of dist; equal ops with other names come back.
// CHECK-LABEL: func.func @several(
// CHECK: %[[P:.*]] = pd.reshape {{.*}} -> tensor<1x4x1x8xf32>
// CHECK: %[[Q:.*]] = dist.all_to_all %[[P]] of tensor<4x4x1x8xf32> from <@mesh, [{"mp"}, {}, {}, {}]{{.*}} to <@mesh, [{}, {"mp"}, {}, {}]{{.*}} : tensor<1x4x1x8xf32> -> tensor<4x1x1x8xf32>
// CHECK: pd.reshape %[[Q]] {{.*}} -> tensor<4x8xf32>
// CHECK: dist.broadcast
// CHECK: dist.slice {{.*}} : tensor<4x8xf32> -> tensor<1x8xf32>
// CHECK: pd.reshape {{.*}} -> tensor<4x2xf32>
// CHECK: dist.slice {{.*}} : tensor<4xi64> -> tensor<1xi64>
// CHECK: pd.gather {{.*}} -> tensor<1x2xf32>
// CHECK: dist.all_gather {{.*}} : tensor<1x2xf32> -> tensor<4x2xf32>
// BACK-LABEL: func.func @several(
// BACK: pd.constant dense<1> : tensor<1xi64>
// BACK: pd.all_to_all {{.*}} {ring_id = 1 : i64} :
// BACK: pd.broadcast
// BACK: pd.slice {{.*}} -> tensor<1x8xf32>
// BACK: pd.gather {{.*}} -> tensor<1x2xf32>
// BACK: pd.all_gather {{.*}} {nranks = 4 : i64, ring_id = 1 : i64} : (tensor<1x2xf32>) -> tensor<4x2xf32>
func.func @several(%x: tensor<4x8xf32>) -> tensor<1x8xf32> {
  %0 = pd.all_to_all %x {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.c_scatter %0 {ring_id = 1 : i64, nranks = 4 : i64} : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %2 = pd.partial_allgather %1 {ring_id = 1 : i64, nranks = 4 : i64, rank = 1 : i64} : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return %2 : tensor<1x8xf32>
}

// Ops that do not communicate, and composites without expand, stay. An unknown number of processes is the size of the group.
// CHECK-LABEL: func.func @stay(
// CHECK: pd.c_identity
// CHECK: pd.barrier
// CHECK: pd.c_softmax_with_cross_entropy
// CHECK: %[[G:.*]] = dist.all_gather {{.*}} : tensor<4x8xf32> -> tensor<16x8xf32>
// CHECK: tensor.cast %[[G]] : tensor<16x8xf32> to tensor<?x8xf32>
func.func @stay(%x: tensor<4x8xf32>, %l: tensor<4x1xi64>) -> (tensor<4x1xf32>, tensor<?x8xf32>) {
  %0 = pd.c_identity %x {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.barrier %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s, %2 = pd.c_softmax_with_cross_entropy %1, %l {ring_id = 1 : i64, nranks = 4 : i64, rank = 1 : i64}
    : (tensor<4x8xf32>, tensor<4x1xi64>) -> (tensor<4x8xf32>, tensor<4x1xf32>)
  %3 = pd.all_gather %x {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<?x8xf32>
  return %2, %3 : tensor<4x1xf32>, tensor<?x8xf32>
}

// Shards of parameters; new values of states are as the states.
// CHECK-LABEL: func.func @interface(
// CHECK-SAME: tensor<4x8xf32> {dist.global = tensor<4x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "w"}
// CHECK-SAME: -> (tensor<4x8xf32> {dist.global = tensor<4x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.state = "w"})
func.func @interface(%w: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"mp"}]>, pd.param = "w"})
    -> (tensor<4x8xf32> {pd.state = "w"}) {
  %0 = pd.c_allreduce_sum %w : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

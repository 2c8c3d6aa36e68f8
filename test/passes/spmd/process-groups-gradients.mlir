// Gradients of ops of process groups are other ops of the group.
// RUN: proa-opt %s --dist-from-process-groups="rings=0=dp,1=mp rank=1" --split-input-file | FileCheck %s

// The loss of each process depends on the operands of all.
// CHECK-LABEL: func.func @reduced
// CHECK-NOT: pd.vjp
// CHECK: dist.all_reduce %{{.*}} from <@mesh, [{}, {}], partial = [sum {"dp", "mp"}]> to <@mesh, [{}, {}], partial = [sum {"mp"}]>
// CHECK-NEXT: return
dist.mesh @mesh = <["dp"=2, "mp"=2]>
func.func @reduced(%x: tensor<4x8xf32>, %d: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pd.vjp(%x : tensor<4x8xf32>) cotangents(%d : tensor<4x8xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %y = pd.c_allreduce_sum %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
    pd.yield %y : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// The pair of tensor parallelism: the gradient of the sum is the identity, and the other way around.
// CHECK-LABEL: func.func @pair
// CHECK-SAME: %[[D:[^:]*]]: tensor<4x8xf32>
// CHECK-NEXT: %[[I:.*]] = pd.c_identity %[[D]] {ring_id = 1 : i64}
// CHECK-NEXT: %[[S:.*]] = dist.all_reduce %[[D]] {{.*}} {legacy_op = {name = "pd.mp_allreduce_sum", ring_id = 1 : i64}}
// CHECK-NEXT: return %[[I]], %[[S]]
dist.mesh @mesh = <["dp"=2, "mp"=2]>
func.func @pair(%d: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = pd.vjp(%d : tensor<4x8xf32>) cotangents(%d : tensor<4x8xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %y = pd.mp_allreduce_sum %a {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    pd.yield %y : tensor<4x8xf32>
  }
  %1 = pd.vjp(%d : tensor<4x8xf32>) cotangents(%d : tensor<4x8xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %y = pd.c_identity %a {ring_id = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    pd.yield %y : tensor<4x8xf32>
  }
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Shards: gathered by their split, split by their join; rows by their reduction.
// CHECK-LABEL: func.func @shards
// CHECK: dist.slice %{{.*}} of tensor<4x8xf32>
// CHECK: dist.all_gather %{{.*}} of tensor<4x8xf32> from <@mesh, [{}, {"mp"}]
// CHECK: dist.reduce_scatter %{{.*}} of tensor<8x8xf32>
// CHECK: dist.all_gather %{{.*}} of tensor<8x8xf32> from <@mesh, [{"mp"}, {}]
dist.mesh @mesh = <["dp"=2, "mp"=2]>
func.func @shards(%p: tensor<4x4xf32>, %x: tensor<4x8xf32>, %all: tensor<8x8xf32>)
    -> (tensor<4x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) {
  %0 = pd.vjp(%p : tensor<4x4xf32>) cotangents(%x : tensor<4x8xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %y = pd.c_concat %a {ring_id = 1 : i64, nranks = 2 : i64, rank = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x8xf32>
    pd.yield %y : tensor<4x8xf32>
  }
  %1 = pd.vjp(%x : tensor<4x8xf32>) cotangents(%p : tensor<4x4xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %y = pd.c_split %a {ring_id = 1 : i64, nranks = 2 : i64, rank = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x4xf32>
    pd.yield %y : tensor<4x4xf32>
  }
  %2 = pd.vjp(%x : tensor<4x8xf32>) cotangents(%all : tensor<8x8xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %y = pd.all_gather %a {ring_id = 1 : i64, nranks = 2 : i64} : (tensor<4x8xf32>) -> tensor<8x8xf32>
    pd.yield %y : tensor<8x8xf32>
  }
  %3 = pd.vjp(%all : tensor<8x8xf32>) cotangents(%x : tensor<4x8xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<8x8xf32> {
  ^bb0(%a: tensor<8x8xf32>):
    %y = pd.reduce_scatter %a {ring_id = 1 : i64, nranks = 2 : i64} : (tensor<8x8xf32>) -> tensor<4x8xf32>
    pd.yield %y : tensor<4x8xf32>
  }
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>
}

// -----

// Near misses: without `expand`, the gradient of a composite stays; so does one of other ops.
// CHECK-LABEL: func.func @stay
// CHECK: pd.vjp
// CHECK: pd.c_softmax_with_cross_entropy
// CHECK: pd.vjp
// CHECK: pd.tanh
dist.mesh @mesh = <["dp"=2, "mp"=2]>
func.func @stay(%x: tensor<4x8xf32>, %l: tensor<4x1xi64>, %d: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = pd.vjp(%x : tensor<4x8xf32>) cotangents(%d : tensor<4x1xf32>) {cotangent_of = array<i64: 1>, saved_of = array<i64>} : tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %s, %y = pd.c_softmax_with_cross_entropy %a, %l {ring_id = 1 : i64} : (tensor<4x8xf32>, tensor<4x1xi64>) -> (tensor<4x8xf32>, tensor<4x1xf32>)
    pd.yield %s, %y : tensor<4x8xf32>, tensor<4x1xf32>
  }
  %1 = pd.vjp(%x : tensor<4x8xf32>) cotangents(%x : tensor<4x8xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %y = pd.tanh %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
    pd.yield %y : tensor<4x8xf32>
  }
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

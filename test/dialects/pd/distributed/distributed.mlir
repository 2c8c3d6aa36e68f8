// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @all_gather
func.func @all_gather(%x: tensor<4xf32>) {
  // CHECK: pd.all_gather %{{.*}} {nranks = 2 : i64} : (tensor<4xf32>) -> tensor<8xf32>
  %0 = pd.all_gather %x {nranks = 2 : i64} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func @all_reduce
func.func @all_reduce(%x: tensor<4x6xf32>) {
  // CHECK: pd.all_reduce %{{.*}} {reduce_type = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.all_reduce %x {reduce_type = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @all_to_all
func.func @all_to_all(%x: tensor<4x6xf32>) {
  // CHECK: pd.all_to_all %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.all_to_all %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @barrier
func.func @barrier(%x: tensor<4x6xf32>) {
  // CHECK: pd.barrier %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.barrier %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @broadcast
func.func @broadcast(%x: tensor<4x6xf32>) {
  // CHECK: pd.broadcast %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.broadcast %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_allreduce_max
func.func @c_allreduce_max(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_allreduce_max %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_allreduce_max %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_allreduce_min
func.func @c_allreduce_min(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_allreduce_min %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_allreduce_min %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_allreduce_prod
func.func @c_allreduce_prod(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_allreduce_prod %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_allreduce_prod %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_allreduce_sum
func.func @c_allreduce_sum(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_allreduce_sum %{{.*}} {ring_id = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_allreduce_sum %x {ring_id = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_concat
func.func @c_concat(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_concat %{{.*}} {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x12xf32>
  %0 = pd.c_concat %x {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// CHECK-LABEL: func @c_embedding
func.func @c_embedding(%weight: tensor<2x1xf32>, %x: tensor<4xi64>) {
  // CHECK: pd.c_embedding %{{.*}}, %{{.*}} {start_index = 10 : i64} : (tensor<2x1xf32>, tensor<4xi64>) -> tensor<4x1xf32>
  %0 = pd.c_embedding %weight, %x {start_index = 10 : i64} : (tensor<2x1xf32>, tensor<4xi64>) -> tensor<4x1xf32>
  return
}

// CHECK-LABEL: func @c_identity
func.func @c_identity(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_identity %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_identity %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_reduce_max
func.func @c_reduce_max(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_reduce_max %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_reduce_max %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_reduce_min
func.func @c_reduce_min(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_reduce_min %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_reduce_min %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_reduce_prod
func.func @c_reduce_prod(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_reduce_prod %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_reduce_prod %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_reduce_sum
func.func @c_reduce_sum(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_reduce_sum %{{.*}} {root = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.c_reduce_sum %x {root = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @c_scatter
func.func @c_scatter(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_scatter %{{.*}} {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %0 = pd.c_scatter %x {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// CHECK-LABEL: func @c_softmax_with_cross_entropy
func.func @c_softmax_with_cross_entropy(%logits: tensor<4x6xf32>, %label: tensor<4x1xi64>) {
  // CHECK: pd.c_softmax_with_cross_entropy %{{.*}}, %{{.*}} : (tensor<4x6xf32>, tensor<4x1xi64>) -> (tensor<4x6xf32>, tensor<4x1xf32>)
  %0:2 = pd.c_softmax_with_cross_entropy %logits, %label : (tensor<4x6xf32>, tensor<4x1xi64>) -> (tensor<4x6xf32>, tensor<4x1xf32>)
  return
}

// CHECK-LABEL: func @c_split
func.func @c_split(%x: tensor<4x6xf32>) {
  // CHECK: pd.c_split %{{.*}} {nranks = 2 : i64, rank = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %0 = pd.c_split %x {rank = 1 : i64, nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func @global_gather
func.func @global_gather(%a: tensor<4x6xf32>, %b: tensor<2xi64>) {
  // CHECK: pd.global_gather %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  %0 = pd.global_gather %a, %b, %b : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  return
}

// CHECK-LABEL: func @global_scatter
func.func @global_scatter(%a: tensor<4x6xf32>, %b: tensor<2xi64>) {
  // CHECK: pd.global_scatter %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  %0 = pd.global_scatter %a, %b, %b : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  return
}

// CHECK-LABEL: func @mp_allreduce_sum
func.func @mp_allreduce_sum(%x: tensor<4x6xf32>) {
  // CHECK: pd.mp_allreduce_sum %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.mp_allreduce_sum %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @partial_allgather
func.func @partial_allgather(%x: tensor<4x6xf32>) {
  // CHECK: pd.partial_allgather %{{.*}} {nranks = 2 : i64, rank = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.partial_allgather %x {nranks = 2 : i64, rank = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @partial_recv
func.func @partial_recv() {
  // CHECK: pd.partial_recv  {dtype = f32, num = 2 : i64, out_shape = array<i64: 4, 3>, peer = 1 : i64} : () -> tensor<4x3xf32>
  %0 = pd.partial_recv {out_shape = array<i64: 4, 3>, dtype = f32, peer = 1 : i64, num = 2 : i64} : () -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func @partial_send
func.func @partial_send(%x: tensor<4x6xf32>) {
  // CHECK: pd.partial_send %{{.*}} {id = 1 : i64, num = 2 : i64, peer = 1 : i64} : (tensor<4x6xf32>) -> ()
  pd.partial_send %x {peer = 1 : i64, num = 2 : i64, id = 1 : i64} : (tensor<4x6xf32>) -> ()
  return
}

// CHECK-LABEL: func @recv_v2
func.func @recv_v2() {
  // CHECK: pd.recv_v2  {dtype = f32, out_shape = array<i64: -1, 3>, peer = 1 : i64} : () -> tensor<?x3xf32>
  %0 = pd.recv_v2 {out_shape = array<i64: -1, 3>, dtype = f32, peer = 1 : i64} : () -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func @reduce
func.func @reduce(%x: tensor<4x6xf32>) {
  // CHECK: pd.reduce %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = pd.reduce %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @reduce_scatter
func.func @reduce_scatter(%x: tensor<4x6xf32>) {
  // CHECK: pd.reduce_scatter %{{.*}} {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %0 = pd.reduce_scatter %x {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// CHECK-LABEL: func @send_v2
func.func @send_v2(%x: tensor<4x6xf32>) {
  // CHECK: pd.send_v2 %{{.*}} {peer = 1 : i64} : (tensor<4x6xf32>) -> ()
  pd.send_v2 %x {peer = 1 : i64} : (tensor<4x6xf32>) -> ()
  return
}

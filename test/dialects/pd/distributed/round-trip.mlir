// Communication: parsed and printed, types inferred; it is neither merged nor removed, and on one process it is the identity.
// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --cse --canonicalize | FileCheck %s --check-prefix=KEPT
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=ALONE

// CHECK-LABEL: func @all
func.func @all(%x: tensor<4x6xf32>, %n: tensor<2xi64>, %ids: tensor<3xi64>, %label: tensor<4x1xi64>) {
  // CHECK: pd.c_allreduce_sum
  %0 = pd.c_allreduce_sum %x {ring_id = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.c_allreduce_max
  %1 = pd.c_allreduce_max %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.c_allreduce_min
  %2 = pd.c_allreduce_min %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.c_allreduce_prod
  %3 = pd.c_allreduce_prod %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.mp_allreduce_sum
  %4 = pd.mp_allreduce_sum %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.c_reduce_sum
  %5 = pd.c_reduce_sum %x {root = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.c_reduce_max
  %6 = pd.c_reduce_max %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.c_reduce_min
  %7 = pd.c_reduce_min %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.c_reduce_prod
  %8 = pd.c_reduce_prod %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.all_reduce
  %9 = pd.all_reduce %x {reduce_type = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.reduce
  %10 = pd.reduce %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.broadcast
  %11 = pd.broadcast %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.barrier
  %12 = pd.barrier %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.all_gather {{.*}} -> tensor<8x6xf32>
  %13 = pd.all_gather %x {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK: pd.c_concat {{.*}} -> tensor<4x12xf32>
  %14 = pd.c_concat %x {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x12xf32>
  // CHECK: pd.reduce_scatter {{.*}} -> tensor<2x6xf32>
  %15 = pd.reduce_scatter %x {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  // CHECK: pd.c_scatter {{.*}} -> tensor<2x6xf32>
  %16 = pd.c_scatter %x {nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  // CHECK: pd.all_to_all
  %17 = pd.all_to_all %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.partial_allgather
  %18 = pd.partial_allgather %x {nranks = 2 : i64, rank = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.global_scatter {{.*}} -> tensor<?x6xf32>
  %19 = pd.global_scatter %x, %n, %n : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  // CHECK: pd.global_gather
  %20 = pd.global_gather %x, %n, %n : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  // CHECK: pd.send_v2
  pd.send_v2 %x {peer = 1 : i64} : (tensor<4x6xf32>) -> ()
  // CHECK: pd.recv_v2
  %21 = pd.recv_v2 {out_shape = array<i64: -1, 3>, dtype = f32, peer = 1 : i64} : () -> tensor<?x3xf32>
  // CHECK: pd.partial_send
  pd.partial_send %x {peer = 1 : i64, num = 2 : i64, id = 1 : i64} : (tensor<4x6xf32>) -> ()
  // CHECK: pd.partial_recv
  %22 = pd.partial_recv {out_shape = array<i64: 4, 3>, dtype = f32, peer = 1 : i64, num = 2 : i64} : () -> tensor<4x3xf32>
  // CHECK: pd.c_identity
  %23 = pd.c_identity %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: pd.c_split {{.*}} -> tensor<4x3xf32>
  %24 = pd.c_split %x {rank = 1 : i64, nranks = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  // CHECK: pd.c_embedding {{.*}} -> tensor<3x6xf32>
  %25 = pd.c_embedding %x, %ids {start_index = 4 : i64} : (tensor<4x6xf32>, tensor<3xi64>) -> tensor<3x6xf32>
  // CHECK: pd.c_softmax_with_cross_entropy
  %26:2 = pd.c_softmax_with_cross_entropy %x, %label : (tensor<4x6xf32>, tensor<4x1xi64>) -> (tensor<4x6xf32>, tensor<4x1xf32>)
  return
}

// KEPT-LABEL: func @twice
// KEPT-COUNT-2: pd.c_allreduce_sum
// ALONE-LABEL: func @twice
// ALONE-NEXT: return %arg0, %arg0
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pd.c_allreduce_sum %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pd.c_allreduce_sum %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// With more than one process the op is not decomposed.
// ALONE-LABEL: func @two
// ALONE: pd.all_gather
func.func @two(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = pd.all_gather %x {nranks = 2 : i64} : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// RUN: proa-opt %s --split-input-file | proa-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @sent
func.func @sent(%x: tensor<4x2x3xf32>, %y: tensor<5x2x1xf32>, %s: tensor<5xi64>, %i: tensor<4xi64>) -> tensor<7x2x3xf32> {
  // CHECK: pd.send_ue_recv {{.*}} -> (tensor<7x2x3xf32>, tensor<7xi32>)
  %0:2 = pd.send_ue_recv %x, %y, %s, %s message_op = MUL reduce_op = MAX {out_size = array<i64: 7>} : (tensor<4x2x3xf32>, tensor<5x2x1xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<7x2x3xf32>, tensor<7xi32>)
  // CHECK: pd.segment_pool {{.*}} -> (tensor<?x2x3xf32>, tensor<?x1xf32>)
  %1:2 = pd.segment_pool %x, %i pooltype = MEAN : (tensor<4x2x3xf32>, tensor<4xi64>) -> (tensor<?x2x3xf32>, tensor<?x1xf32>)
  return %0#0 : tensor<7x2x3xf32>
}

// -----

// CHECK-LABEL: @reindexed
func.func @reindexed(%x: tensor<3xi64>, %n: tensor<6xi64>, %c: tensor<3xi32>) {
  // CHECK: pd.reindex_graph {{.*}} -> (tensor<6xi64>, tensor<6xi64>, tensor<?xi64>)
  %0:3 = pd.reindex_graph %x, %n, %c : (tensor<3xi64>, tensor<6xi64>, tensor<3xi32>) -> (tensor<6xi64>, tensor<6xi64>, tensor<?xi64>)
  return
}

// -----

// CHECK-LABEL: func @send_u_recv
func.func @send_u_recv(%x: tensor<4x2xf32>, %src_index: tensor<4xi64>, %dst_index: tensor<4xi64>) {
  // CHECK: pd.send_u_recv %{{.*}}, %{{.*}}, %{{.*}} reduce_op = MAX {out_size = array<i64: 5>} : (tensor<4x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<5x2xf32>, tensor<5xi32>)
  %0:2 = pd.send_u_recv %x, %src_index, %dst_index reduce_op = MAX {out_size = array<i64: 5>} : (tensor<4x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<5x2xf32>, tensor<5xi32>)
  return
}

// CHECK-LABEL: func @send_uv
func.func @send_uv(%x: tensor<4x3xf32>, %y: tensor<4x1xf32>, %src_index: tensor<4xi64>, %dst_index: tensor<4xi64>) {
  // CHECK: pd.send_uv %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} message_op = MUL : (tensor<4x3xf32>, tensor<4x1xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<4x3xf32>
  %0 = pd.send_uv %x, %y, %src_index, %dst_index message_op = MUL : (tensor<4x3xf32>, tensor<4x1xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<4x3xf32>
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics | proa-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @sent
func.func @sent(%x: tensor<4x2x3xf32>, %y: tensor<5x2x1xf32>, %s: tensor<5xi64>, %i: tensor<4xi64>) -> tensor<7x2x3xf32> {
  // CHECK: pd.send_ue_recv {{.*}} -> (tensor<7x2x3xf32>, tensor<7xi32>)
  %0:2 = pd.send_ue_recv %x, %y, %s, %s {message_op = "MUL", reduce_op = "MAX", out_size = array<i64: 7>} : (tensor<4x2x3xf32>, tensor<5x2x1xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<7x2x3xf32>, tensor<7xi32>)
  // CHECK: pd.segment_pool {{.*}} -> (tensor<?x2x3xf32>, tensor<?x1xf32>)
  %1:2 = pd.segment_pool %x, %i {pooltype = "MEAN"} : (tensor<4x2x3xf32>, tensor<4xi64>) -> (tensor<?x2x3xf32>, tensor<?x1xf32>)
  return %0#0 : tensor<7x2x3xf32>
}

// -----

func.func @segments_c1(%x: tensor<4x2xf32>, %i: tensor<3xi64>) {
  // expected-error@+2 {{C1: segment_ids must be a vector with an element for each row of x, found tensor<3xi64> for tensor<4x2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.segment_pool"(%x, %i) : (tensor<4x2xf32>, tensor<3xi64>) -> (tensor<?x2xf32>, tensor<?x1xf32>)
  return
}

// -----

func.func @edges_c2(%x: tensor<4x2xf32>, %i: tensor<3xi64>) {
  // expected-error@+2 {{C2: expected SUM, MEAN, MAX or MIN, found 'PRODUCT'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.send_u_recv"(%x, %i, %i) {reduce_op = "PRODUCT"} : (tensor<4x2xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<4x2xf32>, tensor<4xi32>)
  return
}

// -----

// CHECK-LABEL: @reindexed
func.func @reindexed(%x: tensor<3xi64>, %n: tensor<6xi64>, %c: tensor<3xi32>) {
  // CHECK: pd.reindex_graph {{.*}} -> (tensor<6xi64>, tensor<6xi64>, tensor<?xi64>)
  %0:3 = pd.reindex_graph %x, %n, %c : (tensor<3xi64>, tensor<6xi64>, tensor<3xi32>) -> (tensor<6xi64>, tensor<6xi64>, tensor<?xi64>)
  return
}

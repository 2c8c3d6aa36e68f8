// RUN: proa-opt %s --split-input-file --verify-diagnostics

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

func.func @reindex_c1(%a0: tensor<2x1xi64>, %a1: tensor<3xi64>, %a2: tensor<2xi32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.reindex_graph"(%a0, %a1, %a2) : (tensor<2x1xi64>, tensor<3xi64>, tensor<2xi32>) -> (tensor<3xi64>, tensor<3xi64>, tensor<?xi64>)
  return
}

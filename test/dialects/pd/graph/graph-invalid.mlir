// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @segments_c1(%x: tensor<4x2xf32>, %i: tensor<3xi64>) {
  // expected-error@+1 {{C1: segment_ids must be a vector with an element for each row of x, found tensor<3xi64> for tensor<4x2xf32>}}
  %0:2 = "pd.segment_pool"(%x, %i) : (tensor<4x2xf32>, tensor<3xi64>) -> (tensor<?x2xf32>, tensor<?x1xf32>)
  return
}

// -----

func.func @reindex_c1(%a0: tensor<2x1xi64>, %a1: tensor<3xi64>, %a2: tensor<2xi32>) {
  // expected-error@+1 {{C1: }}
  %0:3 = "pd.reindex_graph"(%a0, %a1, %a2) : (tensor<2x1xi64>, tensor<3xi64>, tensor<2xi32>) -> (tensor<3xi64>, tensor<3xi64>, tensor<?xi64>)
  return
}

// -----

func.func @send_u_recv_c1(%x: tensor<4x2xf32>, %src_index: tensor<4xi64>, %dst_index: tensor<5xi64>) {
  // expected-error@+1 {{C1: src_index and dst_index must be vectors of one dim, found tensor<4xi64> and tensor<5xi64>}}
  %0:2 = pd.send_u_recv %x, %src_index, %dst_index reduce_op = MAX {out_size = array<i64: 5>} : (tensor<4x2xf32>, tensor<4xi64>, tensor<5xi64>) -> (tensor<5x2xf32>, tensor<5xi32>)
  return
}

// -----

func.func @send_u_recv_c3(%x: tensor<f32>, %src_index: tensor<4xi64>, %dst_index: tensor<4xi64>) {
  // expected-error@+1 {{C3: x must have rows, found rank 0}}
  %0:2 = pd.send_u_recv %x, %src_index, %dst_index reduce_op = MAX {out_size = array<i64: 5>} : (tensor<f32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<5x2xf32>, tensor<5xi32>)
  return
}

// -----

func.func @send_ue_recv_c1(%x: tensor<4x2x3xf32>, %y: tensor<5x2x1xf32>, %s: tensor<5xi64>, %v2: tensor<6xi64>) {
  // expected-error@+1 {{C1: src_index and dst_index must be vectors of one dim, found tensor<6xi64> and tensor<5xi64>}}
  %0:2 = pd.send_ue_recv %x, %y, %v2, %s message_op = MUL reduce_op = MAX {out_size = array<i64: 7>} : (tensor<4x2x3xf32>, tensor<5x2x1xf32>, tensor<6xi64>, tensor<5xi64>) -> (tensor<7x2x3xf32>, tensor<7xi32>)
  return
}

// -----

func.func @send_uv_c1(%x: tensor<4x3xf32>, %y: tensor<4x1xf32>, %src_index: tensor<4xi64>, %dst_index: tensor<5xi64>) {
  // expected-error@+1 {{C1: src_index and dst_index must be vectors of one dim, found tensor<4xi64> and tensor<5xi64>}}
  %0 = pd.send_uv %x, %y, %src_index, %dst_index message_op = MUL : (tensor<4x3xf32>, tensor<4x1xf32>, tensor<4xi64>, tensor<5xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @send_uv_c3(%x: tensor<4x3xf32>, %y: tensor<4x1xf64>, %src_index: tensor<4xi64>, %dst_index: tensor<4xi64>) {
  // expected-error@+1 {{C3: x and y must have rows of one element type}}
  %0 = pd.send_uv %x, %y, %src_index, %dst_index message_op = MUL : (tensor<4x3xf32>, tensor<4x1xf64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @send_ue_recv_c3_type(%x: tensor<4x2x3xf32>, %s: tensor<5xi64>, %v1: tensor<5x2x1xf64>) {
  // expected-error@+1 {{C3: x and y must have rows of one element type}}
  %0:2 = pd.send_ue_recv %x, %v1, %s, %s message_op = MUL reduce_op = MAX {out_size = array<i64: 7>} : (tensor<4x2x3xf32>, tensor<5x2x1xf64>, tensor<5xi64>, tensor<5xi64>) -> (tensor<7x2x3xf32>, tensor<7xi32>)
  return
}

// -----

func.func @reindex_graph_c1_count(%x: tensor<3xi64>, %n: tensor<6xi64>, %v2: tensor<9xi64>) {
  // expected-error@+1 {{C1: count must have as many elements as x, found 9 and 3}}
  %0:3 = pd.reindex_graph %x, %n, %v2 : (tensor<3xi64>, tensor<6xi64>, tensor<9xi64>) -> (tensor<6xi64>, tensor<6xi64>, tensor<?xi64>)
  return
}

// -----

func.func @send_ue_recv_c4(%x: tensor<4x2xf32>, %y: tensor<5x3xf32>, %s: tensor<5xi64>, %d: tensor<5xi64>) {
  // expected-error@+1 {{C4: operands cannot be broadcast together: dimension 0 of the result is 2 by one operand and 3 by another}}
  %0:2 = pd.send_ue_recv %x, %y, %s, %d : (tensor<4x2xf32>, tensor<5x3xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<4x2xf32>, tensor<4xi32>)
  return
}

// -----

func.func @send_uv_c4(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>, %s: tensor<5xi64>, %d: tensor<5xi64>) {
  // expected-error@+1 {{C4: operands cannot be broadcast together: dimension 0 of the result is 2 by one operand and 3 by another}}
  %0 = pd.send_uv %x, %y, %s, %d : (tensor<4x2xf32>, tensor<4x3xf32>, tensor<5xi64>, tensor<5xi64>) -> tensor<5x2xf32>
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = "pd.c_allreduce_sum"(%x) {ring_id = -1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{C2: nranks must be above 0, found 0}}
  %0 = "pd.c_concat"(%x) {nranks = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c3(%x: tensor<2xf32>) {
  // expected-error@+1 {{C3: rank must be a process of the group, found 2 of 2}}
  %0 = "pd.c_split"(%x) {nranks = 2 : i64, rank = 2 : i64} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @c4_divides(%x: tensor<3xf32>) {
  // expected-error@+1 {{C4: nranks must divide the dimension 0 of x, found 2 for tensor<3xf32>}}
  %0 = "pd.reduce_scatter"(%x) {nranks = 2 : i64} : (tensor<3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @c4_part(%x: tensor<3xf32>) {
  // expected-error@+1 {{C4: id must be in [0, num), found 2 and 2}}
  "pd.partial_send"(%x) {num = 2 : i64, id = 2 : i64} : (tensor<3xf32>) -> ()
  return
}

// -----

func.func @c4_exchange(%x: tensor<3xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{C4: x must have rank 2 and both counts rank 1}}
  %0 = "pd.global_gather"(%x, %n, %n) : (tensor<3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @c4_embedding(%x: tensor<3xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{C4: weight must have rank 2, found tensor<3xf32>}}
  %0 = "pd.c_embedding"(%x, %n) : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @c4_label(%x: tensor<3x4xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{C4: label must have the dimensions of logits with 1 for the last}}
  %0:2 = "pd.c_softmax_with_cross_entropy"(%x, %n) : (tensor<3x4xf32>, tensor<3xi64>) -> (tensor<3x4xf32>, tensor<3x1xf32>)
  return
}

// -----

func.func @all_gather_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.all_gather %x {nranks = 2 : i64, ring_id = -1 : i64} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @c_concat_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.c_concat %x {nranks = 2 : i64, ring_id = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @c_concat_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C3: rank must be a process of the group, found -1 of 2}}
  %0 = pd.c_concat %x {nranks = 2 : i64, rank = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @c_scatter_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.c_scatter %x {nranks = 2 : i64, ring_id = -1 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @c_scatter_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C2: nranks must be above 0, found 0}}
  %0 = pd.c_scatter %x {nranks = 0 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @c_scatter_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C3: root must be a process of the group, found -1 of 2}}
  %0 = pd.c_scatter %x {nranks = 2 : i64, root = -1 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @c_softmax_with_cross_entropy_c1(%logits: tensor<4x6xf32>, %label: tensor<4x1xi64>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0:2 = pd.c_softmax_with_cross_entropy %logits, %label {ring_id = -1 : i64} : (tensor<4x6xf32>, tensor<4x1xi64>) -> (tensor<4x6xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @c_softmax_with_cross_entropy_c3(%logits: tensor<4x6xf32>, %label: tensor<4x1xi64>) {
  // expected-error@+1 {{C3: rank must be a process of the group, found -1}}
  %0:2 = pd.c_softmax_with_cross_entropy %logits, %label {rank = -1 : i64} : (tensor<4x6xf32>, tensor<4x1xi64>) -> (tensor<4x6xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @c_split_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.c_split %x {rank = 1 : i64, nranks = 2 : i64, ring_id = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @c_split_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C2: nranks must be above 0, found 0}}
  %0 = pd.c_split %x {rank = 1 : i64, nranks = 0 : i64} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @global_gather_c1(%a: tensor<4x6xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.global_gather %a, %b, %b {ring_id = -1 : i64} : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  return
}

// -----

func.func @global_scatter_c1(%a: tensor<4x6xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.global_scatter %a, %b, %b {ring_id = -1 : i64} : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  return
}

// -----

func.func @partial_allgather_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.partial_allgather %x {nranks = 2 : i64, rank = 1 : i64, ring_id = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @partial_allgather_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C2: nranks must be above 0, found 0}}
  %0 = pd.partial_allgather %x {nranks = 0 : i64, rank = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @partial_allgather_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C3: rank must be a process of the group, found -1 of 2}}
  %0 = pd.partial_allgather %x {nranks = 2 : i64, rank = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @partial_recv_c1() {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.partial_recv {out_shape = array<i64: 4, 3>, dtype = f32, peer = 1 : i64, num = 2 : i64, ring_id = -1 : i64} : () -> tensor<4x3xf32>
  return
}

// -----

func.func @partial_recv_c3() {
  // expected-error@+1 {{C3: peer must be a process of the group, found -1}}
  %0 = pd.partial_recv {out_shape = array<i64: 4, 3>, dtype = f32, peer = -1 : i64, num = 2 : i64} : () -> tensor<4x3xf32>
  return
}

// -----

func.func @partial_send_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  pd.partial_send %x {peer = 1 : i64, num = 2 : i64, id = 1 : i64, ring_id = -1 : i64} : (tensor<4x6xf32>) -> ()
  return
}

// -----

func.func @partial_send_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C3: peer must be a process of the group, found -1}}
  pd.partial_send %x {peer = -1 : i64, num = 2 : i64, id = 1 : i64} : (tensor<4x6xf32>) -> ()
  return
}

// -----

func.func @recv_v2_c1() {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.recv_v2 {out_shape = array<i64: -1, 3>, dtype = f32, peer = 1 : i64, ring_id = -1 : i64} : () -> tensor<?x3xf32>
  return
}

// -----

func.func @recv_v2_c3() {
  // expected-error@+1 {{C3: peer must be a process of the group, found -1}}
  %0 = pd.recv_v2 {out_shape = array<i64: -1, 3>, dtype = f32, peer = -1 : i64} : () -> tensor<?x3xf32>
  return
}

// -----

func.func @reduce_scatter_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  %0 = pd.reduce_scatter %x {nranks = 2 : i64, ring_id = -1 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @reduce_scatter_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C2: nranks must be above 0, found 0}}
  %0 = pd.reduce_scatter %x {nranks = 0 : i64} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @send_v2_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: ring_id must not be negative, found -1}}
  pd.send_v2 %x {peer = 1 : i64, ring_id = -1 : i64} : (tensor<4x6xf32>) -> ()
  return
}

// -----

func.func @send_v2_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C3: peer must be a process of the group, found -1}}
  pd.send_v2 %x {peer = -1 : i64} : (tensor<4x6xf32>) -> ()
  return
}

// -----

func.func @all_gather_c4(%x: tensor<f32>) {
  // expected-error@+1 {{C4: x must have a dimension, found tensor<f32>}}
  %0 = pd.all_gather %x {nranks = 2 : i64} : (tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @c_concat_c4(%x: tensor<f32>) {
  // expected-error@+1 {{C4: x must have a dimension, found tensor<f32>}}
  %0 = pd.c_concat %x {nranks = 2 : i64} : (tensor<f32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @c_scatter_c4(%x: tensor<3x6xf32>) {
  // expected-error@+1 {{C4: nranks must divide the dimension 0 of x, found 2 for tensor<3x6xf32>}}
  %0 = pd.c_scatter %x {nranks = 2 : i64} : (tensor<3x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @c_split_c4(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{C4: nranks must divide the dimension 1 of x, found 2 for tensor<4x5xf32>}}
  %0 = pd.c_split %x {rank = 1 : i64, nranks = 2 : i64} : (tensor<4x5xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @partial_recv_c4() {
  // expected-error@+1 {{C4: id must be in [0, num), found 2 and 2}}
  %0 = pd.partial_recv {out_shape = array<i64: 4, 3>, dtype = f32, peer = 1 : i64, num = 2 : i64, id = 2 : i64} : () -> tensor<4x3xf32>
  return
}

// -----

func.func @global_scatter_c4(%b: tensor<2xi64>, %v0: tensor<4x6x2xf32>) {
  // expected-error@+1 {{C4: x must have rank 2 and both counts rank 1, found tensor<4x6x2xf32>, tensor<2xi64> and tensor<2xi64>}}
  %0 = pd.global_scatter %v0, %b, %b : (tensor<4x6x2xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x6xf32>
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @tree_c1(%x: tensor<4xi64>, %t: tensor<7x5xi32>) {
  // expected-error@+1 {{C1: tree_info must have rank 2 and 3 + child_nums columns, found tensor<7x5xi32> for 3}}
  %1:2 = "pd.tdm_child"(%x, %t) {child_nums = 3 : i64} : (tensor<4xi64>, tensor<7x5xi32>) -> (tensor<4x3xi32>, tensor<4x3xi32>)
  return
}

// -----

func.func @weighted_c1(%r: tensor<13xi64>, %c: tensor<11xi32>, %w: tensor<13xf32>, %x: tensor<4xi64>) {
  // expected-error@+1 {{C1: operands must have one element type, found i64 and i32}}
  %0:3 = "pd.weighted_sample_neighbors"(%r, %c, %w, %x) : (tensor<13xi64>, tensor<11xi32>, tensor<13xf32>, tensor<4xi64>) -> (tensor<?xi64>, tensor<4xi32>, tensor<?xi64>)
  return
}

// -----

func.func @hops_c2(%r: tensor<13xi64>, %c: tensor<11xi64>, %x: tensor<4xi64>) {
  // expected-error@+1 {{C2: there must be a sample size, and with return_eids eids}}
  %1:5 = "pd.graph_khop_sampler"(%r, %c, %x) {sample_sizes = array<i64: 3>, return_eids = true} : (tensor<13xi64>, tensor<11xi64>, tensor<4xi64>) -> (tensor<?x1xi64>, tensor<?x1xi64>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)
  return
}

// -----

func.func @layers_c1(%x: tensor<4xi64>, %t: tensor<5x2xi32>, %l: tensor<6x1xi32>) {
  // expected-error@+1 {{C1: layer_offset_lod must ascend and have one element more than neg_samples_num_list, found 2 and 2}}
  %2:3 = "pd.tdm_sampler"(%x, %t, %l) {neg_samples_num_list = array<i64: 1, 3>, layer_offset_lod = array<i64: 0, 2>} : (tensor<4xi64>, tensor<5x2xi32>, tensor<6x1xi32>) -> (tensor<4x6xi32>, tensor<4x6xi32>, tensor<4x6xi32>)
  return
}

// -----

func.func @layers_c2(%x: tensor<4xi64>, %t: tensor<5x2xi32>, %l: tensor<6x1xi32>) {
  // expected-error@+1 {{C2: layer 0 has 2 nodes, 2 are to be drawn}}
  %2:3 = "pd.tdm_sampler"(%x, %t, %l) {neg_samples_num_list = array<i64: 2, 3>, layer_offset_lod = array<i64: 0, 2, 6>} : (tensor<4xi64>, tensor<5x2xi32>, tensor<6x1xi32>) -> (tensor<4x7xi32>, tensor<4x7xi32>, tensor<4x7xi32>)
  return
}

// -----

func.func @graph_khop_sampler_c1(%c: tensor<11xi64>, %x: tensor<4xi64>, %v0: tensor<3xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %1:5 = pd.graph_khop_sampler %v0, %c, %x {sample_sizes = array<i64: 3, 2>} : (tensor<3xi32>, tensor<11xi64>, tensor<4xi64>) -> (tensor<?x1xi64>, tensor<?x1xi64>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)
  return
}

// -----

func.func @graph_sample_neighbors_c1(%c: tensor<11xi64>, %x: tensor<4xi64>, %v0: tensor<3xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0:3 = pd.graph_sample_neighbors %v0, %c, %x {sample_size = 3 : i64} : (tensor<3xi32>, tensor<11xi64>, tensor<4xi64>) -> (tensor<?xi64>, tensor<4xi32>, tensor<?xi64>)
  return
}

// -----

func.func @weighted_sample_neighbors_c1(%c: tensor<11xi64>, %w: tensor<13xf32>, %x: tensor<4xi64>, %v0: tensor<3xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0:3 = pd.weighted_sample_neighbors %v0, %c, %w, %x {sample_size = 3 : i64} : (tensor<3xi32>, tensor<11xi64>, tensor<13xf32>, tensor<4xi64>) -> (tensor<?xi64>, tensor<4xi32>, tensor<?xi64>)
  return
}

// -----

func.func @tdm_child_c1(%x: tensor<4xi64>, %v1: tensor<9x9xi32>) {
  // expected-error@+1 {{C1: tree_info must have rank 2 and 3 + child_nums columns, found tensor<9x9xi32> for 2}}
  %1:2 = pd.tdm_child %x, %v1 {child_nums = 2 : i64} : (tensor<4xi64>, tensor<9x9xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>)
  return
}

// -----

func.func @tdm_sampler_c1(%x: tensor<4xi64>, %t: tensor<5x2xi32>, %l: tensor<6x1xi32>) {
  // expected-error@+1 {{C1: layer_offset_lod must ascend and have one element more than neg_samples_num_list, found 2 and 2}}
  %2:3 = pd.tdm_sampler %x, %t, %l {neg_samples_num_list = array<i64: 1, 3>, layer_offset_lod = array<i64: 0, 2>} : (tensor<4xi64>, tensor<5x2xi32>, tensor<6x1xi32>) -> (tensor<4x6xi32>, tensor<4x6xi32>, tensor<4x6xi32>)
  return
}

// RUN: proa-opt %s --split-input-file | proa-opt --split-input-file | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: @neighbours
// DECOMPOSED-LABEL: @neighbours
func.func @neighbours(%r: tensor<13xi64>, %c: tensor<11xi64>, %x: tensor<4xi64>, %t: tensor<7x5xi32>) -> (tensor<?xi64>, tensor<4x2xi32>) {
  // CHECK: pd.graph_sample_neighbors {{.*}} -> (tensor<?xi64>, tensor<4xi32>, tensor<?xi64>)
  %0:3 = pd.graph_sample_neighbors %r, %c, %x {sample_size = 3 : i64} : (tensor<13xi64>, tensor<11xi64>, tensor<4xi64>) -> (tensor<?xi64>, tensor<4xi32>, tensor<?xi64>)
  // CHECK: pd.tdm_child {{.*}} -> (tensor<4x2xi32>, tensor<4x2xi32>)
  // DECOMPOSED: pd.gather {{.*}} -> tensor<4x2xi32>
  %1:2 = pd.tdm_child %x, %t {child_nums = 2 : i64} : (tensor<4xi64>, tensor<7x5xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>)
  return %0#0, %1#0 : tensor<?xi64>, tensor<4x2xi32>
}

// -----

// CHECK-LABEL: @hops
// DECOMPOSED-LABEL: @hops
func.func @hops(%r: tensor<13xi64>, %c: tensor<11xi64>, %w: tensor<13xf32>, %x: tensor<4xi64>, %t: tensor<5x2xi32>, %l: tensor<6x1xi32>) -> (tensor<?xi64>, tensor<?x1xi64>, tensor<4x6xi32>) {
  // CHECK: pd.weighted_sample_neighbors {{.*}} -> (tensor<?xi64>, tensor<4xi32>, tensor<?xi64>)
  %0:3 = pd.weighted_sample_neighbors %r, %c, %w, %x {sample_size = 3 : i64} : (tensor<13xi64>, tensor<11xi64>, tensor<13xf32>, tensor<4xi64>) -> (tensor<?xi64>, tensor<4xi32>, tensor<?xi64>)
  // CHECK: pd.graph_khop_sampler {{.*}} -> (tensor<?x1xi64>, tensor<?x1xi64>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)
  %1:5 = pd.graph_khop_sampler %r, %c, %x {sample_sizes = array<i64: 3, 2>} : (tensor<13xi64>, tensor<11xi64>, tensor<4xi64>) -> (tensor<?x1xi64>, tensor<?x1xi64>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)
  // CHECK: pd.tdm_sampler {{.*}} -> (tensor<4x6xi32>, tensor<4x6xi32>, tensor<4x6xi32>)
  %2:3 = pd.tdm_sampler %x, %t, %l {neg_samples_num_list = array<i64: 1, 3>, layer_offset_lod = array<i64: 0, 2, 6>} : (tensor<4xi64>, tensor<5x2xi32>, tensor<6x1xi32>) -> (tensor<4x6xi32>, tensor<4x6xi32>, tensor<4x6xi32>)
  return %0#0, %1#0, %2#0 : tensor<?xi64>, tensor<?x1xi64>, tensor<4x6xi32>
}

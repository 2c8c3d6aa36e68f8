// RUN: proa-opt %s --split-input-file --verify-diagnostics | proa-opt --split-input-file | FileCheck %s
// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

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

func.func @tree_c1(%x: tensor<4xi64>, %t: tensor<7x5xi32>) {
  // expected-error@+2 {{C1: tree_info must have rank 2 and 3 + child_nums columns, found tensor<7x5xi32> for 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %1:2 = "pd.tdm_child"(%x, %t) {child_nums = 3 : i64} : (tensor<4xi64>, tensor<7x5xi32>) -> (tensor<4x3xi32>, tensor<4x3xi32>)
  return
}

// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @bipartite_match
func.func @bipartite_match(%dist_mat: tensor<?x5xf32>, %offsets: tensor<?xi64>) {
  // CHECK: pd.bipartite_match %{{.*}}, %{{.*}} match_type = per_prediction {dist_threshold = 0.40000000596046448 : f64} : (tensor<?x5xf32>, tensor<?xi64>) -> (tensor<?x5xi32>, tensor<?x5xf32>)
  %0:2 = pd.bipartite_match %dist_mat, %offsets match_type = per_prediction {dist_threshold = 0.40000000596046448 : f64} : (tensor<?x5xf32>, tensor<?xi64>) -> (tensor<?x5xi32>, tensor<?x5xf32>)
  return
}

// CHECK-LABEL: @examples
func.func @examples(%s: tensor<7x3xf32>, %m: tensor<7x3xi32>, %x: tensor<2x3x4x5xf64>) -> (tensor<7x3xi32>, tensor<2x3x4x5xf64>) {
  // CHECK: pd.mine_hard_examples {{.*}} -> (tensor<?x1xi32>, tensor<8xi64>, tensor<7x3xi32>)
  %1:3 = pd.mine_hard_examples %s, %m, %s {neg_pos_ratio = 2.0 : f64} : (tensor<7x3xf32>, tensor<7x3xi32>, tensor<7x3xf32>) -> (tensor<?x1xi32>, tensor<8xi64>, tensor<7x3xi32>)
  // CHECK: pd.similarity_focus {{.*}} -> tensor<2x3x4x5xf64>
  %2 = pd.similarity_focus %x {axis = 1 : i64, indexes = array<i64: 0, 2>} : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return %1#2, %2 : tensor<7x3xi32>, tensor<2x3x4x5xf64>
}

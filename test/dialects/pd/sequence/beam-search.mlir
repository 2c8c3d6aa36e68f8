// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @beam_search
func.func @beam_search(%p: tensor<4x1xi64>, %q: tensor<4x1xf32>, %i: tensor<4x3xi64>, %s: tensor<4x3xf32>, %o: tensor<3xi64>) -> (tensor<?x1xi64>, tensor<5xi64>) {
  // CHECK: pd.beam_search {{.*}}i64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  %0:4 = pd.beam_search %p, %q, %s, %o, %i {beam_size = 2 : i64, end_id = 0 : i64} : (tensor<4x1xi64>, tensor<4x1xf32>, tensor<4x3xf32>, tensor<3xi64>, tensor<4x3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  // CHECK: pd.beam_search %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} {
  %1:4 = pd.beam_search %p, %q, %s, %o {beam_size = 2 : i64, end_id = 0 : i64} : (tensor<4x1xi64>, tensor<4x1xf32>, tensor<4x3xf32>, tensor<3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  return %0#0, %1#3 : tensor<?x1xi64>, tensor<5xi64>
}

// CHECK-LABEL: @beam_search_decode
func.func @beam_search_decode(%i: !pd.array<tensor<?x1xi64>>, %s: !pd.array<tensor<?x1xf32>>, %o: !pd.array<tensor<3xi64>>, %p: !pd.array<tensor<?xi64>>) -> (tensor<?xf32>, tensor<3xi64>) {
  // CHECK: pd.beam_search_decode {{.*}} -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  %0:4 = pd.beam_search_decode %i, %s, %o, %p {beam_size = 2 : i64, end_id = 1 : i64} : (!pd.array<tensor<?x1xi64>>, !pd.array<tensor<?x1xf32>>, !pd.array<tensor<3xi64>>, !pd.array<tensor<?xi64>>) -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  return %0#1, %0#2 : tensor<?xf32>, tensor<3xi64>
}

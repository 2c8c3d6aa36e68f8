// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @translations
func.func @translations(%i: !pd.array<tensor<?x1xi64>>, %s: !pd.array<tensor<?x1xf32>>, %o: !pd.array<tensor<3xi64>>, %p: !pd.array<tensor<?xi64>>) -> (tensor<?xf32>, tensor<3xi64>) {
  // CHECK: pd.beam_search_decode {{.*}} -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  %0:4 = pd.beam_search_decode %i, %s, %o, %p {beam_size = 2 : i64, end_id = 1 : i64} : (!pd.array<tensor<?x1xi64>>, !pd.array<tensor<?x1xf32>>, !pd.array<tensor<3xi64>>, !pd.array<tensor<?xi64>>) -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  return %0#1, %0#2 : tensor<?xf32>, tensor<3xi64>
}

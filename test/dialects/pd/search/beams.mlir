// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @translations
func.func @translations(%i: !array.of<tensor<?x1xi64>>, %s: !array.of<tensor<?x1xf32>>, %o: !array.of<tensor<3xi64>>, %p: !array.of<tensor<?xi64>>) -> (tensor<?xf32>, tensor<3xi64>) {
  // CHECK: pd.beam_search_decode {{.*}} -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  %0:4 = pd.beam_search_decode %i, %s, %o, %p {beam_size = 2 : i64, end_id = 1 : i64} : (!array.of<tensor<?x1xi64>>, !array.of<tensor<?x1xf32>>, !array.of<tensor<3xi64>>, !array.of<tensor<?xi64>>) -> (tensor<?xi64>, tensor<?xf32>, tensor<3xi64>, tensor<?xi64>)
  return %0#1, %0#2 : tensor<?xf32>, tensor<3xi64>
}

// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @hash
func.func @hash(%x: tensor<?x4xi32>) {
  // CHECK: pd.hash {{.*}} -> tensor<?x3x1xi32>
  %0 = pd.hash %x {num_hash = 3 : i64} : (tensor<?x4xi32>) -> tensor<?x3x1xi32>
  return
}

// CHECK-LABEL: @pyramid_hash
func.func @pyramid_hash(%x: tensor<9x1xi32>, %w: tensor<24x1xf32>, %o: tensor<4xi64>) -> (tensor<?x8xf32>, tensor<27x1xi32>) {
  // CHECK: pd.pyramid_hash {{.*}} -> (tensor<?x8xf32>, tensor<27x1xi32>, tensor<9x1xf32>, tensor<4xi64>, tensor<4xi64>)
  %0:5 = pd.pyramid_hash %x, %w, %o {num_emb = 8 : i64, space_len = 20 : i64, rand_len = 4 : i64, pyramid_layer = 3 : i64} : (tensor<9x1xi32>, tensor<24x1xf32>, tensor<4xi64>) -> (tensor<?x8xf32>, tensor<27x1xi32>, tensor<9x1xf32>, tensor<4xi64>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<?x8xf32>, tensor<27x1xi32>
}

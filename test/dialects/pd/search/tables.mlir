// RUN: proa-opt %s --split-input-file | proa-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @looked_up
func.func @looked_up(%x: tensor<?x4xi32>, %w: tensor<9x6xf32>, %i: tensor<5x1xi64>) -> (tensor<?x3x1xi32>, tensor<5x16xf32>) {
  // CHECK: pd.hash {{.*}} -> tensor<?x3x1xi32>
  %0 = pd.hash %x {num_hash = 3 : i64} : (tensor<?x4xi32>) -> tensor<?x3x1xi32>
  // CHECK: pd.lookup_table_dequant {{.*}} -> tensor<5x16xf32>
  %1 = pd.lookup_table_dequant %w, %i : (tensor<9x6xf32>, tensor<5x1xi64>) -> tensor<5x16xf32>
  return %0, %1 : tensor<?x3x1xi32>, tensor<5x16xf32>
}

// CHECK-LABEL: @beams
func.func @beams(%p: tensor<4x1xi64>, %q: tensor<4x1xf32>, %i: tensor<4x3xi64>, %s: tensor<4x3xf32>, %o: tensor<3xi64>) -> (tensor<?x1xi64>, tensor<5xi64>) {
  // CHECK: pd.beam_search {{.*}}i64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  %0:4 = pd.beam_search %p, %q, %s, %o, %i {beam_size = 2 : i64, end_id = 0 : i64} : (tensor<4x1xi64>, tensor<4x1xf32>, tensor<4x3xf32>, tensor<3xi64>, tensor<4x3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  // CHECK: pd.beam_search %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} {
  %1:4 = pd.beam_search %p, %q, %s, %o {beam_size = 2 : i64, end_id = 0 : i64} : (tensor<4x1xi64>, tensor<4x1xf32>, tensor<4x3xf32>, tensor<3xi64>) -> (tensor<?x1xi64>, tensor<?x1xf32>, tensor<?xi32>, tensor<5xi64>)
  return %0#0, %1#3 : tensor<?x1xi64>, tensor<5xi64>
}

// -----

// CHECK-LABEL: @runs
func.func @runs(%x: tensor<9x1xi32>, %w: tensor<24x1xf32>, %o: tensor<4xi64>) -> (tensor<?x8xf32>, tensor<27x1xi32>) {
  // CHECK: pd.pyramid_hash {{.*}} -> (tensor<?x8xf32>, tensor<27x1xi32>, tensor<9x1xf32>, tensor<4xi64>, tensor<4xi64>)
  %0:5 = pd.pyramid_hash %x, %w, %o {num_emb = 8 : i64, space_len = 20 : i64, rand_len = 4 : i64, pyramid_layer = 3 : i64} : (tensor<9x1xi32>, tensor<24x1xf32>, tensor<4xi64>) -> (tensor<?x8xf32>, tensor<27x1xi32>, tensor<9x1xf32>, tensor<4xi64>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<?x8xf32>, tensor<27x1xi32>
}

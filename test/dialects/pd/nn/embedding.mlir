// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @embedding
func.func @embedding(%x: tensor<2x3xi64>, %weight: tensor<5x2xf64>) {
  // CHECK: pd.embedding %{{.*}}, %{{.*}} {padding_idx = 1 : i64} : (tensor<2x3xi64>, tensor<5x2xf64>) -> tensor<2x3x2xf64>
  %0 = pd.embedding %x, %weight {padding_idx = 1 : i64} : (tensor<2x3xi64>, tensor<5x2xf64>) -> tensor<2x3x2xf64>
  return
}

// CHECK-LABEL: func @lookup_table_dequant
func.func @lookup_table_dequant(%w: tensor<9x6xf32>, %i: tensor<5x1xi64>) {
  // CHECK: pd.lookup_table_dequant {{.*}} -> tensor<5x16xf32>
  %0 = pd.lookup_table_dequant %w, %i : (tensor<9x6xf32>, tensor<5x1xi64>) -> tensor<5x16xf32>
  return
}

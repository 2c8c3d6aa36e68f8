// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-annotate-sharding-rules | FileCheck %s --check-prefix=RULE

// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<2x4x8xui8>, %s: tensor<8x4xi8>, %y: tensor<16x8xi8>, %d: tensor<?x8xui8>) {
  // CHECK: pd.integer_matmul %{{.*}}, %{{.*}} {transpose_y = true} : (tensor<2x4x8xui8>, tensor<16x8xi8>) -> tensor<2x4x16xi32>
  // RULE: pd.sharding_rule = "([l, j, k], [i, k])->([l, j, i]) {i=16, j=4, k=8, l=2} reduction={k:sum}"
  %0 = pd.integer_matmul %x, %y {transpose_y = true} : (tensor<2x4x8xui8>, tensor<16x8xi8>) -> tensor<2x4x16xi32>
  // CHECK: pd.integer_matmul %{{.*}}, %{{.*}} {transpose_x = true, transpose_y = true} : (tensor<8x4xi8>, tensor<16x8xi8>) -> tensor<4x16xi32>
  %1 = pd.integer_matmul %s, %y {transpose_x = true, transpose_y = true} : (tensor<8x4xi8>, tensor<16x8xi8>) -> tensor<4x16xi32>
  // CHECK: pd.integer_matmul {{.*}} -> tensor<?x16xi32>
  %2 = pd.integer_matmul %d, %y {transpose_y = true} : (tensor<?x8xui8>, tensor<16x8xi8>) -> tensor<?x16xi32>
  return
}

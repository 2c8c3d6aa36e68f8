// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-vjp=function=rows --pd-vjp=function=transposed --pd-vjp=function=columns | FileCheck %s --check-prefix=VJP
// RUN: proa-opt %s --pd-annotate-sharding-rules | FileCheck %s --check-prefix=RULE

// CHECK-LABEL: func.func @rows
// CHECK: pd.grouped_matmul %{{.*}}, %{{.*}}, %{{.*}} : (tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<7x5xf32>
// The gradient of x is a product with the transposed matrices.
// VJP-LABEL: func.func @rows_vjp
// VJP: pd.grouped_matmul %arg3, %arg1, %arg2 {transpose_y = true} : (tensor<7x5xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<7x4xf32>
// VJP: pd.grouped_matmul_y_grad %arg0, %arg3, %arg2 : (tensor<7x4xf32>, tensor<7x5xf32>, tensor<3xi64>) -> tensor<3x4x5xf32>
// Columns (i) and the contracted dim (j).
// RULE-LABEL: func.func @rows
// RULE: pd.sharding_rule = "([*, j], [*, j, i], [*])->([*, i]) {i=5, j=4} reduction={j:sum}"
func.func @rows(%x: tensor<7x4xf32>, %y: tensor<3x4x5xf32>, %sizes: tensor<3xi64>) -> tensor<7x5xf32> {
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

// CHECK-LABEL: func.func @transposed
// CHECK: pd.grouped_matmul {{.*}} {transpose_y = true} : (tensor<?x4xf16>, tensor<3x5x4xf16>, tensor<3xi32>) -> tensor<?x5xf16>
// VJP-LABEL: func.func @transposed_vjp
// VJP: pd.grouped_matmul %arg3, %arg1, %arg2 : (tensor<?x5xf16>, tensor<3x5x4xf16>, tensor<3xi32>) -> tensor<?x4xf16>
// VJP: pd.grouped_matmul_y_grad %arg3, %arg0, %arg2 : (tensor<?x5xf16>, tensor<?x4xf16>, tensor<3xi32>) -> tensor<3x5x4xf16>
// RULE-LABEL: func.func @transposed
// RULE: pd.sharding_rule = "([*, j], [*, i, j], [*])->([*, i])
func.func @transposed(%x: tensor<?x4xf16>, %y: tensor<3x5x4xf16>, %sizes: tensor<3xi32>) -> tensor<?x5xf16> {
  %0 = pd.grouped_matmul %x, %y, %sizes {transpose_y = true}
      : (tensor<?x4xf16>, tensor<3x5x4xf16>, tensor<3xi32>) -> tensor<?x5xf16>
  return %0 : tensor<?x5xf16>
}

// CHECK-LABEL: func.func @columns
// CHECK: pd.grouped_matmul_y_grad {{.*}} -> tensor<3x4x5xf32>
// VJP-LABEL: func.func @columns_vjp
// VJP: pd.grouped_matmul %arg1, %arg3, %arg2 {transpose_y = true}
// VJP: pd.grouped_matmul %arg0, %arg3, %arg2 :
// RULE-LABEL: func.func @columns
// RULE: pd.sharding_rule = "([*, i], [*, j], [*])->([*, i, j]) {i=4, j=5}"
func.func @columns(%x: tensor<7x4xf32>, %g: tensor<7x5xf32>, %sizes: tensor<3xi64>) -> tensor<3x4x5xf32> {
  %0 = pd.grouped_matmul_y_grad %x, %g, %sizes : (tensor<7x4xf32>, tensor<7x5xf32>, tensor<3xi64>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}

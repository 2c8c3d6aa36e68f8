// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=PLAIN
// RUN: proa-opt %s --pd-decompose=target=gpu | FileCheck %s --check-prefix=GPU

// Four query heads and two heads of keys; the result is stored as [batch, query, head, element].
// CHECK-LABEL: func.func @attention
// CHECK: pd.fused_attention {{.*}}causal = true{{.*}}out_permutation = array<i64: 0, 2, 1, 3>
// CHECK-SAME: -> (tensor<2x5x4x8xf16>, tensor<2x4x5xf32>)
// PLAIN-LABEL: func.func @attention
// PLAIN: pd.matmul
// PLAIN-NOT: pd.fused_attention
// GPU-LABEL: func.func @attention
// GPU: pd.fused_attention
func.func @attention(%q: tensor<2x4x5x8xf16>, %k: tensor<2x2x7x8xf16>, %m: tensor<2x1x1x7xf16>, %n: tensor<2xi32>)
    -> (tensor<2x5x4x8xf16>, tensor<2x4x5xf32>) {
  %0:2 = "pd.fused_attention"(%q, %k, %k, %m, %n) <{causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>,
      out_permutation = array<i64: 0, 2, 1, 3>, scale = 0.5}>
      : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x8xf16>, tensor<2x1x1x7xf16>, tensor<2xi32>)
      -> (tensor<2x5x4x8xf16>, tensor<2x4x5xf32>)
  return %0#0, %0#1 : tensor<2x5x4x8xf16>, tensor<2x4x5xf32>
}

// Kernels have no form for float64.
// GPU-LABEL: func.func @double
// GPU-NOT: pd.fused_attention
func.func @double(%q: tensor<2x4x5x8xf64>) -> tensor<2x4x5x8xf64> {
  %0:2 = "pd.fused_attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (tensor<2x4x5x8xf64>, tensor<2x4x5x8xf64>, tensor<2x4x5x8xf64>) -> (tensor<2x4x5x8xf64>, tensor<2x4x5xf64>)
  return %0#0 : tensor<2x4x5x8xf64>
}

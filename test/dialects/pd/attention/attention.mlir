// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x5x4x8xf32>, %k: tensor<2x?x2x8xf32>, %x: tensor<2x3x6x6xf16>) {
  // CHECK: pd.flash_attn {{.*}} -> tensor<2x5x4x8xf32>
  %0 = pd.flash_attn %q, %k, %k {causal = true} : (tensor<2x5x4x8xf32>, tensor<2x?x2x8xf32>, tensor<2x?x2x8xf32>) -> tensor<2x5x4x8xf32>
  // CHECK: pd.fused_softmax_mask_upper_triangle
  %1 = pd.fused_softmax_mask_upper_triangle %x : (tensor<2x3x6x6xf16>) -> tensor<2x3x6x6xf16>
  return
}

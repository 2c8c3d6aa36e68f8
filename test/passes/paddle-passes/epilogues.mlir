// Paddle's fusions of a product or convolution with bias, activation, residual, scale and transposes (docs/paddle-passes.md).
// RUN: proa-opt %s --pd-fuse-epilogues | FileCheck %s

// fc_fuse, matmul_add_act_fuse, fused_gemm_epilogue, fc_activation_fuse, matmul_elementwise_add_fuse, matmul_activation_fuse
// CHECK-LABEL: @fc
// CHECK-NEXT: rt.matmul {{.*}}bias{{.*}}relu
// CHECK-NEXT: return
func.func @fc(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = pd.relu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// fused_gemm_epilogue with gelu
// CHECK-LABEL: @gemm_gelu
// CHECK-NEXT: rt.matmul {{.*}}bias{{.*}}gelu
// CHECK-NEXT: return
func.func @gemm_gelu(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = pd.gelu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// matmul_scale_fuse, scale_matmul_fuse, operator_scale_onednn_fuse
// CHECK-LABEL: @scale
// CHECK-NEXT: rt.matmul {{.*}}alpha = 5.000000e-01
// CHECK-NEXT: return
func.func @scale(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.scale %0 {scale = 0.5 : f64} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// matmul_transpose_fuse, reshape_transpose_matmul_fuse, matmul_transpose_reshape_fuse
// CHECK-LABEL: @transposes
// CHECK-NEXT: rt.matmul {{.*}}permutation
// CHECK-NEXT: return
func.func @transposes(%x: tensor<2x5x4x8xf32>, %y: tensor<2x4x8x5xf32>) -> tensor<2x5x4x5xf32> {
  %0 = pd.transpose %x {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x5x4x8xf32>) -> tensor<2x4x5x8xf32>
  %1 = pd.matmul %0, %y : (tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32>) -> tensor<2x4x5x5xf32>
  %2 = pd.transpose %1 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x5x5xf32>) -> tensor<2x5x4x5xf32>
  return %2 : tensor<2x5x4x5xf32>
}

// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --cse --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=onnx --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONNX
// AttentionPositionsTest compares numbers: --check-numerics also has values that are not finite, which zeros of queries
// without keys hide.

// ONNX: its weights are zero for queries without keys
// Weights that are not numbers become zero, as PyTorch exports scaled_dot_product_attention: queries without keys have
// no sum.
// CHECK-LABEL: func.func @zero_rows(
// CHECK: %[[OUT:[a-z]+]], %{{.*}}, %[[SUM:.*]] = pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {mask_fill = 0xFFF0000000000000 : f64, out_permutation = array<i64: 0, 2, 1, 3>} :
// CHECK: %[[SUMS:.*]] = pd.transpose %[[SUM]] {perm = array<i64: 0, 2, 1>}
// CHECK: %[[COLUMN:.*]] = pd.{{unsqueeze|reshape}} %[[SUMS]] {{.*}} -> tensor<2x5x4x1xf32>
// CHECK: %[[KEYS:.*]] = pd.greater_than %[[COLUMN]], %
// CHECK: %[[RESULT:.*]] = pd.where %[[KEYS]], %[[OUT]], %
// CHECK: return %[[RESULT]]
func.func @zero_rows(%q: tensor<2x4x5x8xf32>, %c: tensor<1x1x5x5xi1>) -> tensor<2x5x4x8xf32> {
  %low = pd.constant dense<0xFF800000> : tensor<f32>
  %zero = pd.constant dense<0.0> : tensor<1xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %s, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %n = pd.isnan %p : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xi1>
  %z = pd.where %n, %zero, %p : (tensor<2x4x5x5xi1>, tensor<1xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %z, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %t = pd.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32>
  return %t : tensor<2x5x4x8xf32>
}

// -----

// Near miss: another number than zero replaces them.
// CHECK-LABEL: func.func @other_rows(
// CHECK-NOT: pd.fused_attention
func.func @other_rows(%q: tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32> {
  %one = pd.constant dense<1.0> : tensor<1xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %s : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %n = pd.isnan %p : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xi1>
  %z = pd.where %n, %one, %p : (tensor<2x4x5x5xi1>, tensor<1xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %z, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

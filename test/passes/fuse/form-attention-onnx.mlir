// RUN: proa-opt %s --pd-form-attention=target=onnx --canonicalize --cse | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=onnx --remarks=pd-form-attention -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Dynamic batches and lengths. A mask gets leading dims; the keys may be transposed.
// CHECK-LABEL: @dynamic
// CHECK-SAME: (%[[Q:.*]]: tensor<?x2x?x4xf32>, %[[K:.*]]: tensor<?x2x?x4xf32>, %[[V:.*]]: tensor<?x2x?x5xf32>, %[[B:.*]]: tensor<?x?xf32>)
// CHECK: %[[B4:.*]] = pd.unsqueeze %[[B]] {axis = array<i64: 0, 1>}
// CHECK: %[[O:[a-z]+]], %{{.*}}, %{{.*}} = pd.fused_attention %[[Q]], %[[K]], %[[V]] mask = %[[B4]] {scale = 5.000000e-01 : f64}
// CHECK-NEXT: return %[[O]]
// REMARK: pd.matmul is the end of an attention
func.func @dynamic(%q: tensor<?x2x?x4xf32>, %k: tensor<?x2x?x4xf32>, %v: tensor<?x2x?x5xf32>, %bias: tensor<?x?xf32>) -> tensor<?x2x?x5xf32> {
  %0 = pd.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x2x?x4xf32>) -> tensor<?x2x4x?xf32>
  %1 = pd.matmul %q, %0 : (tensor<?x2x?x4xf32>, tensor<?x2x4x?xf32>) -> tensor<?x2x?x?xf32>
  %2 = pd.scale %1 {scale = 0.5 : f64} : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  %3 = pd.add %2, %bias : (tensor<?x2x?x?xf32>, tensor<?x?xf32>) -> tensor<?x2x?x?xf32>
  %4 = pd.softmax %3 : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  %5 = pd.matmul %4, %v : (tensor<?x2x?x?xf32>, tensor<?x2x?x5xf32>) -> tensor<?x2x?x5xf32>
  return %5 : tensor<?x2x?x5xf32>
}

// Queries and keys of sequences of different lengths.
// CHECK-LABEL: @cross
// CHECK: pd.fused_attention
func.func @cross(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x6x4xf32>, %v: tensor<2x2x6x5xf32>) -> tensor<2x2x3x5xf32> {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<2x2x3x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x3x6xf32>
  %1 = pd.softmax %0 : (tensor<2x2x3x6xf32>) -> tensor<2x2x3x6xf32>
  %2 = pd.matmul %1, %v : (tensor<2x2x3x6xf32>, tensor<2x2x6x5xf32>) -> tensor<2x2x3x5xf32>
  return %2 : tensor<2x2x3x5xf32>
}

// Keys of one batch are broadcast, which the op does not do.
// CHECK-LABEL: @broadcast
// CHECK-NOT: pd.fused_attention
func.func @broadcast(%q: tensor<?x2x?x4xf32>, %k: tensor<1x2x?x4xf32>, %v: tensor<1x2x?x5xf32>) -> tensor<?x2x?x5xf32> {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<?x2x?x4xf32>, tensor<1x2x?x4xf32>) -> tensor<?x2x?x?xf32>
  %1 = pd.softmax %0 : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  %2 = pd.matmul %1, %v : (tensor<?x2x?x?xf32>, tensor<1x2x?x5xf32>) -> tensor<?x2x?x5xf32>
  return %2 : tensor<?x2x?x5xf32>
}

// CHECK-LABEL: @dynamic_heads
// CHECK-NOT: pd.fused_attention
// REMARK: its dims are dynamic
func.func @dynamic_heads(%q: tensor<2x?x8x4xf32>, %k: tensor<2x?x8x4xf32>, %v: tensor<2x?x8x5xf32>) -> tensor<2x?x8x5xf32> {
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<2x?x8x4xf32>, tensor<2x?x8x4xf32>) -> tensor<2x?x8x8xf32>
  %1 = pd.softmax %0 : (tensor<2x?x8x8xf32>) -> tensor<2x?x8x8xf32>
  %2 = pd.matmul %1, %v : (tensor<2x?x8x8xf32>, tensor<2x?x8x5xf32>) -> tensor<2x?x8x5xf32>
  return %2 : tensor<2x?x8x5xf32>
}

// A causal mask of a square is `causal`, also beside a mask that the program reads.
// CHECK-LABEL: @causal
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 {causal = true}
// CHECK: pd.fused_attention {{.*}} mask = %{{.*}} {causal = true}
func.func @causal(%q: tensor<2x2x5x4xf32>, %m: tensor<2x1x1x5xf32>) -> tensor<2x2x5x4xf32> {
  %low = pd.constant dense<0xFF800000> : tensor<5x5xf32>
  %triangle = pd.triu %low {diagonal = 1 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x5xf32>
  %1 = pd.fused_softmax_mask_upper_triangle %0 : (tensor<2x2x5x5xf32>) -> tensor<2x2x5x5xf32>
  %2 = pd.matmul %1, %q : (tensor<2x2x5x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
  %3 = pd.matmul %2, %q {transpose_y = true} : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x5xf32>
  %4 = pd.add %3, %m : (tensor<2x2x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x2x5x5xf32>
  %5 = pd.add %4, %triangle : (tensor<2x2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x2x5x5xf32>
  %6 = pd.softmax %5 : (tensor<2x2x5x5xf32>) -> tensor<2x2x5x5xf32>
  %7 = pd.matmul %6, %q : (tensor<2x2x5x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
  return %7 : tensor<2x2x5x4xf32>
}

// Queries at the last keys: ONNX counts their positions from the first key. A window at the left is none of ONNX.
// CHECK-LABEL: @other_positions
// CHECK: pd.fused_attention {{.*}} mask = %{{.*}} : {{.*}}tensor<1x1x3x5xf32>
// CHECK: pd.fused_attention {{.*}} mask = %{{.*}} : {{.*}}tensor<1x1x5x5xf32>
func.func @other_positions(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x5x4xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x5x4xf32>) {
  %low = pd.constant dense<0xFF800000> : tensor<3x5xf32>
  %late = pd.triu %low {diagonal = 3 : i64} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %all = pd.constant dense<0xFF800000> : tensor<5x5xf32>
  %early = pd.tril %all {diagonal = -3 : i64} : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %0 = pd.matmul %q, %k {transpose_y = true} : (tensor<2x2x3x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x3x5xf32>
  %1 = pd.add %0, %late : (tensor<2x2x3x5xf32>, tensor<3x5xf32>) -> tensor<2x2x3x5xf32>
  %2 = pd.softmax %1 : (tensor<2x2x3x5xf32>) -> tensor<2x2x3x5xf32>
  %3 = pd.matmul %2, %k : (tensor<2x2x3x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x3x4xf32>
  %4 = pd.matmul %k, %k {transpose_y = true} : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x5xf32>
  %5 = pd.add %4, %early : (tensor<2x2x5x5xf32>, tensor<5x5xf32>) -> tensor<2x2x5x5xf32>
  %6 = pd.softmax %5 : (tensor<2x2x5x5xf32>) -> tensor<2x2x5x5xf32>
  %7 = pd.matmul %6, %k : (tensor<2x2x5x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
  return %3, %7 : tensor<2x2x3x4xf32>, tensor<2x2x5x4xf32>
}

// The triangle of scores of a dynamic length.
// CHECK-LABEL: @dynamic_triangle
// CHECK-NOT: pd.fused_attention
// CHECK: pd.fused_softmax_mask_upper_triangle
// REMARK: it is causal, and the numbers of queries and keys are dynamic or differ
func.func @dynamic_triangle(%q: tensor<2x2x?x4xf32>) -> tensor<2x2x?x4xf32> {
  %0 = pd.matmul %q, %q {transpose_y = true} : (tensor<2x2x?x4xf32>, tensor<2x2x?x4xf32>) -> tensor<2x2x?x?xf32>
  %1 = pd.fused_softmax_mask_upper_triangle %0 : (tensor<2x2x?x?xf32>) -> tensor<2x2x?x?xf32>
  %2 = pd.matmul %1, %q : (tensor<2x2x?x?xf32>, tensor<2x2x?x4xf32>) -> tensor<2x2x?x4xf32>
  return %2 : tensor<2x2x?x4xf32>
}

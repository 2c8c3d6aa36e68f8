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

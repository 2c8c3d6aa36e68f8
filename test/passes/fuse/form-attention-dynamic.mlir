// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=cpu --canonicalize --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Batches and lengths are dynamic. Transposes of heads are part of the attention, and a mask gets leading dims.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[Q:.*]]: tensor<?x?x4x8xf32>, %[[K:.*]]: tensor<?x?x4x8xf32>, %[[M:.*]]: tensor<?x?xf32>)
// CHECK: %[[MASK:.*]] = pd.unsqueeze %[[M]]
// CHECK: %[[OUT:[a-z]+]], %{{.*}} = pd.fused_attention %[[Q]], %[[K]], %[[K]] mask = %[[MASK]]
// CHECK-SAME: scale = 5.000000e-01
// CHECK: return %[[OUT]]
func.func @dynamic(%q: tensor<?x?x4x8xf32>, %k: tensor<?x?x4x8xf32>, %m: tensor<?x?xf32>) -> tensor<?x?x4x8xf32> {
  %qt = pd.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32>) -> tensor<?x4x?x8xf32>
  %kt = pd.transpose %k {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32>) -> tensor<?x4x?x8xf32>
  %s = pd.matmul %qt, %kt {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %c = pd.constant dense<0.5> : tensor<f32>
  %t = pd.multiply %s, %c : (tensor<?x4x?x?xf32>, tensor<f32>) -> tensor<?x4x?x?xf32>
  %a = pd.add %t, %m : (tensor<?x4x?x?xf32>, tensor<?x?xf32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %a : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %kt : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  %r = pd.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x4x?x8xf32>) -> tensor<?x?x4x8xf32>
  return %r : tensor<?x?x4x8xf32>
}

// -----

// REMARK: its dims are dynamic, and not all heads and elements are static
// CHECK-LABEL: func.func @heads
// CHECK-NOT: pd.fused_attention
func.func @heads(%q: tensor<2x?x32x8xf32>) -> tensor<2x?x32x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x?x32x8xf32>, tensor<2x?x32x8xf32>) -> tensor<2x?x32x32xf32>
  %p = pd.softmax %s : (tensor<2x?x32x32xf32>) -> tensor<2x?x32x32xf32>
  %o = pd.matmul %p, %q : (tensor<2x?x32x32xf32>, tensor<2x?x32x8xf32>) -> tensor<2x?x32x8xf32>
  return %o : tensor<2x?x32x8xf32>
}

// -----

// REMARK: its dims are dynamic, and not all heads and elements are static
// CHECK-LABEL: func.func @elements
// CHECK-NOT: pd.fused_attention
func.func @elements(%q: tensor<2x4x32x?xf32>) -> tensor<2x4x32x?xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x32x?xf32>, tensor<2x4x32x?xf32>) -> tensor<2x4x32x32xf32>
  %p = pd.softmax %s : (tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x32x32xf32>, tensor<2x4x32x?xf32>) -> tensor<2x4x32x?xf32>
  return %o : tensor<2x4x32x?xf32>
}

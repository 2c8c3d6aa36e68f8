// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// A scale, a mask and transposes of heads are part of the attention.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @heads(%arg0: tensor<2x5x4x8xf32>, %arg1: tensor<2x7x4x8xf32>, %arg2: tensor<2x1x1x7xf32>)
// CHECK: %[[OUT:[a-z]+]], %{{.*}} = pd.fused_attention %arg0, %arg1, %arg1 mask = %arg2
// CHECK-SAME: scale = 5.000000e-01
// CHECK: return %[[OUT]]
func.func @heads(%q: tensor<2x5x4x8xf32>, %k: tensor<2x7x4x8xf32>, %m: tensor<2x1x1x7xf32>) -> tensor<2x5x4x8xf32> {
  %qt = pd.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x5x4x8xf32>) -> tensor<2x4x5x8xf32>
  %kt = pd.transpose %k {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x7x4x8xf32>) -> tensor<2x4x7x8xf32>
  %s = pd.matmul %qt, %kt {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %c = pd.constant dense<0.5> : tensor<f32>
  %t = pd.multiply %s, %c : (tensor<2x4x5x7xf32>, tensor<f32>) -> tensor<2x4x5x7xf32>
  %a = pd.add %t, %m : (tensor<2x4x5x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %a : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %kt : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  %r = pd.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32>
  return %r : tensor<2x5x4x8xf32>
}

// -----

// The weights are a result too.
// REMARK: its weights are used elsewhere
// CHECK-LABEL: func.func @weights
// CHECK-NOT: pd.fused_attention
func.func @weights(%q: tensor<2x4x5x8xf32>) -> (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %s : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %p, %o : tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>
}

// -----

// REMARK: the softmax is not along the last dim
// CHECK-LABEL: func.func @axis
// CHECK-NOT: pd.fused_attention
func.func @axis(%q: tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %s {axis = 2 : i64} : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

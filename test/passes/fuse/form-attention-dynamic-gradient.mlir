// RUN: proa-opt %s --split-input-file --pd-vjp=function=f --cse --canonicalize --pd-form-attention=target=gpu --canonicalize --cse \
// RUN:   | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-vjp=function=f --cse --canonicalize --pd-form-attention=target=cpu --canonicalize --cse \
// RUN:   | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-vjp=function=f --cse --canonicalize --pd-form-attention=target=gpu \
// RUN:   --remarks=pd-form-attention -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Batches and lengths are dynamic, and may differ for the compiler: sums to the dims of the operands are removed, as the
// op has gradients of these dims.
// REMARK: pd.matmul is the end of an attention, which has a gradient
// CHECK-LABEL: func.func @f_vjp
// CHECK-SAME: (%[[Q:.*]]: tensor<?x?x4x8xf32>, %[[K:.*]]: tensor<?x?x4x8xf32>, %[[V:.*]]: tensor<?x?x4x6xf32>, %[[D:.*]]: tensor<?x?x4x6xf32>)
// CHECK: %[[OUT:[a-z_0-9]+]], %[[MAX:[a-z_0-9]+]], %[[SUM:[a-z_0-9]+]] = pd.fused_attention %[[Q]], %[[K]], %[[V]]
// CHECK-NEXT: %[[DQ:[a-z_0-9]+]], %[[DK:[a-z_0-9]+]], %[[DV:[a-z_0-9]+]] = pd.fused_attention_grad %[[Q]], %[[K]], %[[V]], %[[D]], %[[MAX]], %[[SUM]], %[[OUT]]
// CHECK-SAME: scale = 5.000000e-01
// CHECK-NEXT: return %[[OUT]], %[[DQ]], %[[DK]], %[[DV]]
func.func @f(%q: tensor<?x?x4x8xf32>, %k: tensor<?x?x4x8xf32>, %v: tensor<?x?x4x6xf32>) -> tensor<?x?x4x6xf32> {
  %qt = pd.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32>) -> tensor<?x4x?x8xf32>
  %kt = pd.transpose %k {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x8xf32>) -> tensor<?x4x?x8xf32>
  %vt = pd.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x?x4x6xf32>) -> tensor<?x4x?x6xf32>
  %s = pd.matmul %qt, %kt {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %t = pd.scale %s {scale = 0.5 : f64} : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %t : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %vt : (tensor<?x4x?x?xf32>, tensor<?x4x?x6xf32>) -> tensor<?x4x?x6xf32>
  %r = pd.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x4x?x6xf32>) -> tensor<?x?x4x6xf32>
  return %r : tensor<?x?x4x6xf32>
}

// -----

// Two heads of keys for four of queries: the gradient has the sum over the query heads of a head.
// REMARK: pd.matmul is the end of an attention, which has a gradient
// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %{{.*}} = pd.fused_attention %arg0, %arg1, %arg2
// CHECK: %[[DQ:[a-z_0-9]+]], %{{.*}} = pd.fused_attention_grad %arg0, %arg1, %arg2, %arg3,
// CHECK-NOT: pd.sum
// CHECK: return %[[OUT]], %[[DQ]]
func.func @f(%q: tensor<?x4x?x8xf32>, %k: tensor<?x2x?x8xf32>, %v: tensor<?x2x?x8xf32>) -> tensor<?x4x?x8xf32> {
  %k1 = pd.unsqueeze %k {axis = array<i64: 2>} : (tensor<?x2x?x8xf32>) -> tensor<?x2x1x?x8xf32>
  %k2 = pd.expand %k1 {shape = array<i64: -1, -1, 2, -1, -1>} : (tensor<?x2x1x?x8xf32>) -> tensor<?x2x2x?x8xf32>
  %k3 = pd.reshape %k2 {shape = array<i64: 0, 4, -1, 8>} : (tensor<?x2x2x?x8xf32>) -> tensor<?x4x?x8xf32>
  %v1 = pd.unsqueeze %v {axis = array<i64: 2>} : (tensor<?x2x?x8xf32>) -> tensor<?x2x1x?x8xf32>
  %v2 = pd.expand %v1 {shape = array<i64: -1, -1, 2, -1, -1>} : (tensor<?x2x1x?x8xf32>) -> tensor<?x2x2x?x8xf32>
  %v3 = pd.reshape %v2 {shape = array<i64: 0, 4, -1, 8>} : (tensor<?x2x2x?x8xf32>) -> tensor<?x4x?x8xf32>
  %s = pd.matmul %q, %k3 {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %s : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %v3 : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// -----

// The sum to the dims of a mask stays: it may have one batch, and the scores more.
// REMARK: pd.matmul is the end of an attention, which has a gradient
// CHECK-LABEL: func.func @f_vjp
// CHECK: pd.fused_attention_grad
// CHECK: %[[SCORES:.*]] = pd.fused_attention_score_grad
// CHECK: pd.reduce_as %[[SCORES]], %arg2
// CHECK-NOT: pd.softmax
// CHECK: return
func.func @f(%q: tensor<?x4x?x8xf32>, %k: tensor<?x4x?x8xf32>, %m: tensor<?x4x?x?xf32>) -> tensor<?x4x?x8xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x?xf32>
  %a = pd.add %s, %m : (tensor<?x4x?x?xf32>, tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %p = pd.softmax %a : (tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %o = pd.matmul %p, %k : (tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// -----

// REMARK: its dims are dynamic, and not all heads and elements are static
// CHECK-LABEL: func.func @f_vjp
// CHECK-NOT: pd.fused_attention
func.func @f(%q: tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x?x?xf32>, tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %p = pd.softmax %s : (tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x?x?xf32>, tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  return %o : tensor<2x4x?x?xf32>
}

// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --cse --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The gradient of a scaled and masked attention of heads that are stored after their rows. The factor of the queries is
// the gradient of the scores.
// REMARK: pd.matmul is the end of an attention, which has a gradient
// CHECK-LABEL: func.func @heads(%arg0: tensor<2x5x4x8xf32>, %arg1: tensor<2x7x4x8xf32>, %arg2: tensor<2x1x1x7xf32>,
// CHECK: %[[OUT:[a-z_0-9]+]], %[[MAX:[a-z_0-9]+]], %[[SUM:[a-z_0-9]+]] = pd.fused_attention %arg0, %arg1, %arg1 mask = %arg2
// CHECK-NEXT: %[[Q:[a-z_0-9]+]], %[[K:[a-z_0-9]+]], %[[V:[a-z_0-9]+]] = pd.fused_attention_grad %arg0, %arg1, %arg1, %arg3,
// CHECK-SAME: %[[MAX]], %[[SUM]], %[[OUT]] mask = %arg2
// CHECK-SAME: k_permutation = array<i64: 0, 2, 1, 3>
// CHECK-SAME: out_permutation = array<i64: 0, 2, 1, 3>
// CHECK-SAME: scale = 5.000000e-01
// CHECK-NEXT: return %[[OUT]], %[[Q]], %[[K]], %[[V]]
func.func @heads(%q: tensor<2x5x4x8xf32>, %k: tensor<2x7x4x8xf32>, %m: tensor<2x1x1x7xf32>, %g: tensor<2x5x4x8xf32>)
    -> (tensor<2x5x4x8xf32>, tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>) {
  %qt = pd.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x5x4x8xf32>) -> tensor<2x4x5x8xf32>
  %qs = pd.scale %qt {scale = 0.5 : f64} : (tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %kt = pd.transpose %k {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x7x4x8xf32>) -> tensor<2x4x7x8xf32>
  %s = pd.matmul %qs, %kt {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %a = pd.add %s, %m : (tensor<2x4x5x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %a : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %kt : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  %r = pd.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32>
  %gt = pd.transpose %g {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x5x4x8xf32>) -> tensor<2x4x5x8xf32>
  %dp = pd.matmul %gt, %kt {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %dv = pd.matmul %p, %gt {transpose_x = true} : (tensor<2x4x5x7xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x7x8xf32>
  %w = pd.multiply %dp, %p : (tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %t = pd.sum %w {axis = array<i64: 3>, keepdim = true} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x1xf32>
  %d = pd.subtract %dp, %t : (tensor<2x4x5x7xf32>, tensor<2x4x5x1xf32>) -> tensor<2x4x5x7xf32>
  %ds = pd.multiply %d, %p : (tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %dq = pd.matmul %ds, %kt : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  %dk = pd.matmul %ds, %qs {transpose_x = true} : (tensor<2x4x5x7xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x7x8xf32>
  %dqs = pd.scale %dq {scale = 0.5 : f64} : (tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %rq = pd.transpose %dqs {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32>
  %rk = pd.transpose %dk {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x7x8xf32>) -> tensor<2x7x4x8xf32>
  %rv = pd.transpose %dv {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x7x8xf32>) -> tensor<2x7x4x8xf32>
  return %r, %rq, %rk, %rv : tensor<2x5x4x8xf32>, tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>
}

// -----

// Mixed precision, keys stored as [.., elements, rows], one of the two products of the scores missing, and no factor in
// the gradient: the result is scaled.
// REMARK: pd.matmul is the end of an attention, which has a gradient
// CHECK-LABEL: func.func @half
// CHECK: pd.fused_attention_grad
// CHECK: pd.scale %{{.*}} {scale = 5.000000e-01
// CHECK-NOT: pd.softmax
func.func @half(%q: tensor<3x5x8xf16>, %k: tensor<3x8x7xf16>, %v: tensor<3x7x6xf16>, %g: tensor<3x5x6xf16>)
    -> (tensor<3x5x6xf16>, tensor<3x8x7xf16>, tensor<3x7x6xf16>) {
  %s = pd.matmul %q, %k : (tensor<3x5x8xf16>, tensor<3x8x7xf16>) -> tensor<3x5x7xf16>
  %f = pd.scale %s {scale = 2.0 : f64} : (tensor<3x5x7xf16>) -> tensor<3x5x7xf16>
  %c = pd.cast %f {dtype = f32} : (tensor<3x5x7xf16>) -> tensor<3x5x7xf32>
  %p = pd.softmax %c : (tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %h = pd.cast %p {dtype = f16} : (tensor<3x5x7xf32>) -> tensor<3x5x7xf16>
  %o = pd.matmul %h, %v : (tensor<3x5x7xf16>, tensor<3x7x6xf16>) -> tensor<3x5x6xf16>
  %dh = pd.matmul %g, %v {transpose_y = true} : (tensor<3x5x6xf16>, tensor<3x7x6xf16>) -> tensor<3x5x7xf16>
  %dv = pd.matmul %h, %g {transpose_x = true} : (tensor<3x5x7xf16>, tensor<3x5x6xf16>) -> tensor<3x7x6xf16>
  %dp = pd.cast %dh {dtype = f32} : (tensor<3x5x7xf16>) -> tensor<3x5x7xf32>
  %w = pd.multiply %dp, %p : (tensor<3x5x7xf32>, tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %t = pd.sum %w {axis = array<i64: -1>, keepdim = true} : (tensor<3x5x7xf32>) -> tensor<3x5x1xf32>
  %d = pd.subtract %dp, %t : (tensor<3x5x7xf32>, tensor<3x5x1xf32>) -> tensor<3x5x7xf32>
  %ds = pd.multiply %d, %p : (tensor<3x5x7xf32>, tensor<3x5x7xf32>) -> tensor<3x5x7xf32>
  %dc = pd.cast %ds {dtype = f16} : (tensor<3x5x7xf32>) -> tensor<3x5x7xf16>
  %dk = pd.matmul %q, %dc {transpose_x = true} : (tensor<3x5x8xf16>, tensor<3x5x7xf16>) -> tensor<3x8x7xf16>
  return %o, %dk, %dv : tensor<3x5x6xf16>, tensor<3x8x7xf16>, tensor<3x7x6xf16>
}

// -----

// The mask has a gradient too, which is summed over the batches after it.
// REMARK: pd.matmul is the end of an attention, which has a gradient
// CHECK-LABEL: func.func @mask
// CHECK: pd.fused_attention_grad
// CHECK: %[[SCORES:.*]] = pd.fused_attention_score_grad {{.*}}sum_batches = true{{.*}} -> tensor<1x4x5x5xf32>
// CHECK: %[[MASK:.*]] = pd.reshape %[[SCORES]]
// CHECK-NOT: pd.softmax
// CHECK: return {{.*}}%[[MASK]]
func.func @mask(%q: tensor<2x4x5x8xf32>, %m: tensor<2x4x5x5xf32>, %g: tensor<2x4x5x8xf32>)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<4x5x5xf32>) {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %m : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %a : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %dp = pd.matmul %g, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %dv = pd.matmul %p, %g {transpose_x = true} : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %w = pd.multiply %dp, %p : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.sum %w {axis = array<i64: 3>, keepdim = true} : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x1xf32>
  %d = pd.subtract %dp, %t : (tensor<2x4x5x5xf32>, tensor<2x4x5x1xf32>) -> tensor<2x4x5x5xf32>
  %ds = pd.multiply %d, %p : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %dq = pd.matmul %ds, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %dm = pd.sum %ds {axis = array<i64: 0>} : (tensor<2x4x5x5xf32>) -> tensor<4x5x5xf32>
  return %o, %dq, %dv, %dm : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<4x5x5xf32>
}

// -----

// A product of the gradient of the scores with another tensor is none of a gradient.
// REMARK: the gradient of its scores has other matmuls than with queries and keys
// CHECK-LABEL: func.func @product
// CHECK-NOT: pd.fused_attention
// CHECK: pd.softmax
func.func @product(%q: tensor<2x4x5x8xf32>, %m: tensor<2x4x5x5xf32>, %g: tensor<2x4x5x8xf32>)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %m : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %a : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %dp = pd.matmul %g, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %dv = pd.matmul %p, %g {transpose_x = true} : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %w = pd.multiply %dp, %p : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.sum %w {axis = array<i64: 3>, keepdim = true} : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x1xf32>
  %d = pd.subtract %dp, %t : (tensor<2x4x5x5xf32>, tensor<2x4x5x1xf32>) -> tensor<2x4x5x5xf32>
  %ds = pd.multiply %d, %p : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %dq = pd.matmul %ds, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %dm = pd.matmul %ds, %g : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o, %dq, %dv, %dm : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
}

// -----

// The weights are a result too, and a sum over another dim is not the derivative's.
// REMARK: values of its gradient are used elsewhere
// CHECK-LABEL: func.func @weights
// CHECK-NOT: pd.fused_attention
// CHECK: pd.softmax
func.func @weights(%q: tensor<2x4x5x8xf32>, %g: tensor<2x4x5x8xf32>)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x5xf32>) {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %s : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %dp = pd.matmul %g, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %dv = pd.matmul %p, %g {transpose_x = true} : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %w = pd.multiply %dp, %p : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.sum %w {axis = array<i64: 3>, keepdim = true} : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x1xf32>
  %d = pd.subtract %dp, %t : (tensor<2x4x5x5xf32>, tensor<2x4x5x1xf32>) -> tensor<2x4x5x5xf32>
  %ds = pd.multiply %d, %p : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %dq = pd.matmul %ds, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o, %dq, %dv, %p : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x5xf32>
}

// -----

// REMARK: its weights are used outside of their gradient
// CHECK-LABEL: func.func @axis
// CHECK-NOT: pd.fused_attention
// CHECK: pd.softmax
func.func @axis(%q: tensor<2x4x5x8xf32>, %g: tensor<2x4x5x8xf32>)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %s : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %dp = pd.matmul %g, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %dv = pd.matmul %p, %g {transpose_x = true} : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %w = pd.multiply %dp, %p : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.sum %w {axis = array<i64: 2>, keepdim = true} : (tensor<2x4x5x5xf32>) -> tensor<2x4x1x5xf32>
  %d = pd.subtract %dp, %t : (tensor<2x4x5x5xf32>, tensor<2x4x1x5xf32>) -> tensor<2x4x5x5xf32>
  %ds = pd.multiply %d, %p : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %dq = pd.matmul %ds, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o, %dq, %dv : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
}

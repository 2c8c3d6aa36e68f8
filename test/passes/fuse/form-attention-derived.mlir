// RUN: proa-opt %s --pd-vjp=function=f --pd-vjp=function=shared --pd-vjp=function=rows --pd-vjp=function=keys \
// RUN:   --pd-vjp=function=train --pd-vjp=function=half --pd-vjp=function=bias --pd-vjp=function=own_bias --cse --canonicalize \
// RUN:   --pd-form-attention=target=gpu --canonicalize --cse | FileCheck %s

// The gradient that proa derives of an attention.
// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %[[MAX:[a-z_0-9]+]], %[[SUM:[a-z_0-9]+]] = pd.fused_attention %arg0, %arg1, %arg2
// CHECK: pd.fused_attention_grad %arg0, %arg1, %arg2, %arg3, %[[MAX]], %[[SUM]], %[[OUT]]
// CHECK-NOT: pd.softmax
// CHECK: return
func.func @f(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %t = pd.scale %s {scale = 0.5 : f64} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %t : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// Two heads of keys for four of queries: the gradient has the sum over the query heads of a head.
// CHECK-LABEL: func.func @shared_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %{{.*}} = pd.fused_attention %arg0, %arg1, %arg2
// CHECK-NEXT: %[[Q:[a-z_0-9]+]], %[[K:[a-z_0-9]+]], %[[V:[a-z_0-9]+]] = pd.fused_attention_grad %arg0, %arg1, %arg2, %arg3,
// CHECK-NEXT: return %[[OUT]], %[[Q]], %[[K]], %[[V]]
func.func @shared(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x8xf32>) -> tensor<2x4x5x8xf32> {
  %k1 = pd.unsqueeze %k {axis = array<i64: 2>} : (tensor<2x2x7x8xf32>) -> tensor<2x2x1x7x8xf32>
  %k2 = pd.expand %k1 {shape = array<i64: 2, 2, 2, 7, 8>} : (tensor<2x2x1x7x8xf32>) -> tensor<2x2x2x7x8xf32>
  %k3 = pd.reshape %k2 {shape = array<i64: 2, 4, 7, 8>} : (tensor<2x2x2x7x8xf32>) -> tensor<2x4x7x8xf32>
  %v1 = pd.unsqueeze %v {axis = array<i64: 2>} : (tensor<2x2x7x8xf32>) -> tensor<2x2x1x7x8xf32>
  %v2 = pd.expand %v1 {shape = array<i64: 2, 2, 2, 7, 8>} : (tensor<2x2x1x7x8xf32>) -> tensor<2x2x2x7x8xf32>
  %v3 = pd.reshape %v2 {shape = array<i64: 2, 4, 7, 8>} : (tensor<2x2x2x7x8xf32>) -> tensor<2x4x7x8xf32>
  %s = pd.matmul %q, %k3 {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v3 : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// As LLaMA stores them: heads after rows, which are tiled and then transposed; keys are transposed for the product.
// CHECK-LABEL: func.func @rows_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %{{.*}} = pd.fused_attention %arg0, %arg1, %arg2
// CHECK-NEXT: %[[Q:[a-z_0-9]+]], %[[K:[a-z_0-9]+]], %[[V:[a-z_0-9]+]] = pd.fused_attention_grad %arg0, %arg1, %arg2, %arg3,
// CHECK-SAME: scale = 5.000000e-01
// CHECK-NEXT: return %[[OUT]], %[[Q]], %[[K]], %[[V]]
func.func @rows(%q: tensor<2x5x4x8xf32>, %k: tensor<2x7x2x8xf32>, %v: tensor<2x7x2x8xf32>) -> tensor<2x5x4x8xf32> {
  %k1 = pd.unsqueeze %k {axis = array<i64: 3>} : (tensor<2x7x2x8xf32>) -> tensor<2x7x2x1x8xf32>
  %k2 = pd.tile %k1 {repeat_times = array<i64: 1, 1, 1, 2, 1>} : (tensor<2x7x2x1x8xf32>) -> tensor<2x7x2x2x8xf32>
  %k3 = pd.reshape %k2 {shape = array<i64: 2, 7, 4, 8>} : (tensor<2x7x2x2x8xf32>) -> tensor<2x7x4x8xf32>
  %v1 = pd.unsqueeze %v {axis = array<i64: 3>} : (tensor<2x7x2x8xf32>) -> tensor<2x7x2x1x8xf32>
  %v2 = pd.tile %v1 {repeat_times = array<i64: 1, 1, 1, 2, 1>} : (tensor<2x7x2x1x8xf32>) -> tensor<2x7x2x2x8xf32>
  %v3 = pd.reshape %v2 {shape = array<i64: 2, 7, 4, 8>} : (tensor<2x7x2x2x8xf32>) -> tensor<2x7x4x8xf32>
  %qt = pd.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x5x4x8xf32>) -> tensor<2x4x5x8xf32>
  %qs = pd.scale %qt {scale = 0.5 : f64} : (tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %kt = pd.transpose %k3 {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x7x4x8xf32>) -> tensor<2x4x8x7xf32>
  %vt = pd.transpose %v3 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x7x4x8xf32>) -> tensor<2x4x7x8xf32>
  %s = pd.matmul %qs, %kt : (tensor<2x4x5x8xf32>, tensor<2x4x8x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %vt : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  %r = pd.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x4x5x8xf32>) -> tensor<2x5x4x8xf32>
  return %r : tensor<2x5x4x8xf32>
}

// Only the keys are repeated: they are read as they are.
// CHECK-LABEL: func.func @keys_vjp
// CHECK: %[[KEYS:.*]] = pd.reshape %{{.*}} -> tensor<2x4x7x8xf32>
// CHECK: pd.fused_attention %arg0, %[[KEYS]], %arg2
// CHECK: pd.fused_attention_grad %arg0, %[[KEYS]], %arg2
// CHECK: pd.sum
// CHECK-NOT: pd.softmax
// CHECK: return
func.func @keys(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32> {
  %k1 = pd.unsqueeze %k {axis = array<i64: 2>} : (tensor<2x2x7x8xf32>) -> tensor<2x2x1x7x8xf32>
  %k2 = pd.expand %k1 {shape = array<i64: 2, 2, 2, 7, 8>} : (tensor<2x2x1x7x8xf32>) -> tensor<2x2x2x7x8xf32>
  %k3 = pd.reshape %k2 {shape = array<i64: 2, 4, 7, 8>} : (tensor<2x2x2x7x8xf32>) -> tensor<2x4x7x8xf32>
  %s = pd.matmul %q, %k3 {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// The derivative reads the mask, which is not stored.
// CHECK-LABEL: func.func @train_vjp
// CHECK: %[[CALL:.*]] = rt.random_call
// CHECK: pd.fused_attention %arg0, %arg1, %arg2 dropout_call = %[[CALL]]
// CHECK: pd.fused_attention_grad {{.*}}dropout_call = %[[CALL]] {dropout_p = 1.000000e-01 : f64}
// CHECK-NOT: pd.dropout
// CHECK-NOT: pd.where
// CHECK: return
func.func @train(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p mode = upscale_in_train {p = 0.1 : f64} : (tensor<2x4x5x7xf32>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// In 16 bits: the derivative of the softmax is computed in float32.
// CHECK-LABEL: func.func @half_vjp
// CHECK: pd.fused_attention_grad {{.*}}dropout_mode = {{ *}}downgrade_in_infer
// CHECK-NOT: pd.softmax
// CHECK: return
func.func @half(%q: tensor<2x4x5x8xbf16>, %k: tensor<2x4x7x8xbf16>, %v: tensor<2x4x7x6xbf16>) -> tensor<2x4x5x6xbf16> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xbf16>, tensor<2x4x7x8xbf16>) -> tensor<2x4x5x7xbf16>
  %p = pd.softmax %s : (tensor<2x4x5x7xbf16>) -> tensor<2x4x5x7xbf16>
  %d, %m = pd.dropout %p {p = 0.1 : f64} : (tensor<2x4x5x7xbf16>) -> (tensor<2x4x5x7xbf16>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xbf16>, tensor<2x4x7x6xbf16>) -> tensor<2x4x5x6xbf16>
  return %o : tensor<2x4x5x6xbf16>
}

// A learned bias that the batches share, and a mask of paddings: the gradient of the bias is a sum over the batches.
// CHECK-LABEL: func.func @bias_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %[[MAX:[a-z_0-9]+]], %[[SUM:[a-z_0-9]+]] = pd.fused_attention {{.*}} mask = %[[MASK:.*]] {
// CHECK: pd.fused_attention_grad
// CHECK: %[[DELTA:.*]] = pd.sum
// CHECK: %[[BIAS:.*]] = pd.fused_attention_score_grad {{.*}}%[[MAX]], %[[SUM]], %[[DELTA]] mask = %[[MASK]] {{.*}}sum_batches = true{{.*}} -> tensor<1x4x5x7xf32>
// CHECK-NOT: pd.softmax
// CHECK: return
func.func @bias(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %b: tensor<4x5x7xf32>, %m: tensor<2x1x1x7xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %t = pd.scale %s {scale = 0.5 : f64} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %c = pd.add %t, %b : (tensor<2x4x5x7xf32>, tensor<4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %n = pd.assign %m : (tensor<2x1x1x7xf32>) -> tensor<2x1x1x7xf32>
  %a = pd.add %c, %n : (tensor<2x4x5x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %a : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// Each head of each batch has a bias of its own.
// CHECK-LABEL: func.func @own_bias_vjp
// CHECK: %[[BIAS:.*]] = pd.fused_attention_score_grad {{.*}} -> tensor<2x4x5x7xf32>
// CHECK: return {{.*}}%[[BIAS]]
func.func @own_bias(%q: tensor<2x4x5x8xbf16>, %k: tensor<2x4x7x8xbf16>, %v: tensor<2x4x7x6xbf16>, %b: tensor<2x4x5x7xf32>) -> tensor<2x4x5x6xbf16> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xbf16>, tensor<2x4x7x8xbf16>) -> tensor<2x4x5x7xbf16>
  %c = pd.cast %s {dtype = f32} : (tensor<2x4x5x7xbf16>) -> tensor<2x4x5x7xf32>
  %a = pd.add %c, %b : (tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %a : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %h = pd.cast %p {dtype = bf16} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xbf16>
  %o = pd.matmul %h, %v : (tensor<2x4x5x7xbf16>, tensor<2x4x7x6xbf16>) -> tensor<2x4x5x6xbf16>
  return %o : tensor<2x4x5x6xbf16>
}

// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Dropout between the softmax and the values. Its execution keeps its place among the random ops of the program, and
// its seed.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @forward
// CHECK: %[[CALL:.*]] = rt.random_call {seed = 7 : i64} : () -> tensor<2xi64>
// CHECK-NEXT: pd.uniform
// CHECK: pd.fused_attention %arg0, %arg1, %arg2 dropout_call = %[[CALL]] {dropout_p = 1.000000e-01 : f64}
// CHECK-NOT: pd.dropout
func.func @forward(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> (tensor<2x4x5x6xf32>, tensor<3xf32>) {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p mode = upscale_in_train {p = 0.1 : f64, fix_seed = true, seed = 7 : i64} : (tensor<2x4x5x7xf32>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %u = pd.uniform {dtype = f32, shape = array<i64: 3>} : () -> tensor<3xf32>
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o, %u : tensor<2x4x5x6xf32>, tensor<3xf32>
}

// -----

// A seed in a tensor, the seed of the model otherwise; without scaling.
// CHECK-LABEL: func.func @seed
// CHECK: %[[CALL:.*]] = rt.random_call seed = %arg3 : (tensor<1xi64>) -> tensor<2xi64>
// CHECK: pd.fused_attention {{.*}}dropout_call = %[[CALL]] dropout_mode = {{ *}}downgrade_in_infer {dropout_p
func.func @seed(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %n: tensor<1xi64>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p seed = %n {p = 0.1 : f64, seed = 7 : i64} : (tensor<2x4x5x7xf32>, tensor<1xi64>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// -----

// In inference the weights are scaled, so the result is.
// CHECK-LABEL: func.func @inference
// CHECK: %[[OUT:[a-z]+]], %{{.*}} = pd.fused_attention %arg0, %arg1, %arg2 :
// CHECK: pd.scale %[[OUT]] {scale = 7.500000e-01 : f64}
func.func @inference(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p {p = 0.25 : f64, is_test = true} : (tensor<2x4x5x7xf32>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// -----

// REMARK: the mask of its dropout is used elsewhere
// CHECK-LABEL: func.func @mask
// CHECK: pd.dropout
// CHECK-NOT: pd.fused_attention
func.func @mask(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> (tensor<2x4x5x6xf32>, tensor<2x4x5x7xui8>) {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p {p = 0.1 : f64} : (tensor<2x4x5x7xf32>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o, %m : tensor<2x4x5x6xf32>, tensor<2x4x5x7xui8>
}

// -----

// REMARK: several dropouts, or one whose probability is a tensor, are between the softmax and the values
// CHECK-LABEL: func.func @twice
// CHECK-NOT: pd.fused_attention
func.func @twice(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %c, %n = pd.dropout %p {p = 0.1 : f64} : (tensor<2x4x5x7xf32>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %d, %m = pd.dropout %c {p = 0.1 : f64} : (tensor<2x4x5x7xf32>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// -----

// REMARK: several dropouts, or one whose probability is a tensor, are between the softmax and the values
// CHECK-LABEL: func.func @probability
// CHECK-NOT: pd.fused_attention
func.func @probability(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %r: tensor<1xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p p = %r {p = 0.1 : f64} : (tensor<2x4x5x7xf32>, tensor<1xf32>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// -----

// Another gradient of the mask: its product with the gradient is not scaled.
// REMARK: the gradient of its dropout is not the gradient of pd.dropout
// CHECK-LABEL: func.func @gradient
// CHECK-NOT: pd.fused_attention
func.func @gradient(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %g: tensor<2x4x5x6xf32>) -> (tensor<2x4x5x6xf32>, tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p mode = upscale_in_train {p = 0.1 : f64} : (tensor<2x4x5x7xf32>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %dp = pd.matmul %g, %v {transpose_y = true} : (tensor<2x4x5x6xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x7xf32>
  %dv = pd.matmul %d, %g {transpose_x = true} : (tensor<2x4x5x7xf32>, tensor<2x4x5x6xf32>) -> tensor<2x4x7x6xf32>
  %b = pd.cast %m {dtype = i1} : (tensor<2x4x5x7xui8>) -> tensor<2x4x5x7xi1>
  %z = pd.constant dense<0.0> : tensor<f32>
  %w = pd.where %b, %dp, %z : (tensor<2x4x5x7xi1>, tensor<2x4x5x7xf32>, tensor<f32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o, %w, %dv : tensor<2x4x5x6xf32>, tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>
}

// -----

// Dropout of a part of the weights, as a device of a mesh has it: three dims get a fourth one.
// CHECK-LABEL: func.func @part
// CHECK: pd.fused_attention {{.*}}part_begin = %arg3 {{.*}}whole_shape = array<i64: 4, 8, 5, 7>}
func.func @part(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %b: tensor<4xi64>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p part_begin = %b {p = 0.1 : f64, whole_shape = array<i64: 4, 8, 5, 7>} : (tensor<2x4x5x7xf32>, tensor<4xi64>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// CHECK-LABEL: func.func @part_of_rank_3
// CHECK: %[[BEGIN:.*]] = pd.concat %{{.*}}, %arg3 {{.*}} -> tensor<4xi64>
// CHECK: pd.fused_attention {{.*}}part_begin = %[[BEGIN]] {{.*}}whole_shape = array<i64: 1, 8, 5, 7>}
func.func @part_of_rank_3(%q: tensor<4x5x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x6xf32>, %b: tensor<3xi64>) -> tensor<4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<4x5x8xf32>, tensor<4x7x8xf32>) -> tensor<4x5x7xf32>
  %p = pd.softmax %s : (tensor<4x5x7xf32>) -> tensor<4x5x7xf32>
  %d, %m = pd.dropout %p part_begin = %b {p = 0.1 : f64, whole_shape = array<i64: 8, 5, 7>} : (tensor<4x5x7xf32>, tensor<3xi64>) -> (tensor<4x5x7xf32>, tensor<4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<4x5x7xf32>, tensor<4x7x6xf32>) -> tensor<4x5x6xf32>
  return %o : tensor<4x5x6xf32>
}

// -----

// Near miss: a shard of the keys.
// REMARK: its dropout is of a shard of the keys
// CHECK-LABEL: func.func @part_of_keys
// CHECK: pd.dropout
func.func @part_of_keys(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %b: tensor<4xi64>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %d, %m = pd.dropout %p part_begin = %b {p = 0.1 : f64, whole_shape = array<i64: 2, 4, 5, 14>} : (tensor<2x4x5x7xf32>, tensor<4xi64>) -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xui8>)
  %o = pd.matmul %d, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

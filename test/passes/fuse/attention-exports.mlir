// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --cse --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --check-numerics -o /dev/null

// Forms of attention that exporters of models write.

// Repeated heads of keys whose matrices are transposed with batch and heads in one dim, as PyTorch's later exporter
// does: the kernel reads the heads before their repetition.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @transposed_groups(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<2x2x7x8xf32>, %arg2: tensor<2x2x7x8xf32>)
// CHECK-NEXT: pd.fused_attention %arg0, %arg1, %arg2 :
func.func @transposed_groups(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x7x8xf32>, %v: tensor<2x2x7x8xf32>) -> tensor<2x4x5x8xf32> {
  %k1 = pd.unsqueeze %k {axis = array<i64: 2>} : (tensor<2x2x7x8xf32>) -> tensor<2x2x1x7x8xf32>
  %k2 = pd.expand %k1 {shape = array<i64: 2, 2, 2, 7, 8>} : (tensor<2x2x1x7x8xf32>) -> tensor<2x2x2x7x8xf32>
  %v1 = pd.unsqueeze %v {axis = array<i64: 2>} : (tensor<2x2x7x8xf32>) -> tensor<2x2x1x7x8xf32>
  %v2 = pd.expand %v1 {shape = array<i64: 2, 2, 2, 7, 8>} : (tensor<2x2x1x7x8xf32>) -> tensor<2x2x2x7x8xf32>
  %v3 = pd.reshape %v2 {shape = array<i64: 2, 4, 7, 8>} : (tensor<2x2x2x7x8xf32>) -> tensor<2x4x7x8xf32>
  %k3 = pd.reshape %k2 {shape = array<i64: 8, 7, 8>} : (tensor<2x2x2x7x8xf32>) -> tensor<8x7x8xf32>
  %k4 = pd.transpose %k3 {perm = array<i64: 0, 2, 1>} : (tensor<8x7x8xf32>) -> tensor<8x8x7xf32>
  %k5 = pd.reshape %k4 {shape = array<i64: 2, 4, 8, 7>} : (tensor<8x8x7xf32>) -> tensor<2x4x8x7xf32>
  %s = pd.matmul %q, %k5 : (tensor<2x4x5x8xf32>, tensor<2x4x8x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v3 : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// A bias that is added to scores with batch and heads in one dim, as BLOOM does.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @merged_bias(%arg0: tensor<8x5x8xf32>, %arg1: tensor<8x1x5xf32>, %arg2: tensor<2x1x5x5xf32>)
// CHECK-DAG: %[[BIAS:.*]] = pd.reshape %arg1 {{.*}} -> tensor<2x4x1x5xf32>
// CHECK-DAG: %[[Q:.*]] = pd.reshape %arg0 {{.*}} -> tensor<2x4x5x8xf32>
// CHECK: %[[MASK:.*]] = pd.add %[[BIAS]], %arg2
// CHECK: pd.fused_attention %[[Q]], %[[Q]], %[[Q]] mask = %[[MASK]]
func.func @merged_bias(%q: tensor<8x5x8xf32>, %bias: tensor<8x1x5xf32>, %m: tensor<2x1x5x5xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<8x5x8xf32>, tensor<8x5x8xf32>) -> tensor<8x5x5xf32>
  %b = pd.add %s, %bias : (tensor<8x5x5xf32>, tensor<8x1x5xf32>) -> tensor<8x5x5xf32>
  %r = pd.reshape %b {shape = array<i64: 2, 4, 5, 5>} : (tensor<8x5x5xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %r, %m : (tensor<2x4x5x5xf32>, tensor<2x1x5x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %a : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.reshape %p {shape = array<i64: 8, 5, 5>} : (tensor<2x4x5x5xf32>) -> tensor<8x5x5xf32>
  %o = pd.matmul %w, %q : (tensor<8x5x5xf32>, tensor<8x5x8xf32>) -> tensor<8x5x8xf32>
  %out = pd.reshape %o {shape = array<i64: 2, 4, 5, 8>} : (tensor<8x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %out : tensor<2x4x5x8xf32>
}

// -----

// Scores times a number of each head, as the cosines of Swin V2: queries are multiplied instead.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @head_factor(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<4x1x1xf32>, %arg2: tensor<1x4x5x5xf32>)
// CHECK-NEXT: %[[Q:.*]] = pd.multiply %arg0, %arg1
// CHECK-NEXT: pd.fused_attention %[[Q]], %arg0, %arg0 mask = %arg2
func.func @head_factor(%q: tensor<2x4x5x8xf32>, %f: tensor<4x1x1xf32>, %m: tensor<1x4x5x5xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.multiply %s, %f : (tensor<2x4x5x5xf32>, tensor<4x1x1xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %t, %m : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %a : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Near miss: the factor multiplies the mask too.
// REMARK: a mask is added to its scores before a factor of heads
// CHECK-LABEL: func.func @factor_of_mask
// CHECK-NOT: pd.fused_attention
func.func @factor_of_mask(%q: tensor<2x4x5x8xf32>, %f: tensor<4x1x1xf32>, %m: tensor<1x4x5x5xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %m : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.multiply %a, %f : (tensor<2x4x5x5xf32>, tensor<4x1x1xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %t : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Near miss: the factor differs between queries.
// REMARK: its scores are not a matmul that is scaled and masked
// CHECK-LABEL: func.func @factor_of_queries
// CHECK-NOT: pd.fused_attention
func.func @factor_of_queries(%q: tensor<2x4x5x8xf32>, %f: tensor<4x5x1xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.multiply %s, %f : (tensor<2x4x5x5xf32>, tensor<4x5x1xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %t : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// One head of keys and values for all heads of queries, as Falcon has it.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @one_head_of_keys(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<2x1x7x8xf32>, %arg2: tensor<2x1x7x6xf32>)
// CHECK-NEXT: pd.fused_attention %arg0, %arg1, %arg2 {scale = 5.000000e-01 : f64}
func.func @one_head_of_keys(%q: tensor<2x4x5x8xf32>, %k: tensor<2x1x7x8xf32>, %v: tensor<2x1x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %c = pd.constant dense<0.5> : tensor<f32>
  %kt = pd.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x1x7x8xf32>) -> tensor<2x1x8x7xf32>
  %s = pd.matmul %q, %kt : (tensor<2x4x5x8xf32>, tensor<2x1x8x7xf32>) -> tensor<2x4x5x7xf32>
  %t = pd.multiply %s, %c : (tensor<2x4x5x7xf32>, tensor<f32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %t : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x5x7xf32>, tensor<2x1x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// -----

// Near miss: the values have four heads.
// REMARK: only its keys or only its values have one head
// CHECK-LABEL: func.func @one_head_of_keys_alone
// CHECK-NOT: pd.fused_attention
func.func @one_head_of_keys_alone(%q: tensor<2x4x5x8xf32>, %k: tensor<2x1x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x1x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// -----

// Near miss: one batch of keys for all batches of queries.
// CHECK-LABEL: func.func @one_batch_of_keys
// CHECK-NOT: pd.fused_attention
func.func @one_batch_of_keys(%q: tensor<2x4x5x8xf32>, %k: tensor<1x4x7x8xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<1x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %k : (tensor<2x4x5x7xf32>, tensor<1x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

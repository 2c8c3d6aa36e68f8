// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=PLAIN
// RUN: proa-opt %s --pd-decompose=target=gpu | FileCheck %s --check-prefix=GPU
// RUN: proa-opt %s --pd-annotate-sharding-rules | FileCheck %s --check-prefix=RULE

// Four query heads and two heads of keys; the result is stored as [batch, query, head, element].
// CHECK-LABEL: func.func @attention
// CHECK: pd.fused_attention {{.*}}causal = true{{.*}}out_permutation = array<i64: 0, 2, 1, 3>
// CHECK-SAME: -> (tensor<2x5x4x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
// PLAIN-LABEL: func.func @attention
// PLAIN: pd.matmul
// PLAIN-NOT: pd.fused_attention
// GPU-LABEL: func.func @attention
// GPU: pd.fused_attention
func.func @attention(%q: tensor<2x4x5x8xf16>, %k: tensor<2x2x7x8xf16>, %m: tensor<2x1x1x7xf16>, %n: tensor<2xi32>)
    -> (tensor<2x5x4x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) {
  %0:3 = "pd.fused_attention"(%q, %k, %k, %m, %n) <{causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 0>,
      out_permutation = array<i64: 0, 2, 1, 3>, scale = 0.5}>
      : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x8xf16>, tensor<2x1x1x7xf16>, tensor<2xi32>)
      -> (tensor<2x5x4x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x5x4x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>
}

// Kernels have no form for float64.
// GPU-LABEL: func.func @double
// GPU-NOT: pd.fused_attention
func.func @double(%q: tensor<2x4x5x8xf64>) -> tensor<2x4x5x8xf64> {
  %0:3 = "pd.fused_attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (tensor<2x4x5x8xf64>, tensor<2x4x5x8xf64>, tensor<2x4x5x8xf64>) -> (tensor<2x4x5x8xf64>, tensor<2x4x5xf64>, tensor<2x4x5xf64>)
  return %0#0 : tensor<2x4x5x8xf64>
}

// A mask of keys beside another mask. It is sharded as its formula.
// CHECK-LABEL: func.func @key_masks
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 key_mask = %arg2 :
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 key_mask = %arg3 {mask_fill = -1.000000e+04 : f64} :
// PLAIN-LABEL: func.func @key_masks
// PLAIN: %[[KEYS:.*]] = pd.add %{{.*}}, %arg2
// PLAIN: pd.add %[[KEYS]], %arg1
// PLAIN: pd.where %arg3
// PLAIN-NOT: pd.fused_attention
// GPU-LABEL: func.func @key_masks
// GPU: pd.fused_attention {{.*}}key_mask = %arg2
// GPU: pd.fused_attention {{.*}}key_mask = %arg3
// RULE-LABEL: func.func @key_masks
// RULE: pd.fused_attention {{.*}}"([i, j, k, *], [i, j, k, *], [i, j, k, *], [*, j, k, *], [i, *, *, *])->([i, j, k, *], [i, j, k], [i, j, k])
func.func @key_masks(%q: tensor<2x4x5x8xf32>, %m: tensor<1x4x5x5xf32>, %n: tensor<2x1x1x5xf32>, %c: tensor<2x1x1x5xi1>)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) {
  %0:3 = pd.fused_attention %q, %q, %q mask = %m key_mask = %n
      : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<1x4x5x5xf32>, tensor<2x1x1x5xf32>)
      -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  %1:3 = pd.fused_attention %q, %q, %q mask = %m key_mask = %c {mask_fill = -1.0e4 : f64}
      : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<1x4x5x5xf32>, tensor<2x1x1x5xi1>)
      -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return %0#0, %1#0 : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
}

// A mask of i1 selects scores.
// CHECK-LABEL: func.func @condition
// CHECK: pd.fused_attention {{.*}}mask = %arg1 {mask_fill = -1.000000e+04 : f64}
// PLAIN-LABEL: func.func @condition
// PLAIN: pd.where %arg1
// GPU-LABEL: func.func @condition
// GPU: pd.fused_attention {{.*}}mask = %arg1 {mask_fill = -1.000000e+04 : f64}
func.func @condition(%q: tensor<2x4x5x8xf32>, %m: tensor<2x1x1x5xi1>) -> tensor<2x4x5x8xf32> {
  %0:3 = "pd.fused_attention"(%q, %q, %q, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, mask_fill = -1.0e4}>
      : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x1x1x5xi1>)
      -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return %0#0 : tensor<2x4x5x8xf32>
}

// A gradient is stored as its tensor; gradients of keys are sums over the query heads of a group. It consists of two
// kernels on a GPU.
// CHECK-LABEL: func.func @gradients
// CHECK: pd.fused_attention_grad {{.*}}q_permutation = array<i64: 0, 2, 1, 3>
// CHECK-SAME: -> (tensor<2x5x4x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>)
// PLAIN-LABEL: func.func @gradients
// PLAIN-NOT: pd.fused_attention
// PLAIN: pd.sum {{.*}}axis = array<i64: 2>{{.*}}tensor<2x2x2x7x8xf{{.*}} -> tensor<2x2x7x8xf
// PLAIN-NOT: pd.fused_attention
// GPU-LABEL: func.func @gradients
// GPU: %[[DELTA:.*]] = pd.sum %{{.*}} {axis = array<i64: 3>} : (tensor<2x4x5x6xf32>) -> tensor<2x4x5xf32>
// GPU: pd.fused_attention_q_grad {{.*}} %[[DELTA]] mask = {{.*}}causal = true
// GPU: pd.fused_attention_kv_grad {{.*}} %[[DELTA]] mask = {{.*}}causal = true
func.func @gradients(%q: tensor<2x5x4x8xf16>, %k: tensor<2x2x7x8xf16>, %v: tensor<2x2x7x6xf16>, %o: tensor<2x4x5x6xf16>,
                     %l: tensor<2x4x5xf32>, %m: tensor<2x1x1x7xf16>, %n: tensor<2xi32>)
    -> (tensor<2x5x4x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>) {
  %0:3 = "pd.fused_attention_grad"(%q, %k, %v, %o, %l, %l, %o, %m, %n) <{causal = true, scale = 0.5,
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>, q_permutation = array<i64: 0, 2, 1, 3>}>
      : (tensor<2x5x4x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>, tensor<2x4x5x6xf16>, tensor<2x4x5xf32>,
         tensor<2x4x5xf32>, tensor<2x4x5x6xf16>, tensor<2x1x1x7xf16>, tensor<2xi32>)
      -> (tensor<2x5x4x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>)
  return %0#0, %0#1, %0#2 : tensor<2x5x4x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>
}

// CHECK-LABEL: func.func @parts
// CHECK: pd.fused_attention_q_grad {{.*}} -> tensor<2x4x5x8xf32>
// CHECK: pd.fused_attention_kv_grad {{.*}} -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
func.func @parts(%q: tensor<2x4x5x8xf32>, %l: tensor<2x4x5xf32>)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) {
  %0 = "pd.fused_attention_q_grad"(%q, %q, %q, %q, %l, %l, %l) <{
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>,
         tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  %1:2 = "pd.fused_attention_kv_grad"(%q, %q, %q, %q, %l, %l, %l) <{
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>,
         tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return %0, %1#0, %1#1 : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
}

// The gradient of a mask that batches or heads share is a sum over them.
// CHECK-LABEL: func.func @scores
// CHECK: pd.fused_attention_score_grad {{.*}} mask = %arg2 {sum_batches = true} {{.*}} -> tensor<1x4x5x5xf32>
// CHECK: pd.fused_attention_score_grad {{.*}} {sum_heads = true} {{.*}} -> tensor<2x1x5x5xf32>
// PLAIN-LABEL: func.func @scores
// PLAIN: pd.sum %{{.*}} {axis = array<i64: 0>, keepdim = true} : (tensor<2x4x5x5xf32>) -> tensor<1x4x5x5xf32>
// PLAIN: pd.sum %{{.*}} {axis = array<i64: 1>, keepdim = true} : (tensor<2x4x5x5xf32>) -> tensor<2x1x5x5xf32>
// GPU-LABEL: func.func @scores
// GPU-COUNT-2: pd.fused_attention_score_grad
func.func @scores(%q: tensor<2x4x5x8xf16>, %l: tensor<2x4x5xf32>, %m: tensor<1x4x5x5xf16>)
    -> (tensor<1x4x5x5xf32>, tensor<2x1x5x5xf32>) {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %l, %l, %l mask = %m {sum_batches = true}
      : (tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5xf32>,
         tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<1x4x5x5xf16>) -> tensor<1x4x5x5xf32>
  %1 = pd.fused_attention_score_grad %q, %q, %q, %q, %l, %l, %l {sum_heads = true}
      : (tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5xf32>,
         tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x1x5x5xf32>
  return %0, %1 : tensor<1x4x5x5xf32>, tensor<2x1x5x5xf32>
}

// The sums of longer rows do not fit into the registers of a thread.
// GPU-LABEL: func.func @long_rows
// GPU-NOT: pd.fused_attention
func.func @long_rows(%q: tensor<2x4x5x136xf32>, %l: tensor<2x4x5xf32>) -> tensor<2x4x5x136xf32> {
  %0 = "pd.fused_attention_q_grad"(%q, %q, %q, %q, %l, %l, %l) <{
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (tensor<2x4x5x136xf32>, tensor<2x4x5x136xf32>, tensor<2x4x5x136xf32>, tensor<2x4x5x136xf32>, tensor<2x4x5xf32>,
         tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x136xf32>
  return %0 : tensor<2x4x5x136xf32>
}

// Dropout of an execution is the formula of pd.dropout with its numbers.
// CHECK-LABEL: func.func @dropout
// CHECK: pd.fused_attention {{.*}} dropout_call = %arg1 dropout_mode = {{ *}}downgrade_in_infer {dropout_p = 1.000000e-01 : f64}
// CHECK: pd.fused_attention_grad {{.*}} dropout_call = %arg1
// PLAIN-LABEL: func.func @dropout
// PLAIN: %[[U:.*]] = pd.uniform seed = %arg1 {dtype = f32, min = 0.000000e+00 : f64, shape = array<i64: 2, 4, 5, 5>}
// PLAIN: %[[K:.*]] = pd.greater_equal %[[U]]
// PLAIN: pd.where %[[K]]
// GPU-LABEL: func.func @dropout
// GPU: pd.fused_attention {{.*}}dropout_call
// GPU: pd.fused_attention_q_grad {{.*}} dropout_call = %arg1 dropout_mode = {{ *}}downgrade_in_infer {{.*}}dropout_p = 1.000000e-01
// GPU: pd.fused_attention_kv_grad {{.*}} dropout_call = %arg1 dropout_mode = {{ *}}downgrade_in_infer {{.*}}dropout_p = 1.000000e-01
func.func @dropout(%q: tensor<2x4x5x8xf32>, %c: tensor<2xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) {
  %0:3 = pd.fused_attention %q, %q, %q dropout_call = %c dropout_mode = downgrade_in_infer {dropout_p = 0.1 : f64}
      : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2xi64>)
      -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  %1:3 = pd.fused_attention_grad %q, %q, %q, %q, %0#1, %0#2, %0#0 dropout_call = %c dropout_mode = downgrade_in_infer
      {dropout_p = 0.1 : f64}
      : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>,
         tensor<2x4x5xf32>, tensor<2x4x5x8xf32>, tensor<2xi64>)
      -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  %2 = pd.add %1#0, %1#1 : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %3 = pd.add %2, %1#2 : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %0#0, %3 : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
}

// The sequence of queries and keys is one factor, which the local form splits.
// CHECK-LABEL: func.func @sequence
// CHECK: pd.fused_attention {{.*}} {ring = true, scale = 5.000000e-01 : f64}
// CHECK: pd.fused_attention_grad {{.*}} {ring = true}
// RULE-LABEL: func.func @sequence
// RULE: pd.fused_attention {{.*}}"([i, j, k, *], [i, j, k, *], [i, j, k, *], [*, *, k, *])->([i, j, k, *], [i, j, k], [i, j, k]) {i=2, j=3, k=8} replicated={k} local={k}"
// RULE: pd.fused_attention_grad {{.*}}"([i, j, k, *], [i, j, k, *], [i, j, k, *], [i, j, k, *], [i, j, k], [i, j, k], [i, j, k, *])->([i, j, k, *], [i, j, k, *], [i, j, k, *]) {i=2, j=3, k=8} replicated={k} local={k}"
func.func @sequence(%q: tensor<2x3x8x4xf32>, %v: tensor<2x3x8x5xf32>, %m: tensor<1x1x8x8xf32>) -> (tensor<2x3x8x5xf32>, tensor<2x3x8x4xf32>) {
  %o, %maximum, %sum = pd.fused_attention %q, %q, %v mask = %m {scale = 0.5 : f64, ring = true}
    : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x5xf32>, tensor<1x1x8x8xf32>) -> (tensor<2x3x8x5xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>)
  %g:3 = pd.fused_attention_grad %q, %q, %v, %o, %maximum, %sum, %o {ring = true}
    : (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x5xf32>, tensor<2x3x8x5xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8x5xf32>)
    -> (tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x5xf32>)
  return %o, %g#0 : tensor<2x3x8x5xf32>, tensor<2x3x8x4xf32>
}

// Queries of another sequence than the keys are split by themselves.
// RULE-LABEL: func.func @cross
// RULE: pd.fused_attention {{.*}}"([*, i, j, *], [*, i, *, *], [*, i, *, *])->([*, i, j, *], [*, i, j], [*, i, j]) {i=2, j=6}"
func.func @cross(%q: tensor<1x2x6x4xf32>, %k: tensor<1x2x8x4xf32>) -> tensor<1x2x6x4xf32> {
  %o, %maximum, %sum = pd.fused_attention %q, %k, %k : (tensor<1x2x6x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> (tensor<1x2x6x4xf32>, tensor<1x2x6xf32>, tensor<1x2x6xf32>)
  return %o : tensor<1x2x6x4xf32>
}

// A causal op is split as its formula.
// RULE-LABEL: func.func @causal
// RULE: pd.fused_attention {{.*}}"([*, i, j, k], [*, i, l, k], [*, i, l, m])->
func.func @causal(%q: tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32> {
  %o, %maximum, %sum = pd.fused_attention %q, %q, %q {causal = true} : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> (tensor<1x2x6x4xf32>, tensor<1x2x6xf32>, tensor<1x2x6xf32>)
  return %o : tensor<1x2x6x4xf32>
}

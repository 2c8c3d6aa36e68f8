// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --cse --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --check-numerics -o /dev/null

// Queries and keys are scaled by the root of the scale each, as PyTorch exports it.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @scaled_operands(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<2x4x7x8xf32>)
// CHECK: pd.fused_attention %arg0, %arg1, %arg1 {scale = 2.500000e-01 : f64}
func.func @scaled_operands(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32> {
  %c = pd.constant dense<0.5> : tensor<f32>
  %qs = pd.multiply %q, %c : (tensor<2x4x5x8xf32>, tensor<f32>) -> tensor<2x4x5x8xf32>
  %kt = pd.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x4x7x8xf32>) -> tensor<2x4x8x7xf32>
  %ks = pd.multiply %kt, %c : (tensor<2x4x8x7xf32>, tensor<f32>) -> tensor<2x4x8x7xf32>
  %s = pd.matmul %qs, %ks : (tensor<2x4x5x8xf32>, tensor<2x4x8x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %s : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %k : (tensor<2x4x5x7xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// The scores are divided after the product, and a mask is added before they are scaled again.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @scaled_mask(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<5x5xf32>)
// CHECK: %[[RAISED:.*]] = pd.reshape %arg1 {{.*}} -> tensor<1x1x5x5xf32>
// CHECK: %[[MASK:.*]] = pd.scale %[[RAISED]] {{.*}}scale = 2.000000e+00
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]] {scale = 5.000000e-01 : f64}
func.func @scaled_mask(%q: tensor<2x4x5x8xf32>, %m: tensor<5x5xf32>) -> tensor<2x4x5x8xf32> {
  %four = pd.constant dense<4.0> : tensor<f32>
  %two = pd.constant dense<2.0> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %d = pd.divide %s, %four : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %m, %d : (tensor<5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.multiply %a, %two : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %t : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// A condition selects the scores, else the lowest float.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @condition(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<1x1x5x5xi1>)
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {mask_fill = -3.4028234{{.*}}E+38 : f64, scale = 5.000000e-01 : f64}
func.func @condition(%q: tensor<2x4x5x8xf32>, %c: tensor<1x1x5x5xi1>) -> tensor<2x4x5x8xf32> {
  %half = pd.constant dense<0.5> : tensor<f32>
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %t = pd.multiply %s, %half : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %t, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// masked_fill after the addition of another mask, which has no influence where the number is filled in.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @filled(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<2x1x1x5xi1>, %arg2: tensor<2x1x1x5xf32>)
// CHECK: %[[MASK:.*]] = pd.where %arg1, %{{.*}}, %arg2
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]]
func.func @filled(%q: tensor<2x4x5x8xf32>, %c: tensor<2x1x1x5xi1>, %m: tensor<2x1x1x5xf32>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %m : (tensor<2x4x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %low, %a : (tensor<2x1x1x5xi1>, tensor<f32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// A row that -1e4 fills has equal weights: the mask stays a condition.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @small_fill
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {mask_fill = -1.000000e+04 : f64}
// CHECK-NOT: pd.softmax
func.func @small_fill(%q: tensor<2x4x5x8xf32>, %c: tensor<1x1x5x5xi1>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %s, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Near miss: scores that are added where a row is filled with -1e4 change the weights.
// REMARK: it has other masks than a condition that selects its scores
// CHECK-LABEL: func.func @two_masks
// CHECK-NOT: pd.fused_attention
func.func @two_masks(%q: tensor<2x4x5x8xf32>, %c: tensor<1x1x5x5xi1>, %b: tensor<1x4x5x5xf32>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %b : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %a, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// REMARK: a condition selects between its scores and a tensor
// CHECK-LABEL: func.func @tensor_fill
// CHECK-NOT: pd.fused_attention
func.func @tensor_fill(%q: tensor<2x4x5x8xf32>, %c: tensor<1x1x5x5xi1>, %f: tensor<1x1x1x5xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %s, %f : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<1x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// REMARK: it has no heads
// CHECK-LABEL: func.func @matrices
// CHECK-NOT: pd.fused_attention
func.func @matrices(%q: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x5xf32>
  %p = pd.softmax %s : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %o = pd.matmul %p, %q : (tensor<5x5xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
  return %o : tensor<5x8xf32>
}

// -----

// Windows of an image as Swin has them: a bias of positions, then a mask of windows that other batch dims hold.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @windows(%arg0: tensor<6x4x5x8xf32>, %arg1: tensor<1x4x5x5xf32>, %arg2: tensor<3x1x5x5xf32>)
// CHECK-NOT: pd.softmax
func.func @windows(%q: tensor<6x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %m: tensor<3x1x5x5xf32>) -> tensor<6x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<6x4x5x8xf32>, tensor<6x4x5x8xf32>) -> tensor<6x4x5x5xf32>
  %t = pd.add %s, %b : (tensor<6x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<6x4x5x5xf32>
  %r = pd.reshape %t {shape = array<i64: 1, 6, 4, 5, 5>} : (tensor<6x4x5x5xf32>) -> tensor<1x6x4x5x5xf32>
  %w = pd.tile %m {repeat_times = array<i64: 2, 1, 1, 1>} : (tensor<3x1x5x5xf32>) -> tensor<6x1x5x5xf32>
  %x = pd.reshape %w {shape = array<i64: 1, 6, 1, 5, 5>} : (tensor<6x1x5x5xf32>) -> tensor<1x6x1x5x5xf32>
  %a = pd.add %r, %x : (tensor<1x6x4x5x5xf32>, tensor<1x6x1x5x5xf32>) -> tensor<1x6x4x5x5xf32>
  %u = pd.reshape %a {shape = array<i64: 6, 4, 5, 5>} : (tensor<1x6x4x5x5xf32>) -> tensor<6x4x5x5xf32>
  %p = pd.softmax %u : (tensor<6x4x5x5xf32>) -> tensor<6x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<6x4x5x5xf32>, tensor<6x4x5x8xf32>) -> tensor<6x4x5x8xf32>
  return %o : tensor<6x4x5x8xf32>
}

// -----

// The mask repeats along one of two dims that the batch consists of.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @parts_of_batches(%arg0: tensor<6x4x5x8xf32>, %arg1: tensor<1x3x1x5x5xf32>)
// CHECK: pd.expand %arg1 {{.*}} -> tensor<2x3x1x5x5xf32>
// CHECK: %[[MASK:.*]] = pd.reshape %{{.*}} -> tensor<6x1x5x5xf32>
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]]
func.func @parts_of_batches(%q: tensor<6x4x5x8xf32>, %m: tensor<1x3x1x5x5xf32>) -> tensor<6x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<6x4x5x8xf32>, tensor<6x4x5x8xf32>) -> tensor<6x4x5x5xf32>
  %r = pd.reshape %s {shape = array<i64: 2, 3, 4, 5, 5>} : (tensor<6x4x5x5xf32>) -> tensor<2x3x4x5x5xf32>
  %a = pd.add %r, %m : (tensor<2x3x4x5x5xf32>, tensor<1x3x1x5x5xf32>) -> tensor<2x3x4x5x5xf32>
  %u = pd.reshape %a {shape = array<i64: 6, 4, 5, 5>} : (tensor<2x3x4x5x5xf32>) -> tensor<6x4x5x5xf32>
  %p = pd.softmax %u : (tensor<6x4x5x5xf32>) -> tensor<6x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<6x4x5x5xf32>, tensor<6x4x5x8xf32>) -> tensor<6x4x5x8xf32>
  return %o : tensor<6x4x5x8xf32>
}

// -----

// Its dims are not parts of batch and heads.
// REMARK: a mask does not broadcast to the scores
// CHECK-LABEL: func.func @other_parts
// CHECK-NOT: pd.fused_attention
func.func @other_parts(%q: tensor<6x4x5x8xf32>, %m: tensor<8x3x5x5xf32>) -> tensor<6x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<6x4x5x8xf32>, tensor<6x4x5x8xf32>) -> tensor<6x4x5x5xf32>
  %r = pd.reshape %s {shape = array<i64: 8, 3, 5, 5>} : (tensor<6x4x5x5xf32>) -> tensor<8x3x5x5xf32>
  %a = pd.add %r, %m : (tensor<8x3x5x5xf32>, tensor<8x3x5x5xf32>) -> tensor<8x3x5x5xf32>
  %u = pd.reshape %a {shape = array<i64: 6, 4, 5, 5>} : (tensor<8x3x5x5xf32>) -> tensor<6x4x5x5xf32>
  %p = pd.softmax %u : (tensor<6x4x5x5xf32>) -> tensor<6x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<6x4x5x5xf32>, tensor<6x4x5x8xf32>) -> tensor<6x4x5x8xf32>
  return %o : tensor<6x4x5x8xf32>
}

// -----

// Products of batch and heads in one dim, a mask where they are two: OPT and BART of PyTorch.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @merged_heads(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<2x1x5x5xf32>)
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1
func.func @merged_heads(%x: tensor<2x4x5x8xf32>, %m: tensor<2x1x5x5xf32>) -> tensor<8x5x8xf32> {
  %q = pd.reshape %x {shape = array<i64: 8, 5, 8>} : (tensor<2x4x5x8xf32>) -> tensor<8x5x8xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<8x5x8xf32>, tensor<8x5x8xf32>) -> tensor<8x5x5xf32>
  %r = pd.reshape %s {shape = array<i64: 2, 4, 5, 5>} : (tensor<8x5x5xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %r, %m : (tensor<2x4x5x5xf32>, tensor<2x1x5x5xf32>) -> tensor<2x4x5x5xf32>
  %u = pd.reshape %a {shape = array<i64: 8, 5, 5>} : (tensor<2x4x5x5xf32>) -> tensor<8x5x5xf32>
  %p = pd.softmax %u : (tensor<8x5x5xf32>) -> tensor<8x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<8x5x5xf32>, tensor<8x5x8xf32>) -> tensor<8x5x8xf32>
  return %o : tensor<8x5x8xf32>
}

// -----

// A condition of the keys, which the program reads, after a bias of heads and positions: kernels read both.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @key_condition(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<1x4x5x5xf32>, %arg2: tensor<2x1x1x5xi1>)
// CHECK-NOT: pd.where
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 key_mask = %arg2 {mask_fill = -1.000000e+04 : f64} :
func.func @key_condition(%q: tensor<2x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %c: tensor<2x1x1x5xi1>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %b : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %a, %low : (tensor<2x1x1x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// The condition selects before the bias is added: it is an addend of the keys.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @key_condition_first(
// CHECK: %[[KEYS:.*]] = pd.where %arg2, {{.*}} -> tensor<2x1x1x5xf32>
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 key_mask = %[[KEYS]] :
func.func @key_condition_first(%q: tensor<2x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %c: tensor<2x1x1x5xi1>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %s, %low : (tensor<2x1x1x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %w, %b : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %a : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// A mask of the keys that is added, beside a bias that is scaled with it, as T5 has them.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @key_addend(
// CHECK-NOT: pd.add
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 key_mask = %arg2 :
func.func @key_addend(%q: tensor<2x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %m: tensor<2x1x1x5xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %b : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.add %a, %m : (tensor<2x4x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// A bias and a mask of keys that the program adds first, as PyTorch exports T5, once for all layers.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @sum_of_masks(
// CHECK-NOT: pd.add
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 key_mask = %arg2 :
func.func @sum_of_masks(%q: tensor<2x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %m: tensor<2x1x1x5xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %b, %m : (tensor<1x4x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.add %s, %a : (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// A condition of all scores, which the program reads, after a mask of the keys.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @score_condition(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 key_mask = %arg2 {mask_fill = -1.000000e+04 : f64} :
func.func @score_condition(%q: tensor<2x4x5x8xf32>, %c: tensor<1x1x5x5xi1>, %m: tensor<2x1x1x5xf32>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %m : (tensor<2x4x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %a, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// The numbers of a mask of keys are too small to change the number of a condition after it.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @three_masks_of_bounds(
// CHECK: %[[KEYS:.*]] = pd.scale {{.*}} -> tensor<2x1x1x5xf32>
// CHECK: %[[MASK:.*]] = pd.where %arg3, %arg1, {{.*}} -> tensor<1x4x5x5xf32>
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]] key_mask = %[[KEYS]] :
func.func @three_masks_of_bounds(%q: tensor<2x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %n: tensor<2x1x1x5xi1>, %c: tensor<1x1x5x5xi1>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %f = pd.cast %n {dtype = f32} : (tensor<2x1x1x5xi1>) -> tensor<2x1x1x5xf32>
  %m = pd.scale %f {scale = -1.0E+4 : f64} : (tensor<2x1x1x5xf32>) -> tensor<2x1x1x5xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %b : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %d = pd.add %a, %m : (tensor<2x4x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %d, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Near miss: the number of the condition is not added to a mask of keys, which may be as low, and the op has no third
// mask. A query without keys has equal weights.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @three_masks(
// CHECK: %[[SUM:.*]] = pd.add %arg1, %arg2 {{.*}} -> tensor<2x4x5x5xf32>
// CHECK: %[[MASK:.*]] = pd.where %arg3, %[[SUM]], {{.*}} -> tensor<2x4x5x5xf32>
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]] :
func.func @three_masks(%q: tensor<2x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %m: tensor<2x1x1x5xf32>, %c: tensor<1x1x5x5xi1>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %b : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %d = pd.add %a, %m : (tensor<2x4x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %d, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Minus infinity stays what it is, whatever is added.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @infinite_condition(
// CHECK: %[[MASK:.*]] = pd.where %arg3, %arg1, {{.*}} -> tensor<1x4x5x5xf32>
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]] key_mask = %arg2 :
func.func @infinite_condition(%q: tensor<2x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %m: tensor<2x1x1x5xf32>, %c: tensor<1x1x5x5xi1>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<0xFF800000> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %b : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %d = pd.add %a, %m : (tensor<2x4x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %d, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Near miss: two masks that both differ by query are added.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @query_masks(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<1x4x5x5xf32>, %arg2: tensor<2x1x5x5xf32>)
// CHECK: %[[MASK:.*]] = pd.add
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]] :
func.func @query_masks(%q: tensor<2x4x5x8xf32>, %b: tensor<1x4x5x5xf32>, %c: tensor<2x1x5x5xf32>) -> tensor<2x4x5x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %b : (tensor<2x4x5x5xf32>, tensor<1x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.add %a, %c : (tensor<2x4x5x5xf32>, tensor<2x1x5x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Near miss: a condition whose number is not far below the scores, before a mask that is added.
// REMARK: it has other masks than a condition that selects its scores and one mask of keys
// CHECK-LABEL: func.func @early_condition(
// CHECK-NOT: pd.fused_attention
func.func @early_condition(%q: tensor<2x4x5x8xf32>, %c: tensor<1x1x5x5xi1>, %m: tensor<2x1x1x5xf32>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %s, %low : (tensor<1x1x5x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %w, %m : (tensor<2x4x5x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %a : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// RUN: proa-opt %s --pd-form-attention=target=mesh --canonicalize --cse --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=mesh --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: proa-opt %s --pd-form-attention=target=mesh --split-input-file --check-numerics -o /dev/null

// Devices read a mask of keys beside another mask, as one device does.
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

// A condition with any number, which may have a gradient.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @condition(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {mask_fill = -1.000000e+04 : f64} :
func.func @condition(%q: tensor<2x4x5x8xf32>, %c: tensor<2x1x1x5xi1>) -> tensor<2x4x5x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %w = pd.where %c, %s, %low : (tensor<2x1x1x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %w : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Near miss: the number of the condition is not far below the scores, and a mask is added after it.
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

// RUN: proa-opt %s --pd-form-attention=target=cpu --canonicalize --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=cpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: not proa-opt %s --pd-form-attention=target=tpu --split-input-file 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: Cannot find option named 'tpu'!

// Sixteen queries fill the vectors of the kernel.
// REMARK: pd.matmul is the end of an attention: it has 16 queries, and its kernels compute 16 at a time
// CHECK-LABEL: func.func @queries
// CHECK: pd.fused_attention
func.func @queries(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x5x8xf32>) -> tensor<2x4x16x8xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x16x5xf32>
  %p = pd.softmax %s : (tensor<2x4x16x5xf32>) -> tensor<2x4x16x5xf32>
  %o = pd.matmul %p, %k : (tensor<2x4x16x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// REMARK: it has 15 queries, and its kernels compute 16 at a time
// CHECK-LABEL: func.func @few_queries
// CHECK-NOT: pd.fused_attention
func.func @few_queries(%q: tensor<2x4x15x8xf32>, %k: tensor<2x4x5x8xf32>) -> tensor<2x4x15x8xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x15x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x15x5xf32>
  %p = pd.softmax %s : (tensor<2x4x15x5xf32>) -> tensor<2x4x15x5xf32>
  %o = pd.matmul %p, %k : (tensor<2x4x15x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x15x8xf32>
  return %o : tensor<2x4x15x8xf32>
}

// -----

// CHECK-LABEL: func.func @halves
// CHECK: pd.fused_attention
func.func @halves(%q: tensor<2x4x16x8xf16>) -> tensor<2x4x16x8xf16> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf16>, tensor<2x4x16x8xf16>) -> tensor<2x4x16x16xf16>
  %p = pd.softmax %s : (tensor<2x4x16x16xf16>) -> tensor<2x4x16x16xf16>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf16>, tensor<2x4x16x8xf16>) -> tensor<2x4x16x8xf16>
  return %o : tensor<2x4x16x8xf16>
}

// -----

// REMARK: the kernels of the CPU compute in float32
// CHECK-LABEL: func.func @doubles
// CHECK-NOT: pd.fused_attention
func.func @doubles(%q: tensor<2x4x16x8xf64>) -> tensor<2x4x16x8xf64> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf64>, tensor<2x4x16x8xf64>) -> tensor<2x4x16x16xf64>
  %p = pd.softmax %s : (tensor<2x4x16x16xf64>) -> tensor<2x4x16x16xf64>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf64>, tensor<2x4x16x8xf64>) -> tensor<2x4x16x8xf64>
  return %o : tensor<2x4x16x8xf64>
}

// -----

// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @dropout
// CHECK: %[[CALL:.*]] = rt.random_call
// CHECK: pd.fused_attention {{.*}}dropout_call = %[[CALL]]
// CHECK-NOT: pd.softmax
func.func @dropout(%q: tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %s : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %d, %m = pd.dropout %p mode = upscale_in_train {p = 0.5 : f64} : (tensor<2x4x16x16xf32>) -> (tensor<2x4x16x16xf32>, tensor<2x4x16x16xui8>)
  %o = pd.matmul %d, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// A row that -1e4 fills has equal weights: the mask stays a condition. The number is scaled as the scores are.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @fill(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {mask_fill = -5.000000e+03 : f64, scale = 5.000000e-01 : f64} {{.*}}tensor<1x1x16x16xi1>
// CHECK-NOT: pd.softmax
func.func @fill(%q: tensor<2x4x16x8xf32>, %c: tensor<1x1x16x16xi1>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %half = pd.constant dense<0.5> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %w = pd.where %c, %s, %low : (tensor<1x1x16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %t = pd.multiply %w, %half : (tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %t : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// The lowest float too, although it could be added.
// CHECK-LABEL: func.func @lowest(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {mask_fill = -3.4028234663852886E+38 : f64}
func.func @lowest(%q: tensor<2x4x16x8xf32>, %c: tensor<1x1x16x16xi1>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %w = pd.where %c, %s, %low : (tensor<1x1x16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %w : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// masked_fill of PyTorch selects the number where the mask is true.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @masked_fill
// CHECK: %[[NOT:.*]] = pd.logical_not %arg1
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[NOT]] {mask_fill = -6.550400e+04 : f64}
func.func @masked_fill(%q: tensor<2x4x16x8xf16>, %c: tensor<2x1x1x16xi1>) -> tensor<2x4x16x8xf16> {
  %low = pd.constant dense<-65504.0> : tensor<f16>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf16>, tensor<2x4x16x8xf16>) -> tensor<2x4x16x16xf16>
  %w = pd.where %c, %low, %s : (tensor<2x1x1x16xi1>, tensor<f16>, tensor<2x4x16x16xf16>) -> tensor<2x4x16x16xf16>
  %p = pd.softmax %w : (tensor<2x4x16x16xf16>) -> tensor<2x4x16x16xf16>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf16>, tensor<2x4x16x8xf16>) -> tensor<2x4x16x8xf16>
  return %o : tensor<2x4x16x8xf16>
}

// -----

// REMARK: it has other masks than a condition that selects its scores
// CHECK-LABEL: func.func @two_masks
// CHECK-NOT: pd.fused_attention
func.func @two_masks(%q: tensor<2x4x16x8xf32>, %c: tensor<1x1x16x16xi1>, %b: tensor<1x4x16x16xf32>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %b : (tensor<2x4x16x16xf32>, tensor<1x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %w = pd.where %c, %a, %low : (tensor<1x1x16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %w : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// The gradient of the scores is not zero where the number replaces them.
// REMARK: a condition selects its scores, but not their gradient
// CHECK-LABEL: func.func @unselected
// CHECK-NOT: pd.fused_attention
func.func @unselected(%q: tensor<2x4x16x8xf32>, %c: tensor<1x1x16x16xi1>, %g: tensor<2x4x16x8xf32>) -> (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %w = pd.where %c, %s, %low : (tensor<1x1x16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %w : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  %dv = pd.matmul %p, %g {transpose_x = true} : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  %dp = pd.matmul %g, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %m = pd.multiply %dp, %p : (tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %t = pd.sum %m {axis = array<i64: 3>, keepdim = true} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x1xf32>
  %u = pd.subtract %dp, %t : (tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
  %ds = pd.multiply %u, %p : (tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %dq = pd.matmul %ds, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o, %dq, %dv : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>
}

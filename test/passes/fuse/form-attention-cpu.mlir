// RUN: proa-opt %s --pd-form-attention=target=cpu --canonicalize --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=cpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: not proa-opt %s --pd-form-attention=target=tpu --split-input-file 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: expected the target 'cpu', 'gpu' or 'onnx', or none, found 'tpu'

// Sixteen queries fill the vectors of the kernel.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @queries
// CHECK: pd.fused_attention
func.func @queries(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x5x8xf32>) -> tensor<2x4x16x8xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x16x5xf32>
  %p = pd.softmax %s : (tensor<2x4x16x5xf32>) -> tensor<2x4x16x5xf32>
  %o = pd.matmul %p, %k : (tensor<2x4x16x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// REMARK: it has few queries
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

// REMARK: the kernel of the CPU computes in float32
// CHECK-LABEL: func.func @doubles
// CHECK-NOT: pd.fused_attention
func.func @doubles(%q: tensor<2x4x16x8xf64>) -> tensor<2x4x16x8xf64> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf64>, tensor<2x4x16x8xf64>) -> tensor<2x4x16x16xf64>
  %p = pd.softmax %s : (tensor<2x4x16x16xf64>) -> tensor<2x4x16x16xf64>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf64>, tensor<2x4x16x8xf64>) -> tensor<2x4x16x8xf64>
  return %o : tensor<2x4x16x8xf64>
}

// -----

// REMARK: the kernel of the CPU has no gradient and no dropout
// CHECK-LABEL: func.func @dropout
// CHECK-NOT: pd.fused_attention
func.func @dropout(%q: tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %s : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %d, %m = pd.dropout %p mode = upscale_in_train {p = 0.5 : f64} : (tensor<2x4x16x16xf32>) -> (tensor<2x4x16x16xf32>, tensor<2x4x16x16xui8>)
  %o = pd.matmul %d, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

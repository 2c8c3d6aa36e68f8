// RUN: proa-opt %s --split-input-file --pd-form-attention=target=cpu --canonicalize --cse | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-form-attention=target=cpu --remarks=pd-form-attention -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: proa-opt %s --split-input-file --pd-form-attention=target=onnx | FileCheck %s --check-prefix=ONNX

// As Gemma 2 exports it: scores over 50, tanh, times 50, plus a mask, with the softmax in float32.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @cap(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {scale = 5.000000e-01 : f64, soft_cap = 5.000000e+01 : f64}
// CHECK-NOT: pd.tanh
// ONNX-LABEL: func.func @cap(
// ONNX: pd.fused_attention {{.*}}soft_cap = 5.000000e+01 : f64
func.func @cap(%q: tensor<2x4x16x8xbf16>, %m: tensor<2x1x16x16xbf16>) -> tensor<2x4x16x8xbf16> {
  %cap = pd.constant dense<50.0> : tensor<bf16>
  %half = pd.constant dense<0.5> : tensor<bf16>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xbf16>, tensor<2x4x16x8xbf16>) -> tensor<2x4x16x16xbf16>
  %t = pd.multiply %s, %half : (tensor<2x4x16x16xbf16>, tensor<bf16>) -> tensor<2x4x16x16xbf16>
  %u = pd.divide %t, %cap : (tensor<2x4x16x16xbf16>, tensor<bf16>) -> tensor<2x4x16x16xbf16>
  %h = pd.tanh %u : (tensor<2x4x16x16xbf16>) -> tensor<2x4x16x16xbf16>
  %c = pd.multiply %h, %cap : (tensor<2x4x16x16xbf16>, tensor<bf16>) -> tensor<2x4x16x16xbf16>
  %a = pd.add %c, %m : (tensor<2x4x16x16xbf16>, tensor<2x1x16x16xbf16>) -> tensor<2x4x16x16xbf16>
  %w = pd.cast %a {dtype = f32} : (tensor<2x4x16x16xbf16>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %w : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %n = pd.cast %p {dtype = bf16} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xbf16>
  %o = pd.matmul %n, %q : (tensor<2x4x16x16xbf16>, tensor<2x4x16x8xbf16>) -> tensor<2x4x16x8xbf16>
  return %o : tensor<2x4x16x8xbf16>
}

// -----

// The bound is the factor after tanh, whatever that before it is. A negative one changes the sign of the scores.
// CHECK-LABEL: func.func @factors(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {mask_fill = -1.000000e+04 : f64, scale = -7.500000e-01 : f64, soft_cap = 3.000000e+00 : f64}
func.func @factors(%q: tensor<2x4x16x8xf32>, %m: tensor<2x1x1x16xi1>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %u = pd.scale %s {scale = 0.25 : f64} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %h = pd.tanh %u : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %c = pd.scale %h {scale = -3.0 : f64} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.where %m, %c, %low : (tensor<2x1x1x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// The mask is bounded too.
// REMARK: pd.matmul is not the end of an attention: a mask is added to its scores before a soft cap
// CHECK-LABEL: func.func @mask_before(
// CHECK-NOT: pd.fused_attention
func.func @mask_before(%q: tensor<2x4x16x8xf32>, %m: tensor<2x1x1x16xf32>) -> tensor<2x4x16x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %m : (tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
  %h = pd.tanh %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %c = pd.scale %h {scale = 30.0 : f64} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %c : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// REMARK: pd.matmul is not the end of an attention: several soft caps, or one of zero, bound its scores
// CHECK-LABEL: func.func @twice(
// CHECK-NOT: pd.fused_attention
func.func @twice(%q: tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32> {
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %h = pd.tanh %s : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %t = pd.tanh %h : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %t : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

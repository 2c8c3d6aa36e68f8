// RUN: proa-opt %s --pd-vjp=function=f --pd-vjp=function=bias --cse --canonicalize -o %t.mlir
// RUN: proa-opt %t.mlir --pd-form-attention=target=gpu --canonicalize --cse | FileCheck %s
// RUN: sed 's/pd.multiply %\([a-z_0-9]*\), %\([a-z_0-9]*\) : (tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>)/pd.add %\1, %\2 : (tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>)/' %t.mlir \
// RUN:   | proa-opt --pd-form-attention=target=gpu --remarks=pd-form-attention -o %t.other 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=OTHER < %t.other

// The gradient that proa derives of an attention with a soft cap. With other ops than its derivative it is none.
// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %[[MAX:[a-z_0-9]+]], %[[SUM:[a-z_0-9]+]] = pd.fused_attention %arg0, %arg1, %arg2 {scale = 5.000000e-01 : f64, soft_cap = 2.000000e+00 : f64}
// CHECK: pd.fused_attention_grad %arg0, %arg1, %arg2, %arg3, %[[MAX]], %[[SUM]], %[[OUT]] {scale = 5.000000e-01 : f64, soft_cap = 2.000000e+00 : f64}
// CHECK-NOT: pd.softmax
// CHECK-NOT: pd.tanh
// CHECK: return
// REMARK: pd.matmul is not the end of an attention
// OTHER-LABEL: func.func
// OTHER-NOT: pd.fused_attention_grad
func.func @f(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %t = pd.scale %s {scale = 0.25 : f64} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %h = pd.tanh %t : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %c = pd.scale %h {scale = 2.0 : f64} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %c : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// The gradient of a bias, which is added after the soft cap, does not have its derivative.
// CHECK-LABEL: func.func @bias_vjp
// CHECK: pd.fused_attention {{.*}}soft_cap
// CHECK: pd.fused_attention_grad {{.*}}soft_cap
// CHECK: pd.fused_attention_score_grad {{.*}}soft_cap = 2.000000e+00 : f64, sum_batches = true
// CHECK-NOT: pd.tanh
// CHECK: return
func.func @bias(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %b: tensor<4x5x7xf32>) -> tensor<2x4x5x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>) -> tensor<2x4x5x7xf32>
  %t = pd.scale %s {scale = 0.25 : f64} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %h = pd.tanh %t : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %c = pd.scale %h {scale = 2.0 : f64} : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %a = pd.add %c, %b : (tensor<2x4x5x7xf32>, tensor<4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %p = pd.softmax %a : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x5x7xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %o : tensor<2x4x5x6xf32>
}

// RUN: proa-opt %s --pd-vjp=function=f --pd-vjp=function=condition --pd-vjp=function=bias --pd-vjp=function=few \
// RUN:   --pd-vjp=function=short --cse --canonicalize --pd-form-attention=target=cpu --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: proa-opt %t.mlir --pd-decompose=target=cpu | FileCheck %s --check-prefix=LIBRARY
// RUN: proa-opt %s --pd-vjp=function=short --cse --canonicalize --pd-form-attention=target=cpu \
// RUN:   --remarks=pd-form-attention -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The gradient that proa derives of an attention. The CPU has a library kernel of it.
// CHECK-LABEL: func.func @f_vjp
// CHECK: %[[OUT:[a-z_0-9]+]], %[[MAX:[a-z_0-9]+]], %[[SUM:[a-z_0-9]+]] = pd.fused_attention %arg0, %arg1, %arg2
// CHECK: pd.fused_attention_grad %arg0, %arg1, %arg2, %arg3, %[[MAX]], %[[SUM]], %[[OUT]]
// CHECK-NOT: pd.softmax
// CHECK: return
// LIBRARY-LABEL: func.func @f_vjp
// LIBRARY: pd.fused_attention_grad
func.func @f(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x112x8xf32>, %v: tensor<2x4x112x6xf32>) -> tensor<2x4x16x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x112x8xf32>) -> tensor<2x4x16x112xf32>
  %t = pd.scale %s {scale = 0.5 : f64} : (tensor<2x4x16x112xf32>) -> tensor<2x4x16x112xf32>
  %p = pd.softmax %t : (tensor<2x4x16x112xf32>) -> tensor<2x4x16x112xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x16x112xf32>, tensor<2x4x112x6xf32>) -> tensor<2x4x16x6xf32>
  return %o : tensor<2x4x16x6xf32>
}

// The gradient of a score that a number replaces is zero, so the mask is a condition for any number.
// CHECK-LABEL: func.func @condition_vjp
// CHECK: pd.fused_attention %arg0, %arg1, %arg2 mask = %[[MASK:[a-z_0-9]+]] {mask_fill = -1.0{{[0-9]*}}E+32 : f64
// CHECK: pd.fused_attention_grad {{.*}} mask = %[[MASK]] {mask_fill = -1.0{{[0-9]*}}E+32 : f64
// CHECK-NOT: pd.softmax
// CHECK: return
func.func @condition(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x112x8xf32>, %v: tensor<2x4x112x6xf32>, %c: tensor<2x1x1x112xi1>) -> tensor<2x4x16x6xf32> {
  %low = pd.constant dense<-1.0E+32> : tensor<f32>
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x112x8xf32>) -> tensor<2x4x16x112xf32>
  %t = pd.scale %s {scale = 0.5 : f64} : (tensor<2x4x16x112xf32>) -> tensor<2x4x16x112xf32>
  %w = pd.where %c, %t, %low : (tensor<2x1x1x112xi1>, tensor<2x4x16x112xf32>, tensor<f32>) -> tensor<2x4x16x112xf32>
  %p = pd.softmax %w : (tensor<2x4x16x112xf32>) -> tensor<2x4x16x112xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x16x112xf32>, tensor<2x4x112x6xf32>) -> tensor<2x4x16x6xf32>
  return %o : tensor<2x4x16x6xf32>
}

// A bias of positions that all batches share has a gradient: a kernel sums over the batches.
// CHECK-LABEL: func.func @bias_vjp
// CHECK: pd.fused_attention_grad
// CHECK: pd.fused_attention_score_grad {{.*}}sum_batches = true
// LIBRARY-LABEL: func.func @bias_vjp
// LIBRARY: pd.fused_attention_score_grad
func.func @bias(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x112x8xf32>, %v: tensor<2x4x112x6xf32>, %b: tensor<1x4x16x112xf32>) -> tensor<2x4x16x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x112x8xf32>) -> tensor<2x4x16x112xf32>
  %a = pd.add %s, %b : (tensor<2x4x16x112xf32>, tensor<1x4x16x112xf32>) -> tensor<2x4x16x112xf32>
  %p = pd.softmax %a : (tensor<2x4x16x112xf32>) -> tensor<2x4x16x112xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x16x112xf32>, tensor<2x4x112x6xf32>) -> tensor<2x4x16x6xf32>
  return %o : tensor<2x4x16x6xf32>
}

// CHECK-LABEL: func.func @few_vjp
// CHECK-NOT: pd.fused_attention
// CHECK: return
func.func @few(%q: tensor<2x4x15x8xf32>, %k: tensor<2x4x112x8xf32>, %v: tensor<2x4x112x6xf32>) -> tensor<2x4x15x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x15x8xf32>, tensor<2x4x112x8xf32>) -> tensor<2x4x15x112xf32>
  %p = pd.softmax %s : (tensor<2x4x15x112xf32>) -> tensor<2x4x15x112xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x15x112xf32>, tensor<2x4x112x6xf32>) -> tensor<2x4x15x6xf32>
  return %o : tensor<2x4x15x6xf32>
}

// REMARK: it has a gradient and 96 keys: by estimate its kernels take 300 ns for the rows of a query besides the matmuls, and separate kernels 269 ns for its scores
// CHECK-LABEL: func.func @short_vjp
// CHECK-NOT: pd.fused_attention
func.func @short(%q: tensor<2x4x96x8xf32>, %k: tensor<2x4x96x8xf32>, %v: tensor<2x4x96x6xf32>) -> tensor<2x4x96x6xf32> {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x96x8xf32>, tensor<2x4x96x8xf32>) -> tensor<2x4x96x96xf32>
  %p = pd.softmax %s : (tensor<2x4x96x96xf32>) -> tensor<2x4x96x96xf32>
  %o = pd.matmul %p, %v : (tensor<2x4x96x96xf32>, tensor<2x4x96x6xf32>) -> tensor<2x4x96x6xf32>
  return %o : tensor<2x4x96x6xf32>
}

// RUN: proa-opt --pd-form-kernels=target=gpu-blas %s | FileCheck %s

// CUDA's library multiplies large matrices, except those that are stored in 8 bits: it would read wider copies of them.
// CHECK-LABEL: func @bytes
// CHECK-NEXT: call @kernel{{.*}} {proa.kernel_call = #proa.kernel_call<label = "transpose+cast+cast+matmul">}
// CHECK-NEXT: return
func.func @bytes(%x: tensor<1024x1024xf8E4M3FN>, %y: tensor<1024x1024xf8E5M2>) -> tensor<1024x1024xf32> {
  %t = pd.transpose %y {perm = array<i64: 1, 0>} : (tensor<1024x1024xf8E5M2>) -> tensor<1024x1024xf8E5M2>
  %a = pd.cast %x {dtype = f32} : (tensor<1024x1024xf8E4M3FN>) -> tensor<1024x1024xf32>
  %b = pd.cast %t {dtype = f32} : (tensor<1024x1024xf8E5M2>) -> tensor<1024x1024xf32>
  %p = pd.matmul %a, %b : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %p : tensor<1024x1024xf32>
}

// Near misses: one operand of 16 bits, and a wide copy with another use.
// CHECK-LABEL: func @wider
// CHECK-COUNT-2: pd.matmul
func.func @wider(%x: tensor<1024x1024xf8E4M3FN>, %y: tensor<1024x1024xf16>)
    -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %a = pd.cast %x {dtype = f32} : (tensor<1024x1024xf8E4M3FN>) -> tensor<1024x1024xf32>
  %b = pd.cast %y {dtype = f32} : (tensor<1024x1024xf16>) -> tensor<1024x1024xf32>
  %p = pd.matmul %a, %b : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %c = pd.cast %x {dtype = f32} : (tensor<1024x1024xf8E4M3FN>) -> tensor<1024x1024xf32>
  %d = pd.cast %x {dtype = f32} : (tensor<1024x1024xf8E4M3FN>) -> tensor<1024x1024xf32>
  %q = pd.matmul %c, %d : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %p, %q, %d : tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// Which ops one kernel computes, and by which strategy, follows the facts of the module.
// RUN: proa-opt %s --split-input-file --pd-form-kernels=target=gpu-blas | FileCheck %s

// A row of 100,000 terms takes longer than a second kernel: several blocks compute its sum, another kernel divides.
// CHECK-LABEL: func.func @long_row
// CHECK-COUNT-2: call @
func.func @long_row(%x: tensor<4x100000xf32>) -> tensor<4x100000xf32> {
  %0 = pd.sum %x {axis = array<i64: 1>, keepdim = true} : (tensor<4x100000xf32>) -> tensor<4x1xf32>
  %1 = pd.divide %x, %0 : (tensor<4x100000xf32>, tensor<4x1xf32>) -> tensor<4x100000xf32>
  return %1 : tensor<4x100000xf32>
}

// -----
// CHECK-LABEL: func.func @slow_launch
// CHECK-COUNT-1: call @
// CHECK-NOT: call @
// CHECK: return
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {step_nanoseconds = 10000}>} {
func.func @slow_launch(%x: tensor<4x100000xf32>) -> tensor<4x100000xf32> {
  %0 = pd.sum %x {axis = array<i64: 1>, keepdim = true} : (tensor<4x100000xf32>) -> tensor<4x1xf32>
  %1 = pd.divide %x, %0 : (tensor<4x100000xf32>, tensor<4x1xf32>) -> tensor<4x100000xf32>
  return %1 : tensor<4x100000xf32>
}
}

// -----
// Four rows keep a device of eight multiprocessors busy.
// CHECK-LABEL: func.func @small_device
// CHECK-COUNT-1: call @
// CHECK-NOT: call @
// CHECK: return
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {multiprocessors = 8}>} {
func.func @small_device(%x: tensor<4x100000xf32>) -> tensor<4x100000xf32> {
  %0 = pd.sum %x {axis = array<i64: 1>, keepdim = true} : (tensor<4x100000xf32>) -> tensor<4x1xf32>
  %1 = pd.divide %x, %0 : (tensor<4x100000xf32>, tensor<4x1xf32>) -> tensor<4x100000xf32>
  return %1 : tensor<4x100000xf32>
}
}

// -----
// A large product is the library's, unless calls of it take long.
// CHECK-LABEL: func.func @library
// CHECK: pd.matmul
// CHECK: return
func.func @library(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = pd.matmul %x, %y : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// -----
// CHECK-LABEL: func.func @slow_library
// CHECK: call @
// CHECK: return
module attributes {proa.target = #proa.target<cpu "avx2", gpu "sm_90a" {library_nanoseconds = 100000}>} {
func.func @slow_library(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = pd.matmul %x, %y : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
}

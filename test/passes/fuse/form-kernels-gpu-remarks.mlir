// RUN: proa-opt %s --pd-form-kernels=target=gpu --remarks=pd-form-kernels -o /dev/null 2>&1 | FileCheck %s

// Small kernels that do not depend on each other are one.
// CHECK: pd-form-kernels: joins a kernel that it does not depend on: both compute 1 elements, at most 1024
func.func @small(%x: tensor<1xf32>, %y: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %p = pd.exp %x : (tensor<1xf32>) -> tensor<1xf32>
  %q = pd.exp %y : (tensor<1xf32>) -> tensor<1xf32>
  return %p, %q : tensor<1xf32>, tensor<1xf32>
}

// The sum reads x instead of a stored exponential.
// CHECK: pd-form-kernels: pd.exp is computed again by 1 kernel that reads it, and is not stored: 16384 bytes of memory instead of 32768
func.func @again(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = pd.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = pd.tanh %e : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = pd.cumsum %t {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = pd.add %e, %c : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

// RUN: proa-opt %s --pd-lower-to-linalg --proa-extract-kernels | FileCheck %s

// A kernel of threads, and its function of shapes, stay; a function that is not a kernel goes.
// CHECK: func.func private @sum(
// CHECK-SAME: proa.device_kernel = #proa.device_kernel<threads>
// CHECK: func.func private @sum_shape(
// CHECK-NOT: func.func
func.func private @sum(%x: tensor<?x4xf32>) -> tensor<?x4xf32> attributes {proa.kernel} {
  %0 = pd.cumsum %x {axis = 1 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

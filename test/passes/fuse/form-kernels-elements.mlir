// RUN: proa-opt --pd-form-kernels=target=gpu %s | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: proa-opt --pd-form-kernels %s | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: not proa-opt --pd-form-kernels=target=tpu %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: Cannot find option named 'tpu'!

// On the GPU a concatenation and the ops on its result are one kernel; on the CPU it has a library kernel.
// CHECK-LABEL: func @concat
// GPU-NEXT: call @kernel_0(%arg0, %arg1)
// CPU-NEXT: pd.concat
// CPU-NEXT: call @kernel_0(
// CHECK-NEXT: return
func.func @concat(%x: tensor<4x8xf32>, %y: tensor<4x3xf32>) -> tensor<4x11xf32> {
  %0 = pd.concat %x, %y {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  %1 = pd.exp %0 : (tensor<4x11xf32>) -> tensor<4x11xf32>
  return %1 : tensor<4x11xf32>
}

// Near miss: it reads inputs of a kernel only, so the op before it is another kernel.
// CHECK-LABEL: func @between
// GPU-NEXT: %[[E:.*]] = call @kernel_1(%arg0)
// GPU-NEXT: call @kernel_2(%[[E]])
// GPU-NEXT: return
func.func @between(%x: tensor<4x8xf32>) -> tensor<4x9xf32> {
  %0 = pd.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.pad %0 {paddings = array<i64: 0, 0, 1, 0>} : (tensor<4x8xf32>) -> tensor<4x9xf32>
  %2 = pd.log %1 : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return %2 : tensor<4x9xf32>
}

// Near miss: the bounds are an operand, and the library kernel checks them.
// CHECK-LABEL: func @bounds
// CHECK-NEXT: pd.slice
func.func @bounds(%x: tensor<4xf32>, %start: tensor<1xi64>) -> tensor<?xf32> {
  %0 = "pd.slice"(%x, %start) {axes = array<i64: 0>, ends = array<i64: 4>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Near miss: operands with a dynamic dim that must be equal.
// CHECK-LABEL: func @unknown_dims
// CHECK-NEXT: pd.concat
func.func @unknown_dims(%x: tensor<?x8xf32>, %y: tensor<?x3xf32>) -> tensor<?x11xf32> {
  %0 = pd.concat %x, %y {axis = 1 : i64} : (tensor<?x8xf32>, tensor<?x3xf32>) -> tensor<?x11xf32>
  return %0 : tensor<?x11xf32>
}

// Near miss: the gradient of a maximum over large windows.
// CHECK-LABEL: func @large_windows
// CHECK-NEXT: pd.pool2d_gradient
func.func @large_windows(%x: tensor<1x1x64x64xf32>, %g: tensor<1x1x1x1xf32>) -> tensor<1x1x64x64xf32> {
  %0 = pd.pool2d_gradient %x, %g {kernel_size = array<i64: 64, 64>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0>} : (tensor<1x1x64x64xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x64x64xf32>
  return %0 : tensor<1x1x64x64xf32>
}

// RUN: proa-opt --pd-form-kernels %s | FileCheck %s

// Names that other functions of the module have are left out.
// CHECK: call @kernel_1
// CHECK: func.func private @kernel_0() {
// CHECK: func.func private @kernel_1(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @kernel_0() {
  return
}

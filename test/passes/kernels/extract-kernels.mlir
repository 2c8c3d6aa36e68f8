// RUN: proa-opt %s --proa-extract-kernels --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-NOT: @main
// CHECK: func.func private @kernel
// CHECK-NOT: @helper
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel} {
  return %x : tensor<4xf32>
}
func.func private @helper(tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-warning @below {{no function has the attribute 'proa.kernel' (--pd-form-kernels sets it): the result is empty}}
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

func.func private @calls(%x: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel} {
  // expected-error @below {{kernel 'calls' refers to @other, expected no symbols (--inline)}}
  %0 = call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

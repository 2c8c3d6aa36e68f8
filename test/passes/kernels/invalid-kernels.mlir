// RUN: proa-opt %s --proa-check-dims --split-input-file --verify-diagnostics
// RUN: proa-opt %s --proa-store-as-bytes --split-input-file --verify-diagnostics
// RUN: proa-opt %s --proa-collapse-loops --split-input-file --verify-diagnostics
// RUN: proa-opt %s --proa-choose-rows --split-input-file --verify-diagnostics
// RUN: proa-opt %s --proa-outline-shapes --split-input-file --verify-diagnostics
// RUN: proa-opt %s --proa-tile-rows --split-input-file --verify-diagnostics
// RUN: proa-opt %s --proa-lower-kernels --split-input-file --verify-diagnostics

// Kernels that a user writes: each pass on kernels refuses what is not one on tensors.

// expected-error @below {{kernel 'without_result' has no result, expected at least one tensor}}
func.func private @without_result(%x: tensor<4xf32>) attributes {proa.kernel} {
  return
}

// -----

// expected-error @below {{argument 0 of kernel 'scalar' has type 'f32', expected a ranked tensor}}
// expected-error @below {{argument 1 of kernel 'scalar' has type 'tensor<*xf32>', expected a ranked tensor}}
// expected-error @below {{result 0 of kernel 'scalar' has type 'f32', expected a ranked tensor}}
// expected-error @below {{result 1 of kernel 'scalar' has type 'tensor<*xf32>', expected a ranked tensor}}
func.func private @scalar(%x: f32, %y: tensor<*xf32>) -> (f32, tensor<*xf32>) attributes {proa.kernel} {
  return %x, %y : f32, tensor<*xf32>
}

// -----

// expected-error @below {{kernel 'several_blocks' has several blocks, expected one}}
func.func private @several_blocks(%x: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel} {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

func.func private @loop(%x: tensor<4xi1>) -> tensor<4xi1> attributes {proa.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' cannot be in kernel 'loop', expected linalg, tensor, arith, math, complex and affine ops on tensors}}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> (tensor<4xi1>) {
    scf.yield %y : tensor<4xi1>
  }
  return %0 : tensor<4xi1>
}

// -----

func.func private @no_such_dim(%x: tensor<?xi64>) -> tensor<?xi64> attributes {proa.kernel} {
  %c127 = arith.constant 127 : index
  // expected-error @below {{dimension 127 of 'tensor<?xi64>' does not exist}}
  %d = tensor.dim %x, %c127 : tensor<?xi64>
  %0 = tensor.empty(%d) : tensor<?xi64>
  return %0 : tensor<?xi64>
}

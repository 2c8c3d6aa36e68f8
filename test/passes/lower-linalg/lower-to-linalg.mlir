// RUN: proa-opt --pd-lower-to-linalg --split-input-file --verify-diagnostics %s | FileCheck %s

// Elementwise: an operand of size 1 is read at index 0, a constant of one element moves into the body.
// CHECK: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[$ROW:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-LABEL: func private @elementwise
// CHECK-NOT: pd.
// CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]], #[[$ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK-NEXT: linalg.yield %[[SUM]]
// CHECK: linalg.generic
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: arith.mulf %{{.*}}, %[[TWO]]
func.func private @elementwise(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> attributes {proa.kernel} {
  %two = pd.constant dense<2.0> : tensor<f32>
  %0 = pd.add %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %1 = pd.multiply %0, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// A reduction begins with its neutral element: a maximum of floats with minus infinity.
// CHECK-LABEL: func private @reduction
// CHECK: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LOW]]
// CHECK: iterator_types = ["parallel", "reduction"]
func.func private @reduction(%x: tensor<2x3xf32>) -> tensor<2xf32> attributes {proa.kernel} {
  %0 = pd.max %x {axis = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Integers lose their sign as types and keep it as operations.
// CHECK-LABEL: func private @unsigned(%{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi8>) -> tensor<4xi8>
// CHECK: arith.cmpi ult
func.func private @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> attributes {proa.kernel} {
  %0 = pd.maximum %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// Dims that are known only at run time come from the operand that has them.
// CHECK-LABEL: func private @dynamic
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: tensor.empty(%[[N]]) : tensor<?x3xf32>
func.func private @dynamic(%x: tensor<?x3xf32>, %y: tensor<3xf32>) -> tensor<?x3xf32> attributes {proa.kernel} {
  %0 = pd.add %x, %y : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// Near miss: a function that is not a kernel stays.
// CHECK-LABEL: func @main
// CHECK: pd.exp
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What a kernel cannot compute is an error.
func.func private @reshaped(%x: tensor<2x6xf32>) -> tensor<3x4xf32> attributes {proa.kernel} {
  // expected-error @+1 {{failed to legalize operation 'pd.reshape'}}
  %0 = pd.reshape %x {shape = array<i64: 3, 4>} : (tensor<2x6xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// pd-refine-shapes makes the other reductions of nothing constants.
func.func private @extreme(%x: tensor<0x3xf32>) -> tensor<3xf32> attributes {proa.kernel} {
  // expected-error @+2 {{an empty axis has no extreme}}
  // expected-error @+1 {{failed to legalize operation 'pd.max'}}
  %0 = pd.max %x {axis = array<i64: 0>} : (tensor<0x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// A result whose type says less than the operands: the sizes come from the operands.
// CHECK-LABEL: func private @less_known
// CHECK: tensor.empty() : tensor<4x3xf32>
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: %[[CAST:.*]] = tensor.cast %[[SUM]] : tensor<4x3xf32> to tensor<?x3xf32>
// CHECK: return %[[CAST]]
func.func private @less_known(%x: tensor<4x1xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> attributes {proa.kernel} {
  %0 = pd.add %x, %y : (tensor<4x1xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// expected-error @below {{kernel 'without_result' has no result, expected at least one tensor}}
func.func private @without_result(%x: tensor<4xf32>) attributes {proa.kernel} {
  return
}

// -----

func.func @main(%x: tensor<4xui8>) -> tensor<4xui8> {
  // expected-note @below {{used here}}
  %0 = call @called(%x) : (tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
// expected-error @below {{kernel 'called' is called, but its signature must change, expected a module of kernels only (--proa-extract-kernels)}}
func.func private @called(%x: tensor<4xui8>) -> tensor<4xui8> attributes {proa.kernel} {
  %0 = pd.maximum %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// The words of index checks are an argument.
func.func @main(%x: tensor<?x4xf32>, %i: tensor<6xi64>) -> tensor<6x4xf32> {
  // expected-note @below {{used here}}
  %0 = call @gather(%x, %i) : (tensor<?x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
// expected-error @below {{kernel 'gather' is called, but its signature must change, expected a module of kernels only (--proa-extract-kernels)}}
func.func private @gather(%x: tensor<?x4xf32>, %i: tensor<6xi64>) -> tensor<6x4xf32> attributes {proa.kernel} {
  %0 = pd.gather %x, %i : (tensor<?x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// RUN: proa-opt %s --split-input-file --pd-vmap=size=-1 | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-vmap=size=4 | FileCheck %s --check-prefix=FOUR

// The dims of the result follow from the dims of the operands, although they are dynamic.
// With a dynamic number of examples the filters cannot be groups of one convolution: a loop.
// CHECK-LABEL: func.func @conv_vmap(
// CHECK: scf.while
// CHECK: pd.conv2d
// CHECK: pd.array_write
// CHECK: pd.array_to_tensor {{.*}}use_stack = true{{.*}} -> (tensor<?x?x4x?x?xf64>
// FOUR-LABEL: func.func @conv_vmap(
// FOUR: pd.conv2d {{.*}}groups = 4
func.func @conv(%x: tensor<?x3x?x?xf64>, %w: tensor<4x3x3x3xf64>) -> tensor<?x4x?x?xf64> {
  %y = pd.conv2d %x, %w {paddings = array<i64: 1, 1>} : (tensor<?x3x?x?xf64>, tensor<4x3x3x3xf64>) -> tensor<?x4x?x?xf64>
  return %y : tensor<?x4x?x?xf64>
}

// -----

// CHECK-LABEL: func.func @gamma_vmap(
// CHECK: pd.gammaincc %arg0, %arg1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
func.func @gamma(%x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y = pd.gammaincc %x, %z : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// CHECK-LABEL: func.func @permutation_vmap(
// CHECK: pd.lu_permutation %arg0 {{.*}} : (tensor<?x?xi32>) -> tensor<?x4x4xf64>
func.func @permutation(%p: tensor<?xi32>) -> tensor<4x4xf64> {
  %y = pd.lu_permutation %p {rows = 4 : i64, dtype = f64} : (tensor<?xi32>) -> tensor<4x4xf64>
  return %y : tensor<4x4xf64>
}

// -----

// An op without a batching rule: unbatched, in a loop.
// CHECK-LABEL: func.func @poles_vmap(
// CHECK: scf.while
// CHECK: pd.lstsq
// FOUR-LABEL: func.func @poles_vmap(
// FOUR-COUNT-4: pd.lstsq
func.func @poles(%x: tensor<?x3xf64>, %y: tensor<?x2xf64>) -> tensor<3x2xf64> {
  %s, %r, %k, %v = pd.lstsq %x, %y driver = gelsd : (tensor<?x3xf64>, tensor<?x2xf64>) -> (tensor<3x2xf64>, tensor<?xf64>, tensor<i32>, tensor<?xf64>)
  return %s : tensor<3x2xf64>
}

// -----

// No reshape has 0 in its shape, which would copy the operand's dim.
// CHECK-LABEL: func.func @empty_images_vmap(
// CHECK: %[[NONE:.*]] = pd.expand {{.*}} -> tensor<?x2x0x8x8xf32>
// CHECK: return %[[NONE]]
func.func @empty_images(%x: tensor<2x0x8x8xf32>) -> tensor<2x0x8x8xf32> {
  %y = pd.pool2d %x {kernel_size = array<i64: 3, 3>, paddings = array<i64: 1, 1>} : (tensor<2x0x8x8xf32>) -> tensor<2x0x8x8xf32>
  return %y : tensor<2x0x8x8xf32>
}

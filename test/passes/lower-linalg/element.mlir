// RUN: proa-opt --pd-lower-to-linalg --split-input-file --verify-diagnostics %s | FileCheck %s

// Ops of ElementOpInterface read their operands at computed indices. A slice: first + index * stride.
// CHECK-LABEL: func private @slice(%arg0: tensor<4x9xf32>)
// CHECK: linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel", "parallel"]} outs(
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: %[[BACK:.*]] = arith.muli %[[COLUMN]], %{{.*}}
// CHECK: %[[AT:.*]] = arith.addi %[[BACK]], %{{.*}}
// CHECK: %[[X:.*]] = tensor.extract %arg0[%[[ROW]], %[[AT]]]
// CHECK: linalg.yield %[[X]]
func.func private @slice(%x: tensor<4x9xf32>) -> tensor<4x4xf32> attributes {proa.kernel} {
  %0 = pd.slice %x {axes = array<i64: 1>, starts = array<i64: 7>, ends = array<i64: 0>, strides = array<i64: -2>} : (tensor<4x9xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A dynamic dim: the number of elements is computed before the loops.
// CHECK-LABEL: func private @slice_dynamic(%arg0: tensor<?xf32>)
// CHECK: tensor.dim %arg0
// CHECK: %[[COUNT:.*]] = arith.divui
// CHECK: tensor.empty(%[[COUNT]])
func.func private @slice_dynamic(%x: tensor<?xf32>) -> tensor<?xf32> attributes {proa.kernel} {
  %0 = pd.slice %x {axes = array<i64: 0>, starts = array<i64: 1>, ends = array<i64: -1>, strides = array<i64: 2>} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The operand of a concatenation is found by a binary search; a scalar counts as one element.
// CHECK-LABEL: func private @concat(%arg0: tensor<3xi32>, %arg1: tensor<i32>, %arg2: tensor<2xi32>)
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[I:.*]], %{{.*}}
// CHECK: scf.if %[[FIRST]]
// CHECK: tensor.extract %arg0[
// CHECK: else
// CHECK: scf.if
// CHECK: tensor.extract %arg1[]
// CHECK: else
// CHECK: tensor.extract %arg2[
func.func private @concat(%x: tensor<3xi32>, %y: tensor<i32>, %z: tensor<2xi32>) -> tensor<6xi32> attributes {proa.kernel} {
  %0 = pd.concat %x, %y, %z {axis = 0 : i64} : (tensor<3xi32>, tensor<i32>, tensor<2xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

// Padding reads nothing outside of its operand.
// CHECK-LABEL: func private @pad
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: scf.if %[[INSIDE]]
// CHECK: tensor.extract
// CHECK: else
// CHECK: arith.constant true
func.func private @pad(%x: tensor<3xi1>) -> tensor<6xi1> attributes {proa.kernel} {
  %0 = pd.pad %x {paddings = array<i64: 1, 2>, pad_value = 2.0} : (tensor<3xi1>) -> tensor<6xi1>
  return %0 : tensor<6xi1>
}

// -----

// CHECK-LABEL: func private @roll
// CHECK: arith.remui
// CHECK: tensor.extract
func.func private @roll(%x: tensor<7xf32>) -> tensor<7xf32> attributes {proa.kernel} {
  %0 = pd.roll %x {axis = array<i64: 0>, shifts = array<i64: 9>} : (tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// A pooling loops over the elements of its window. Without padding the trip counts are constant, and f16 is summed
// in f32.
// CHECK-LABEL: func private @pool
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} iter_args(%{{.*}}) -> (f32)
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK: arith.truncf
func.func private @pool(%x: tensor<2x3x4x4xf16>) -> tensor<2x3x2x2xf16> attributes {proa.kernel} {
  %0 = pd.pool2d %x pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>, paddings = array<i64: 0, 0>} : (tensor<2x3x4x4xf16>) -> tensor<2x3x2x2xf16>
  return %0 : tensor<2x3x2x2xf16>
}

// -----

// The gradient of a pooling loops over the windows that have the element, and searches each for its maximum.
// CHECK-LABEL: func private @pool_gradient
// CHECK-COUNT-4: scf.for
// CHECK: arith.cmpi eq
func.func private @pool_gradient(%x: tensor<1x1x4x4xf32>, %g: tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32> attributes {proa.kernel} {
  %0 = pd.pool2d_gradient %x, %g {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>, paddings = array<i64: 0, 0>} : (tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}

// -----

// CHECK-LABEL: func private @bilinear
// CHECK-COUNT-4: tensor.extract
// CHECK-NOT: tensor.extract
func.func private @bilinear(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x7x7xf32> attributes {proa.kernel} {
  %0 = pd.bilinear_interp %x {out_h = 7 : i64, out_w = 7 : i64} : (tensor<1x1x4x4xf32>) -> tensor<1x1x7x7xf32>
  return %0 : tensor<1x1x7x7xf32>
}

// -----

// Near miss: bounds that are known only at run time.
func.func private @slice_at(%x: tensor<4xf32>, %start: tensor<1xi64>) -> tensor<?xf32> attributes {proa.kernel} {
  // expected-error @+1 {{failed to legalize operation 'pd.slice'}}
  %0 = "pd.slice"(%x, %start) {axes = array<i64: 0>, ends = array<i64: 4>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

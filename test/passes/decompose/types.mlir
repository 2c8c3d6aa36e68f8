// What takes the place of a result may know more or fewer of its dims: terminators keep the types they have.
// RUN: proa-opt %s --pd-decompose | FileCheck %s

// CHECK-LABEL: func @more(
// CHECK-SAME: -> tensor<?xf32>
func.func @more(%x: tensor<3xf32>) -> tensor<?xf32> {
  // CHECK: %[[CAST:.*]] = tensor.cast %{{.*}} : tensor<3xf32> to tensor<?xf32>
  // CHECK: return %[[CAST]] : tensor<?xf32>
  %0 = pd.relu %x : (tensor<3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func @fewer(
// CHECK-SAME: -> tensor<3xf32>
func.func @fewer(%x: tensor<?xf32>) -> tensor<3xf32> {
  // CHECK: pd.gather
  // CHECK: tensor.cast %{{.*}} : tensor<?xf32> to tensor<3xf32>
  %0 = pd.roll %x {shifts = array<i64: 1>, axis = array<i64: 0>} : (tensor<?xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A scale without an axis has one element, also where its type has not.
// CHECK-LABEL: func @scale_without_axis(
// CHECK: tensor.cast %{{.*}} : tensor<1xf32> to tensor<?xf32>
func.func @scale_without_axis(%x: tensor<3x4xf32>, %s: tensor<1xf32>) -> tensor<?xf32> {
  %0:4 = pd.dequantize_linear %x scale = %s {quant_axis = -1 : i64} : (tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<?xf32>)
  return %0#3 : tensor<?xf32>
}

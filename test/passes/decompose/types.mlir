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

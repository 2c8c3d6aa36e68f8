// RUN: proa-opt %s --pd-refine-shapes | FileCheck %s

// A function with calls keeps its result types.
// CHECK-LABEL: func @caller
func.func @caller(%x: tensor<1xi32>, %y: tensor<i32>) -> tensor<?xi32> {
  // CHECK: call @divided(%{{.*}}) : (tensor<1xi32>, tensor<i32>) -> tensor<?xi32>
  %0 = call @divided(%x, %y) : (tensor<1xi32>, tensor<i32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// CHECK-LABEL: func private @divided
// CHECK-SAME: -> tensor<?xi32>
func.func private @divided(%x: tensor<1xi32>, %y: tensor<i32>) -> tensor<?xi32> {
  // CHECK: %[[OUT:.*]] = pd.floor_divide %{{.*}} -> tensor<1xi32>
  // CHECK: %[[CAST:.*]] = tensor.cast %[[OUT]] : tensor<1xi32> to tensor<?xi32>
  // CHECK: return %[[CAST]]
  %0 = pd.floor_divide %x, %y : (tensor<1xi32>, tensor<i32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// CHECK-LABEL: func @recursive
// CHECK-SAME: -> tensor<?xi32>
func.func @recursive(%x: tensor<1xi32>) -> tensor<?xi32> {
  %0 = call @recursive(%x) : (tensor<1xi32>) -> tensor<?xi32>
  %1 = pd.relu %x : (tensor<1xi32>) -> tensor<?xi32>
  return %1 : tensor<?xi32>
}

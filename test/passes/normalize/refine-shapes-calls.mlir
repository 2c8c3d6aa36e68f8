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

// The same for a function that another one calls.
// CHECK-LABEL: func.func @called
// CHECK-SAME: -> tensor<?x6xf32>
func.func @called(%x: tensor<2x6xf32>) -> tensor<?x6xf32> {
  %0 = pd.tanh %x : (tensor<2x6xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}
func.func @calls(%x: tensor<2x6xf32>) {
  %0 = call @called(%x) : (tensor<2x6xf32>) -> tensor<?x6xf32>
  return
}

// A result that a call reads keeps its type there; other users see the refined one.
func.func private @wide_kernel(%x: tensor<2x?xf32>) -> tensor<2x?xf32>

// CHECK-LABEL: func.func @result_read_by_call
// CHECK: %[[SUM:.*]] = pd.add %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: %[[WIDE:.*]] = tensor.cast %[[SUM]] : tensor<2x3xf32> to tensor<2x?xf32>
// CHECK: call @wide_kernel(%[[WIDE]])
// CHECK: pd.exp %[[SUM]] : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @result_read_by_call(%x: tensor<2x3xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %0 = pd.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  %1 = func.call @wide_kernel(%0) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %2 = pd.exp %0 : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %1, %2 : tensor<2x?xf32>, tensor<2x?xf32>
}

// The same for the results and arguments of a loop.
func.func private @loop_kernel(%x: tensor<2x?xf32>) -> tensor<2x3xf32>

// CHECK-LABEL: func.func @loop_read_by_call
// CHECK: scf.while (%[[IN:.*]] = %{{.*}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: ^bb0(%[[ARGUMENT:.*]]: tensor<2x3xf32>):
// CHECK: %[[WIDE:.*]] = tensor.cast %[[ARGUMENT]]
// CHECK: call @loop_kernel(%[[WIDE]])
func.func @loop_read_by_call(%x: tensor<2x3xf32>, %c: i1) -> tensor<2x3xf32> {
  %wide = tensor.cast %x : tensor<2x3xf32> to tensor<2x?xf32>
  %0 = scf.while (%a = %wide) : (tensor<2x?xf32>) -> tensor<2x?xf32> {
    scf.condition(%c) %a : tensor<2x?xf32>
  } do {
  ^bb0(%a: tensor<2x?xf32>):
    %1 = func.call @loop_kernel(%a) : (tensor<2x?xf32>) -> tensor<2x3xf32>
    %2 = tensor.cast %1 : tensor<2x3xf32> to tensor<2x?xf32>
    scf.yield %2 : tensor<2x?xf32>
  }
  %3 = func.call @loop_kernel(%0) : (tensor<2x?xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

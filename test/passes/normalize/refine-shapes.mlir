// RUN: proa-opt --pd-refine-shapes %s | FileCheck %s

// Types follow from the arguments' types.
// CHECK-LABEL: func @chain(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32>
func.func @chain(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  // CHECK: pd.relu %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.relu %x : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: pd.transpose {{.*}} -> tensor<3x2xf32>
  %1 = pd.transpose %0 {perm = array<i64: 1, 0>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Dims become constants, and arithmetic on them folds.
// CHECK-LABEL: func @extent
func.func @extent(%x: tensor<2x3xf32>) -> tensor<i64> {
  // CHECK-NEXT: pd.constant dense<5> : tensor<i64>
  // CHECK-NEXT: return
  %0 = pd.dim %x {index = 1} : (tensor<2x3xf32>) -> tensor<i64>
  %1 = pd.increment %0 {value = 2.0} : (tensor<i64>) -> tensor<i64>
  return %1 : tensor<i64>
}

// What is not known stays.
// CHECK-LABEL: func @open
func.func @open(%x: tensor<?x3xf32>) -> tensor<i64> {
  // CHECK: pd.dim
  %0 = pd.dim %x {index = 0} : (tensor<?x3xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// The type of a result joins the types of both branches; dims that differ stay dynamic.
// CHECK-LABEL: func @branch
// CHECK-SAME: -> (tensor<2x3xf32>, tensor<?x3xf32>)
func.func @branch(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %c: tensor<i1>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %condition = tensor.extract %c[] : tensor<i1>
  // CHECK: scf.if {{.*}} -> (tensor<2x3xf32>, tensor<?x3xf32>)
  %0:2 = scf.if %condition -> (tensor<?x3xf32>, tensor<?x3xf32>) {
    %1 = pd.relu %x : (tensor<2x3xf32>) -> tensor<?x3xf32>
    // CHECK: tensor.cast {{.*}} : tensor<2x3xf32> to tensor<?x3xf32>
    scf.yield %1, %1 : tensor<?x3xf32>, tensor<?x3xf32>
  } else {
    %1 = pd.exp %x : (tensor<2x3xf32>) -> tensor<?x3xf32>
    %2 = pd.exp %y : (tensor<4x3xf32>) -> tensor<?x3xf32>
    scf.yield %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>
  }
  return %0#0, %0#1 : tensor<?x3xf32>, tensor<?x3xf32>
}

// What a loop carries has the type that holds before and after each iteration: %x keeps its shape, %grown does not.
// CHECK-LABEL: func @loop
// CHECK-SAME: -> (tensor<3xf32>, tensor<?xf32>)
func.func @loop(%x: tensor<3xf32>, %c: tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  // CHECK: scf.while {{.*}} -> (tensor<3xf32>, tensor<?xf32>, tensor<i1>)
  %0:3 = scf.while (%kept = %a, %grown = %a, %goes = %c) : (tensor<?xf32>, tensor<?xf32>, tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>, tensor<i1>) {
    %condition = tensor.extract %goes[] : tensor<i1>
    scf.condition(%condition) %kept, %grown, %goes : tensor<?xf32>, tensor<?xf32>, tensor<i1>
  } do {
  ^bb0(%kept: tensor<?xf32>, %grown: tensor<?xf32>, %goes: tensor<i1>):
    // CHECK: pd.relu {{.*}} : (tensor<3xf32>) -> tensor<3xf32>
    %1 = pd.relu %kept : (tensor<?xf32>) -> tensor<?xf32>
    // CHECK: pd.concat {{.*}} : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
    %2 = pd.concat %grown, %1 {axis = 0} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %3 = pd.logical_not %goes : (tensor<i1>) -> tensor<i1>
    scf.yield %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<i1>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// A tensor without elements is constant; what reduces one gives the neutral element, whatever its size.
// CHECK-LABEL: func @empty
// CHECK-DAG: %[[NONE:.*]] = pd.constant dense<> : tensor<0x5000xf32>
// CHECK-DAG: %[[ZERO:.*]] = pd.constant dense<0.0{{.*}}> : tensor<5000xf32>
// CHECK-DAG: %[[ONE:.*]] = pd.constant dense<true> : tensor<5000xi1>
// CHECK: return %[[NONE]], %[[ZERO]], %[[ONE]]
func.func @empty(%x: tensor<0x5000xf32>, %y: tensor<0x5000xi1>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xi1>) {
  %0 = pd.exp %x : (tensor<0x5000xf32>) -> tensor<?x?xf32>
  %1 = pd.sum %0 {axis = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = pd.all %y {axis = array<i64: 0>} : (tensor<0x5000xi1>) -> tensor<?xi1>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi1>
}

// Near miss: nothing has no maximum.
// CHECK-LABEL: func @no_maximum
// CHECK: pd.max
func.func @no_maximum(%x: tensor<0x3xf32>) -> tensor<?xf32> {
  %0 = pd.max %x {axis = array<i64: 0>} : (tensor<0x3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// What has no elements is not computed.
// CHECK-LABEL: @nothing
func.func @nothing(%x: tensor<0x3xf32>) -> tensor<3x0xf32> {
  // CHECK-NEXT: %[[NONE:.*]] = pd.constant dense<> : tensor<3x0xf32>
  // CHECK-NEXT: return %[[NONE]]
  %0 = pd.transpose %x {perm = array<i64: 1, 0>} : (tensor<0x3xf32>) -> tensor<3x0xf32>
  return %0 : tensor<3x0xf32>
}

// An op of another dialect keeps the types that it was created with.
// CHECK-LABEL: func.func @other_dialect
// CHECK: %[[CAST:.*]] = tensor.cast %{{.*}} : tensor<5x4xf32> to tensor<?x?xf32>
// CHECK: linalg.copy ins(%{{.*}} : tensor<5x4xf32>) outs(%[[CAST]] : tensor<?x?xf32>)
func.func @other_dialect(%x: tensor<5x4xf32>, %y: tensor<5x4xf32>) -> tensor<?x?xf32> {
  %cast = tensor.cast %y : tensor<5x4xf32> to tensor<?x?xf32>
  %0 = linalg.copy ins(%x : tensor<5x4xf32>) outs(%cast : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// RUN: proa-opt --pd-refine-shapes %s | FileCheck %s

// An op of a branch that does not fit the known dims: the branch ends the run, and what it yields has the
// type of the other one.
// CHECK-LABEL: func @invalid
// CHECK-SAME: -> tensor<6xf32>
func.func @invalid(%x: tensor<6xf32>, %y: tensor<5xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %condition = tensor.extract %c[] : tensor<i1>
  // CHECK: scf.if {{.*}} -> (tensor<6xf32>)
  %0 = scf.if %condition -> (tensor<?xf32>) {
    // CHECK-NEXT: %[[R:.*]] = pd.fail {message = "pd.add: {{.*}}"} : () -> tensor<6xf32>
    // CHECK-NEXT: scf.yield %[[R]]
    %open = pd.relu %x : (tensor<6xf32>) -> tensor<?xf32>
    %1 = pd.add %open, %y : (tensor<?xf32>, tensor<5xf32>) -> tensor<?xf32>
    %2 = pd.relu %1 : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %2 : tensor<?xf32>
  } else {
    // CHECK: pd.relu
    %1 = pd.relu %x : (tensor<6xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// The innermost branch alone is replaced, also within a loop.
// CHECK-LABEL: func @nested
func.func @nested(%x: tensor<6xf32>, %y: tensor<5xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %condition = tensor.extract %c[] : tensor<i1>
  // CHECK: scf.if
  %0 = scf.if %condition -> (tensor<?xf32>) {
    // CHECK: scf.if
    %1 = scf.if %condition -> (tensor<?xf32>) {
      // CHECK-NEXT: pd.fail
      // CHECK-NEXT: scf.yield
      %open = pd.relu %x : (tensor<6xf32>) -> tensor<?xf32>
      %2 = pd.add %open, %y : (tensor<?xf32>, tensor<5xf32>) -> tensor<?xf32>
      scf.yield %2 : tensor<?xf32>
    } else {
      %open = pd.relu %x : (tensor<6xf32>) -> tensor<?xf32>
      scf.yield %open : tensor<?xf32>
    }
    // CHECK: pd.tanh
    %3 = pd.tanh %1 : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %3 : tensor<?xf32>
  } else {
    %open = pd.relu %x : (tensor<6xf32>) -> tensor<?xf32>
    scf.yield %open : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// Near miss: a branch whose ops fit stays.
// CHECK-LABEL: func @valid
// CHECK-NOT: pd.fail
func.func @valid(%x: tensor<6xf32>, %y: tensor<1xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %condition = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %condition -> (tensor<?xf32>) {
    %open = pd.relu %x : (tensor<6xf32>) -> tensor<?xf32>
    // CHECK: pd.add {{.*}} -> tensor<6xf32>
    %1 = pd.add %open, %y : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    %open = pd.relu %x : (tensor<6xf32>) -> tensor<?xf32>
    scf.yield %open : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

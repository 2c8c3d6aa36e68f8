// RUN: proa-opt %s | FileCheck %s
// RUN: proa-opt --canonicalize --cse --pd-refine-shapes --pd-decompose %s | FileCheck %s --check-prefix=KEPT

// No pass drops or moves the op: it has an effect.
// CHECK-LABEL: func @branch
// KEPT-LABEL: func @branch
func.func @branch(%x: tensor<6xf32>, %c: tensor<i1>) -> tensor<6xf32> {
  %condition = tensor.extract %c[] : tensor<i1>
  // KEPT: scf.if
  %0 = scf.if %condition -> (tensor<6xf32>) {
    // CHECK: %[[R:.*]] = pd.fail {message = "k must be at most 6"} : () -> tensor<6xf32>
    // CHECK: scf.yield %[[R]]
    // KEPT: pd.fail
    %1 = pd.fail {message = "k must be at most 6"} : () -> tensor<6xf32>
    scf.yield %1 : tensor<6xf32>
  } else {
    scf.yield %x : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: func @without_results
// KEPT-LABEL: func @without_results
func.func @without_results() {
  // CHECK: pd.fail {message = "never"} : () -> ()
  // KEPT: pd.fail
  pd.fail {message = "never"} : () -> ()
  return
}

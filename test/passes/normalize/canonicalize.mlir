// RUN: proa-opt %s --pd-canonicalize | FileCheck %s
// The patterns of scf.if that compute with conditions do apply in MLIR's canonicalization, so that this test can fail.
// RUN: proa-opt %s --canonicalize | FileCheck %s --check-prefix=MLIR
// The pipeline uses pd-canonicalize.
// RUN: proa-opt %s --proa-cpu | FileCheck %s --check-prefix=PIPELINE

// CHECK-LABEL: func @nested
// MLIR-LABEL: func @nested
// PIPELINE-LABEL: func @nested
func.func @nested(%a: i1, %b: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: arith.
  // CHECK: scf.if %arg0
  // CHECK-NEXT: scf.if %arg1
  // MLIR: arith.andi
  // PIPELINE-NOT: arith.
  // PIPELINE: scf.if %arg0
  // PIPELINE-NEXT: scf.if %arg1
  %0 = scf.if %a -> (tensor<4xf32>) {
    %1 = scf.if %b -> (tensor<4xf32>) {
      %2 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @select
// MLIR-LABEL: func @select
// PIPELINE-LABEL: func @select
func.func @select(%a: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: scf.if
  // MLIR: arith.select
  // PIPELINE: scf.if
  %0 = scf.if %a -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @condition_in_branch
// MLIR-LABEL: func @condition_in_branch
// PIPELINE-LABEL: func @condition_in_branch
func.func @condition_in_branch(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tensor.extract %c[] : tensor<i1>
  // CHECK-NOT: arith.constant
  // CHECK: scf.if %[[A:.*]] -> (tensor<4xf32>)
  // CHECK-NEXT: pd.exp
  // CHECK-NEXT: scf.if %[[A]]
  // MLIR: scf.if
  // MLIR-NOT: scf.if
  // MLIR: return
  // PIPELINE-NOT: arith.constant
  %0 = scf.if %a -> (tensor<4xf32>) {
    %1 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %2 = scf.if %a -> (tensor<4xf32>) {
      %3 = pd.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %3 : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// An unused result of a branch is removed, with what computes it.
// CHECK-LABEL: func @unused_result
func.func @unused_result(%a: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: scf.if %arg0 -> (tensor<4xf32>)
  // CHECK-NOT: pd.tanh
  %0:2 = scf.if %a -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %2 = pd.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  } else {
    scf.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}

// The patterns and folds of pd apply.
// CHECK-LABEL: func @transposed_twice
func.func @transposed_twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %arg0
  %0 = pd.transpose %x {perm = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = pd.transpose %0 {perm = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-decompose | FileCheck %s --check-prefix=PARTS
// RUN: proa-opt %s --split-input-file --verify-diagnostics --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func @known(
// CHECK: pd.reduce_as %arg0, %arg1 : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
// PARTS-LABEL: func @known(
// PARTS: pd.sum %arg0 {axis = array<i64: 0, 2>, keepdim = true}
// PARTS: pd.sum %{{.*}} {axis = array<i64: 0>}
// PARTS-NOT: pd.reshape
func.func @known(%x: tensor<2x3x4xf32>, %like: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %y = pd.reduce_as %x, %like : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// Equal shapes: nothing is summed.
// FOLD-LABEL: func @same(
// FOLD-NEXT: return %arg0
func.func @same(%x: tensor<3x4xf32>, %like: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = pd.reduce_as %x, %like : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// An open extent may turn out to be 1 where that of x is not.
// FOLD-LABEL: func @open(
// FOLD: pd.reduce_as
// PARTS-LABEL: func @open(
// PARTS: pd.floor_divide
// PARTS: pd.reshape
// PARTS: pd.sum %{{.*}} {axis = array<i64: 0>}
func.func @open(%x: tensor<?x4xf32>, %like: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = pd.reduce_as %x, %like : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @rank(%x: tensor<4xf32>, %like: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error @+2 {{C1: expected a target of rank up to 1, found 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = pd.reduce_as %x, %like : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

func.func @extent(%x: tensor<4xf32>, %like: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{C2: dimension 0 of the target is 3, expected 1 or 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = pd.reduce_as %x, %like : (tensor<4xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

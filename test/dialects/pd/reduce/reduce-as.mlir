// RUN: proa-opt %s | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=PARTS
// RUN: proa-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

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

// A dynamic dim may turn out to be 1 where the dim of x is not.
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

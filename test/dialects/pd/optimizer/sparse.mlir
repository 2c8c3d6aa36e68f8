// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: @rows
// DECOMPOSED-LABEL: @rows
func.func @rows(%p: tensor<5x4xf32>, %g: tensor<3x4xf32>, %i: tensor<3xi64>, %r: tensor<1xf32>) -> tensor<5x4xf32> {
  // CHECK: pd.sparse_momentum {{.*}} -> (tensor<5x4xf32>, tensor<5x4xf32>)
  // DECOMPOSED: pd.scatter_nd
  %0:2 = pd.sparse_momentum %p, %g, %p, %i, %r {mu = 0.9} : (tensor<5x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xi64>, tensor<1xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return %0#0 : tensor<5x4xf32>
}

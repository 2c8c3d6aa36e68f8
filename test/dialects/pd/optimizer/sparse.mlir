// RUN: proa-opt %s --split-input-file --verify-diagnostics | proa-opt --split-input-file | FileCheck %s
// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: @rows
// DECOMPOSED-LABEL: @rows
func.func @rows(%p: tensor<5x4xf32>, %g: tensor<3x4xf32>, %i: tensor<3xi64>, %r: tensor<1xf32>) -> tensor<5x4xf32> {
  // CHECK: pd.sparse_momentum {{.*}} -> (tensor<5x4xf32>, tensor<5x4xf32>)
  // DECOMPOSED: pd.scatter_nd
  %0:2 = pd.sparse_momentum %p, %g, %p, %i, %r {mu = 0.9} : (tensor<5x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xi64>, tensor<1xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return %0#0 : tensor<5x4xf32>
}

// -----

func.func @rank_c1(%p: tensor<5xf32>, %i: tensor<3xi64>, %r: tensor<1xf32>) {
  // expected-error@+2 {{C1: param must have rank 2 and axis be 0 or 1, found rank 1 and axis 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.sparse_momentum"(%p, %p, %p, %i, %r) {mu = 0.9} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3xi64>, tensor<1xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @method_c2(%p: tensor<5x4xf32>, %i: tensor<5xi64>, %r: tensor<1xf32>) {
  // expected-error@+2 {{C2: regularization_method must be l2_decay or empty, found 'l1'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.sparse_momentum"(%p, %p, %p, %i, %r) {mu = 0.9, regularization_method = "l1"} : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<5xi64>, tensor<1xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return
}

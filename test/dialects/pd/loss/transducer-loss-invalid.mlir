// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @transducer_c1(%i: tensor<2x4x3x5xf32>, %w: tensor<3x2xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{C1: input must have rank 4, label be [batch, U] and the lengths vectors, found tensor<2x4x3x5xf32>, tensor<3x2xi32>, tensor<2xi32> and tensor<2xi32>}}
  %1:2 = "pd.warprnnt"(%i, %w, %n, %n) : (tensor<2x4x3x5xf32>, tensor<3x2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2x4x3x5xf32>)
  return
}

// -----

func.func @transducer_c2(%i: tensor<2x4x3x5xf32>, %w: tensor<2x2xi32>, %n: tensor<2xi32>) {
  // expected-error@+1 {{C2: blank must be a class, found 5}}
  %1:2 = "pd.warprnnt"(%i, %w, %n, %n) {blank = 5 : i64} : (tensor<2x4x3x5xf32>, tensor<2x2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2x4x3x5xf32>)
  return
}

// -----

func.func @warprnnt_c1_label(%i: tensor<2x4x3x5xf32>, %n: tensor<2xi32>, %v1: tensor<9x9x2xi32>) {
  // expected-error@+1 {{C1: input must have rank 4, label be [batch, U] and the lengths vectors, found tensor<2x4x3x5xf32>, tensor<9x9x2xi32>, tensor<2xi32> and tensor<2xi32>}}
  %1:2 = pd.warprnnt %i, %v1, %n, %n {fastemit_lambda = 0.5} : (tensor<2x4x3x5xf32>, tensor<9x9x2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2x4x3x5xf32>)
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @cvm_c1(%m: tensor<3x2xf32>) {
  // expected-error@+1 {{C1: x must be a matrix of more than two columns, found tensor<3x2xf32>}}
  %0 = pd.cvm %m {use_cvm = false} : (tensor<3x2xf32>) -> tensor<3x0xf32>
  return
}

// -----

func.func @cvm_c2(%m: tensor<3x5xf32>, %cvm: tensor<4x2xf32>) {
  // expected-error@+1 {{C2: cvm must have two columns and the rows of x}}
  %2 = pd.cvm %m, %cvm {use_cvm = false} : (tensor<3x5xf32>, tensor<4x2xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @data_norm_c1(%m: tensor<3x5xf32>, %v: tensor<5xf32>, %v1: tensor<4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x5xf32>', 'tensor<4xf32>', 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<3x5xf32>', 'tensor<5xf32>', 'tensor<5xf32>'}}
  %3:3 = pd.data_norm %m, %v1, %v, %v : (tensor<3x5xf32>, tensor<4xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @data_norm_c1_rank(%m: tensor<3x5x1xf32>, %v: tensor<5xf32>) {
  // expected-error@+1 {{C1: x must be a matrix and the others vectors, found tensor<3x5x1xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>}}
  %0:3 = pd.data_norm %m, %v, %v, %v : (tensor<3x5x1xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<3x5x1xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @partial_c2(%m: tensor<3x5xf32>) {
  // expected-error@+1 {{C2: the matrices have 5 columns, found start_index 4 and length 2}}
  %0 = "pd.partial_sum"(%m, %m) {start_index = 4 : i64, length = 2 : i64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @partial_concat_c1(%x: tensor<3x4xf32>, %start_index: tensor<2x4xf32>) {
  // expected-error@+1 {{C1: the operands must be matrices of one shape, found tensor<3x4xf32>, tensor<2x4xf32>}}
  %0 = pd.partial_concat %x, %start_index {length = 2 : i64, start_index = 1 : i64} : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @partial_concat_c2(%x: tensor<3x4xf32>, %start_index: tensor<3x4xf32>) {
  // expected-error@+1 {{C2: the matrices have 4 columns, found start_index 1 and length 4}}
  %0 = pd.partial_concat %x, %start_index {length = 4 : i64, start_index = 1 : i64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

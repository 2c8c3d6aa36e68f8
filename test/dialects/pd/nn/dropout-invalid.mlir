// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @dropout_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{C1: p must be in [0, 1], found 1.5}}
  %0:2 = "pd.dropout"(%a) {p = 1.5 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xui8>)
  return
}

// -----

func.func @dropout_c2(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{C2: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0:2 = "pd.dropout"(%a, %b) {whole_shape = array<i64: 4, 3>, operandSegmentSizes = array<i32: 1, 0, 0, 1>} : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<2x3xf32>, tensor<2x3xui8>)
  return
}

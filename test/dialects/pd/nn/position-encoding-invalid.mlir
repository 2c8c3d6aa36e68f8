// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @position_c1(%a: tensor<1x2x3xf32>) {
  // expected-error@+1 {{C1: x must have rank 3 and an even number of features, found tensor<1x2x3xf32>}}
  %0 = "pd.add_position_encoding"(%a) {} : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  return
}

// -----

func.func @add_position_encoding_c1_odd(%x: tensor<1x1x5xf64>) {
  // expected-error@+1 {{C1: x must have rank 3 and an even number of features, found tensor<1x1x5xf64>}}
  %0 = pd.add_position_encoding %x {alpha = 2.0, beta = 3.0} : (tensor<1x1x5xf64>) -> tensor<1x1x5xf64>
  return
}

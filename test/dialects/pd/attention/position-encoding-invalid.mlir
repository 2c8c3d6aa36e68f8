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

// -----

func.func @rotary_embedding_c1(%x: tensor<2x3x5xf32>) {
  // expected-error@+1 {{C1: the last dim of x must be static and even, found tensor<2x3x5xf32>}}
  %0 = pd.rotary_embedding %x, %x, %x : (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @rotary_embedding_c2(%x: tensor<2x3x4xf32>, %c: tensor<2x1x4x4xf32>) {
  // expected-error@+1 {{C2: cosines and sines must broadcast to x, found tensor<2x1x4x4xf32> and tensor<2x3x4xf32>}}
  %0 = pd.rotary_embedding %x, %c, %c : (tensor<2x3x4xf32>, tensor<2x1x4x4xf32>, tensor<2x1x4x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @rotary_embedding_c3(%x: tensor<2x3x4xf32>, %c: tensor<3x4xf64>) {
  // expected-error@+1 {{C3: x, cosines and sines must have one element type, found tensor<2x3x4xf32> and tensor<3x4xf64>}}
  %0 = pd.rotary_embedding %x, %c, %c : (tensor<2x3x4xf32>, tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<2x3x4xf32>
  return
}

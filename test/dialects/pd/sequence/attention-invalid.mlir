// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1(%x: tensor<5x3xf32>, %o: tensor<3xi64>, %c: tensor<2x4xf32>, %a: tensor<7x1xf32>, %w: tensor<7x12xf32>, %b: tensor<1x16xf32>) {
  // expected-error@+1 {{C1: x must be [T, M], c0 and h0 [sequences, D], attention_weight have M + D elements}}
  %0:2 = pd.attention_lstm %x, %o, %c, %a, %w, %b : (tensor<5x3xf32>, tensor<3xi64>, tensor<2x4xf32>, tensor<7x1xf32>, tensor<7x12xf32>, tensor<1x16xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return
}

// -----

func.func @attention_lstm_c1_weight(%a: tensor<?x3xf32>, %b: tensor<?xi64>, %c: tensor<2x4xf32>, %e: tensor<7x16xf32>, %f: tensor<1x16xf32>, %scalar: tensor<1xf32>, %v3: tensor<9x1xf32>) {
  // expected-error@+1 {{C1: x must be [T, M], c0 and h0 [sequences, D], attention_weight have M + D elements, lstm_weight be [D + M, 4 D] and lstm_bias have 4 D elements, found tensor<?x3xf32>, tensor<?xi64>, tensor<2x4xf32>, tensor<9x1xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<1xf32>}}
  %0:2 = pd.attention_lstm %a, %b, %c, %v3, %e, %f scalar = %scalar cell_activation = relu : (tensor<?x3xf32>, tensor<?xi64>, tensor<2x4xf32>, tensor<9x1xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<1xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return
}

// -----

func.func @attention_lstm_c1_c0(%a: tensor<?x3xf32>, %d: tensor<7x1xf32>, %e: tensor<7x16xf32>, %f: tensor<1x16xf32>, %scalar: tensor<1xf32>, %v1: tensor<3xi64>, %v2: tensor<9x4xf32>) {
  // expected-error@+1 {{C1: x must be [T, M], c0 and h0 [sequences, D], attention_weight have M + D elements, lstm_weight be [D + M, 4 D] and lstm_bias have 4 D elements, found tensor<?x3xf32>, tensor<3xi64>, tensor<9x4xf32>, tensor<7x1xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<1xf32>}}
  %0:2 = pd.attention_lstm %a, %v1, %v2, %d, %e, %f scalar = %scalar cell_activation = relu : (tensor<?x3xf32>, tensor<3xi64>, tensor<9x4xf32>, tensor<7x1xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<1xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return
}

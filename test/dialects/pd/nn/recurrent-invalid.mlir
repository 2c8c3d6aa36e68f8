// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rnn_c1(%a: tensor<7x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+1 {{C1: x must have rank 3, found rank 2}}
  %0:2 = "pd.rnn"(%a, %b) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @rnn_c3(%a: tensor<7x2x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+1 {{C3: pre_state must be 2 tensors of the dimensions [1, 2, 24], found tensor<1x2x24xf32>}}
  %0:2 = "pd.rnn"(%a, %b) {mode = #pd<rnn_mode LSTM>, hidden_size = 24 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x2x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @rnn_c4(%a: tensor<7x2x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+1 {{C4: weight_list must have 4 tensors, found 0}}
  %0:2 = "pd.rnn"(%a, %b) {hidden_size = 24 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x2x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @rnn_c5(%a: tensor<7x2x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+1 {{C5: num_layers and hidden_size must be positive, found 0 and 100}}
  %0:2 = "pd.rnn"(%a, %b) {num_layers = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x2x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @rnn_gradient_c6(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %wi: tensor<5x4xf32>, %wh: tensor<5x5xf32>, %b: tensor<5xf32>, %d: tensor<3x2x6xf32>) {
  // expected-error@+1 {{C6: out_gradient and state_gradient must have the types of out and state}}
  %0:6 = pd.rnn_gradient %x states = %h weights = %wi, %wh, %b, %b cotangents = %d, %h mode = RNN_TANH {hidden_size = 5} : (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<5x4xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3x2x6xf32>, tensor<1x2x5xf32>) -> (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<5x4xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @rnn_c3_batch(%a: tensor<4x2x2xf64>, %states: tensor<1x2x3xf64>, %weights: tensor<3x2xf64>, %d: tensor<3x3xf64>, %e: tensor<3xf64>, %f: tensor<3xf64>) {
  // expected-error@+1 {{C3: pre_state must be 1 tensors of the dimensions [1, 2, 99], found tensor<1x2x3xf64>}}
  %0:2 = pd.rnn %a states = %states weights = %weights, %d, %e, %f mode = RNN_RELU {hidden_size = 99 : i64, num_layers = 1 : i64, is_bidirec = false} : (tensor<4x2x2xf64>, tensor<1x2x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x2x3xf64>, tensor<1x2x3xf64>)
  return
}

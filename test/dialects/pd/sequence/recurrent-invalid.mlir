// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @gru_c1(%x: tensor<5x6xf64>, %weight: tensor<2x7xf64>, %offsets: tensor<3xi64>) {
  // expected-error@+1 {{C1: x must be [rows, 3 D] and weight [D, 3 D], found tensor<5x6xf64>, tensor<2x7xf64>}}
  %0 = pd.gru %x, %weight, %offsets activation = identity gate_activation = tanh {is_reverse = true, origin_mode = true} : (tensor<5x6xf64>, tensor<2x7xf64>, tensor<3xi64>) -> tensor<5x2xf64>
  return
}

// -----

func.func @gru_unit_c2(%input: tensor<4x9xf32>, %hidden_prev: tensor<4x3xf32>, %weight: tensor<3x9xf32>, %bias: tensor<1x9xf32>) {
  // expected-error@+1 {{C2: activation and gate_activation must be 0 to 3}}
  %0:3 = pd.gru_unit %input, %hidden_prev, %weight, %bias {activation = 4 : i64, origin_mode = true} : (tensor<4x9xf32>, tensor<4x3xf32>, tensor<3x9xf32>, tensor<1x9xf32>) -> (tensor<4x9xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
  return
}

// -----

func.func @lstm_c1(%x: tensor<5x8xf64>, %weight: tensor<2x7xf64>, %bias: tensor<1x8xf64>, %offsets: tensor<4xi64>) {
  // expected-error@+1 {{C1: x must be [rows, 4 D] and weight [D, 4 D], found tensor<5x8xf64>, tensor<2x7xf64>}}
  %0:2 = pd.lstm %x, %weight, %bias, %offsets cell_activation = identity candidate_activation = sigmoid {use_peepholes = false, is_reverse = true} : (tensor<5x8xf64>, tensor<2x7xf64>, tensor<1x8xf64>, tensor<4xi64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  return
}

// -----

func.func @gru_unit_c1(%input: tensor<4x9xf32>, %hidden_prev: tensor<4x3xf32>, %weight: tensor<3x8xf32>, %bias: tensor<1x9xf32>) {
  // expected-error@+1 {{C1: input must be [batch, 3 D], hidden_prev [batch, D] and weight [D, 3 D], found tensor<4x9xf32>, tensor<4x3xf32>, tensor<3x8xf32>, tensor<1x9xf32>}}
  %0:3 = pd.gru_unit %input, %hidden_prev, %weight, %bias {activation = 3 : i64, origin_mode = true} : (tensor<4x9xf32>, tensor<4x3xf32>, tensor<3x8xf32>, tensor<1x9xf32>) -> (tensor<4x9xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
  return
}

// -----

func.func @gru_c1_offsets(%x: tensor<5x6xf64>, %weight: tensor<2x6xf64>, %offsets: tensor<3xi32>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<3xi32>}}
  %0 = pd.gru %x, %weight, %offsets activation = identity gate_activation = tanh {is_reverse = true, origin_mode = true} : (tensor<5x6xf64>, tensor<2x6xf64>, tensor<3xi32>) -> tensor<5x2xf64>
  return
}

// -----

func.func @lstm_c1_offsets(%x: tensor<5x8xf64>, %weight: tensor<2x8xf64>, %bias: tensor<1x8xf64>, %offsets: tensor<4xi32>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<4xi32>}}
  %0:2 = pd.lstm %x, %weight, %bias, %offsets cell_activation = identity candidate_activation = sigmoid {use_peepholes = false, is_reverse = true} : (tensor<5x8xf64>, tensor<2x8xf64>, tensor<1x8xf64>, tensor<4xi32>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  return
}

// -----

func.func @gru_c1_h0(%x: tensor<5x6xf64>, %weight: tensor<2x6xf64>, %offsets: tensor<3xi64>, %h0: tensor<9x2xf64>) {
  // expected-error@+1 {{C1: initial states must be [sequences, D], found tensor<2x6xf64>, tensor<3xi64>, tensor<9x2xf64>}}
  %0 = pd.gru %x, %weight, %offsets h0 = %h0 activation = identity gate_activation = tanh {is_reverse = true, origin_mode = true} : (tensor<5x6xf64>, tensor<2x6xf64>, tensor<3xi64>, tensor<9x2xf64>) -> tensor<5x2xf64>
  return
}

// -----

func.func @gru_c1_bias(%x: tensor<5x6xf64>, %weight: tensor<2x6xf64>, %offsets: tensor<3xi64>, %b: tensor<1x7xf64>) {
  // expected-error@+1 {{C1: bias must be [1, 3 D], found tensor<2x6xf64>, tensor<1x7xf64>}}
  %0 = pd.gru %x, %weight, %offsets bias = %b activation = identity gate_activation = tanh {is_reverse = true, origin_mode = true} : (tensor<5x6xf64>, tensor<2x6xf64>, tensor<3xi64>, tensor<1x7xf64>) -> tensor<5x2xf64>
  return
}

// -----

func.func @lstm_c1_h0(%x: tensor<5x8xf64>, %weight: tensor<2x8xf64>, %bias: tensor<1x8xf64>, %offsets: tensor<4xi64>, %h0: tensor<9x2xf64>) {
  // expected-error@+1 {{C1: initial states must be [sequences, D], found tensor<2x8xf64>, tensor<4xi64>, tensor<9x2xf64>}}
  %0:2 = pd.lstm %x, %weight, %bias, %offsets h0 = %h0 c0 = %h0 cell_activation = identity candidate_activation = sigmoid {use_peepholes = false, is_reverse = true} : (tensor<5x8xf64>, tensor<2x8xf64>, tensor<1x8xf64>, tensor<4xi64>, tensor<9x2xf64>, tensor<9x2xf64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  return
}

// -----

func.func @lstm_c1_bias(%x: tensor<5x8xf64>, %weight: tensor<2x8xf64>, %bias: tensor<1x9xf64>, %offsets: tensor<4xi64>) {
  // expected-error@+1 {{C1: bias must be [1, 4 D], found tensor<2x8xf64>, tensor<1x9xf64>}}
  %0:2 = pd.lstm %x, %weight, %bias, %offsets cell_activation = identity candidate_activation = sigmoid {use_peepholes = false, is_reverse = true} : (tensor<5x8xf64>, tensor<2x8xf64>, tensor<1x9xf64>, tensor<4xi64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  return
}

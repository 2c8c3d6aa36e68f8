// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @pool_c2(%x: tensor<6x2xf32>, %o: tensor<4xi64>) {
  // expected-error@+2 {{C2: pooltype must be SUM, AVERAGE, SQRT, MAX, FIRST or LAST, found 'MEAN'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.sequence_pool"(%x, %o) {pooltype = "MEAN"} : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return
}

// -----

func.func @concat_c2(%x: tensor<6x2xf32>, %y: tensor<6x3xf32>, %o: tensor<4xi64>) {
  // expected-error@+2 {{C2: the tensors must agree in all dimensions but the first, found tensor<6x2xf32> and tensor<6x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.sequence_concat"(%x, %y, %o, %o) {operandSegmentSizes = array<i32: 2, 2>} : (tensor<6x2xf32>, tensor<6x3xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<12x2xf32>, tensor<4xi64>)
  return
}

// -----

func.func @conv_c3(%x: tensor<6x2xf32>, %o: tensor<4xi64>, %f: tensor<5x4xf32>) {
  // expected-error@+2 {{C3: filter must have rank 2 and context_length times the width of x as rows}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.sequence_conv"(%x, %o, %f) {context_length = 3 : i64} : (tensor<6x2xf32>, tensor<4xi64>, tensor<5x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @expand_as_c1(%x: tensor<2x3xf32>, %y: tensor<f32>, %o: tensor<3xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{C1: y must have a rank of at least 1}}
  %0 = pd.sequence_expand_as %x, %y, %o : (tensor<2x3xf32>, tensor<f32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sequence_erase_c1(%x: tensor<6x1xi64>, %v1: tensor<0xi64>) {
  // expected-error@+2 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.sequence_erase %x, %v1 {tokens = array<i64: 1, 2>} : (tensor<6x1xi64>, tensor<0xi64>) -> (tensor<?x1xi64>, tensor<4xi64>)
  return
}

// -----

func.func @sequence_expand_c1(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>, %v1: tensor<0xi64>) {
  // expected-error@+2 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.sequence_expand %x, %v1, %offsets : (tensor<6x2xf32>, tensor<0xi64>, tensor<4xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  return
}

// -----

func.func @sequence_pad_c1(%x: tensor<?x2x2xf32>, %pad_value: tensor<1xf32>, %v1: tensor<0xi64>) {
  // expected-error@+2 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.sequence_pad %x, %v1, %pad_value {padded_length = 4 : i64} : (tensor<?x2x2xf32>, tensor<0xi64>, tensor<1xf32>) -> (tensor<?x4x2x2xf32>, tensor<?xi64>)
  return
}

// -----

func.func @sequence_pool_c1(%x: tensor<6x2xf32>, %v1: tensor<0xi64>) {
  // expected-error@+2 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.sequence_pool %x, %v1 {pooltype = "MAX"} : (tensor<6x2xf32>, tensor<0xi64>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @offsets_c1(%x: tensor<6x2xf32>, %o: tensor<4xi32>) {
  // expected-error@+2 {{C1: offsets must be an int64 vector that is not empty, found tensor<4xi32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.row_positions"(%x, %o) : (tensor<6x2xf32>, tensor<4xi32>) -> (tensor<6xi64>, tensor<6xi64>)
  return
}

// -----

func.func @ranges_c1(%a: tensor<3xi64>, %b: tensor<4xi64>) {
  // expected-error@+2 {{C1: starts and lengths must be int64 vectors of one extent, found tensor<3xi64> and tensor<4xi64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.ranges"(%a, %b) : (tensor<3xi64>, tensor<4xi64>) -> (tensor<?xi64>, tensor<4xi64>)
  return
}

// -----

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

func.func @crf_c2(%e: tensor<6x3xf32>, %t: tensor<3x3xf32>, %l: tensor<6x1xi64>, %o: tensor<4xi64>) {
  // expected-error@+2 {{C2: transition must be [tags + 2, tags], found tensor<6x3xf32>, tensor<3x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.linear_chain_crf"(%e, %t, %l, %o) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<6x3xf32>, tensor<3x3xf32>, tensor<6x1xi64>, tensor<4xi64>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>)
  return
}

// -----

func.func @attention_c1(%x: tensor<5x3xf32>, %o: tensor<3xi64>, %c: tensor<2x4xf32>, %a: tensor<7x1xf32>, %w: tensor<7x12xf32>, %b: tensor<1x16xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{C1: x must be [T, M], c0 [sequences, D] and lstm_weight [D + M, 4 D]}}
  %0:2 = pd.attention_lstm %x, %o, %c, %a, %w, %b : (tensor<5x3xf32>, tensor<3xi64>, tensor<2x4xf32>, tensor<7x1xf32>, tensor<7x12xf32>, tensor<1x16xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return
}

// -----

func.func @ctc_c2(%x: tensor<5x1x4xf32>, %l: tensor<1x2xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{C2: blank must be a class, found 4}}
  %0:2 = pd.warpctc %x, %l {blank = 4 : i64} : (tensor<5x1x4xf32>, tensor<1x2xi32>) -> (tensor<1x1xf32>, tensor<5x1x4xf32>)
  return
}

// -----

func.func @expand_as_c1(%x: tensor<2x3xf32>, %y: tensor<f32>, %o: tensor<3xi64>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{C1: y must have a rank of at least 1}}
  %0 = pd.sequence_expand_as %x, %y, %o : (tensor<2x3xf32>, tensor<f32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

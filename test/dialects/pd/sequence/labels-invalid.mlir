// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @crf_c2(%e: tensor<6x3xf32>, %t: tensor<3x3xf32>, %l: tensor<6x1xi64>, %o: tensor<4xi64>) {
  // expected-error@+1 {{C2: transition must be [tags + 2, tags], found tensor<6x3xf32>, tensor<3x3xf32>}}
  %0:4 = "pd.linear_chain_crf"(%e, %t, %l, %o) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<6x3xf32>, tensor<3x3xf32>, tensor<6x1xi64>, tensor<4xi64>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>)
  return
}

// -----

func.func @ctc_c2(%x: tensor<5x1x4xf32>, %l: tensor<1x2xi32>) {
  // expected-error@+1 {{C2: blank must be a class, found 4}}
  %0:2 = pd.warpctc %x, %l {blank = 4 : i64} : (tensor<5x1x4xf32>, tensor<1x2xi32>) -> (tensor<1x1xf32>, tensor<5x1x4xf32>)
  return
}

// -----

func.func @crf_decoding_c1(%a0: tensor<4x3xf32>, %a1: tensor<5x3xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "pd.crf_decoding"(%a0, %a1) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<4x3xi64>
  return
}

// -----

func.func @crf_decoding_c2(%a0: tensor<2x4x3xf32>, %a1: tensor<4x3xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "pd.crf_decoding"(%a0, %a1) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<2x4x3xf32>, tensor<4x3xf32>) -> tensor<2x4xi64>
  return
}

// -----

func.func @ctc_align_c1(%a0: tensor<4xi64>) {
  // expected-error@+1 {{C1: }}
  %0:2 = "pd.ctc_align"(%a0) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4xi64>) -> (tensor<4xi64>, tensor<4x1xi64>)
  return
}

// -----

func.func @edit_distance_c1(%a0: tensor<4xi64>, %a1: tensor<4xi64>) {
  // expected-error@+1 {{C1: }}
  %0:2 = "pd.edit_distance"(%a0, %a1) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>}> : (tensor<4xi64>, tensor<4xi64>) -> (tensor<1xi64>, tensor<4x1xf32>)
  return
}

// -----

func.func @gather_tree_c1(%a0: tensor<2x3xi64>, %a1: tensor<2x3xi64>) {
  // expected-error@+1 {{C1: }}
  %0 = "pd.gather_tree"(%a0, %a1) : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  return
}

// -----

func.func @viterbi_c1(%a0: tensor<2x3xf32>, %a1: tensor<3x3xf32>, %a2: tensor<2xi64>) {
  // expected-error@+1 {{C1: }}
  %0:2 = "pd.viterbi_decode"(%a0, %a1, %a2) : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2x?xi64>)
  return
}

// -----

func.func @linear_chain_crf_c1(%b: tensor<5x3xf32>, %c: tensor<6x1xi64>, %offsets: tensor<4xi64>, %v0: tensor<2x6x3xf32>) {
  // expected-error@+1 {{C1: emission must have rank 2, found tensor<2x6x3xf32>}}
  %0:4 = pd.linear_chain_crf %v0, %b, %c offsets = %offsets : (tensor<2x6x3xf32>, tensor<5x3xf32>, tensor<6x1xi64>, tensor<4xi64>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<5x3xf32>, tensor<3x1xf32>)
  return
}

// -----

func.func @warpctc_c1(%logits: tensor<4x3xf64>, %label: tensor<2x2xi32>) {
  // expected-error@+1 {{C1: logits must have rank 3 and label rank 2, found tensor<4x3xf64>, tensor<2x2xi32>}}
  %0:2 = pd.warpctc %logits, %label {blank = 2 : i64} : (tensor<4x3xf64>, tensor<2x2xi32>) -> (tensor<2x1xf64>, tensor<4x2x3xf64>)
  return
}

// -----

func.func @warpctc_c1_label(%logits: tensor<4x2x3xf64>, %label: tensor<2x2x1xi32>) {
  // expected-error@+1 {{C1: logits must have rank 3 and label rank 2, found tensor<4x2x3xf64>, tensor<2x2x1xi32>}}
  %0:2 = pd.warpctc %logits, %label {blank = 2 : i64} : (tensor<4x2x3xf64>, tensor<2x2x1xi32>) -> (tensor<2x1xf64>, tensor<4x2x3xf64>)
  return
}

// -----

func.func @gather_tree_c1_parents(%a: tensor<3x2x2xi64>, %v1: tensor<9x2x2xi64>) {
  // expected-error@+1 {{C1: ids must have rank 3, and parents its dimensions, found tensor<3x2x2xi64>, tensor<9x2x2xi64>}}
  %0 = pd.gather_tree %a, %v1 : (tensor<3x2x2xi64>, tensor<9x2x2xi64>) -> tensor<3x2x2xi64>
  return
}

// -----

func.func @viterbi_decode_c1_lengths(%x: tensor<2x4x3xf32>, %transition: tensor<3x3xf32>, %v2: tensor<2x1xi64>) {
  // expected-error@+1 {{C1: x must have rank 3, transition rank 2 and lengths rank 1, found tensor<2x4x3xf32>, tensor<3x3xf32>, tensor<2x1xi64>}}
  %0:2 = pd.viterbi_decode %x, %transition, %v2 {include_bos_eos_tag = false} : (tensor<2x4x3xf32>, tensor<3x3xf32>, tensor<2x1xi64>) -> (tensor<2xf32>, tensor<2x?xi64>)
  return
}

// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @rows
func.func @rows(%x: tensor<6x2xf32>, %i: tensor<6x1xi64>, %o: tensor<4xi64>, %y: tensor<5xi64>, %f: tensor<6x4xf32>, %w: tensor<2x2xf32>, %l: tensor<3xi64>) {
  // CHECK: pd.sequence_expand
  %0:2 = pd.sequence_expand %x, %y, %o : (tensor<6x2xf32>, tensor<5xi64>, tensor<4xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  // CHECK: pd.sequence_expand_as
  %1 = pd.sequence_expand_as %x, %i, %o : (tensor<6x2xf32>, tensor<6x1xi64>, tensor<4xi64>) -> tensor<6x2xf32>
  // CHECK: pd.sequence_erase
  %2:2 = pd.sequence_erase %i, %o {tokens = array<i64: 1, 2>} : (tensor<6x1xi64>, tensor<4xi64>) -> (tensor<?x1xi64>, tensor<4xi64>)
  // CHECK: pd.sequence_conv
  %3 = pd.sequence_conv %x, %o, %f {context_length = 3, context_start = -1} : (tensor<6x2xf32>, tensor<4xi64>, tensor<6x4xf32>) -> tensor<6x4xf32>
  // CHECK: pd.sequence_mask
  %4 = pd.sequence_mask %l {maxlen = 4, out_dtype = f32} : (tensor<3xi64>) -> tensor<3x4xf32>
  // CHECK: pd.row_conv
  %5 = pd.row_conv %x, %w, %o : (tensor<6x2xf32>, tensor<2x2xf32>, tensor<4xi64>) -> tensor<6x2xf32>
  return
}

// CHECK-LABEL: @labels
func.func @labels(%e: tensor<2x4x3xf32>, %t: tensor<5x3xf32>, %s: tensor<3x3xf32>, %l: tensor<2x4xi64>, %n: tensor<2xi64>, %c: tensor<2x1xf32>) {
  // CHECK: pd.linear_chain_crf_grad {{.*}} length = {{.*}} cotangent =
  %0:2 = pd.linear_chain_crf_grad %e, %t, %l length = %n cotangent = %c : (tensor<2x4x3xf32>, tensor<5x3xf32>, tensor<2x4xi64>, tensor<2xi64>, tensor<2x1xf32>) -> (tensor<2x4x3xf32>, tensor<5x3xf32>)
  // CHECK: pd.viterbi_decode
  %1:2 = pd.viterbi_decode %e, %s, %n {include_bos_eos_tag = false} : (tensor<2x4x3xf32>, tensor<3x3xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2x?xi64>)
  // CHECK: pd.ctc_align
  %2:2 = pd.ctc_align %l length = %n {blank = 1} : (tensor<2x4xi64>, tensor<2xi64>) -> (tensor<2x4xi64>, tensor<2x1xi64>)
  // CHECK: pd.edit_distance
  %3:2 = pd.edit_distance %l, %l hyps_length = %n refs_length = %n : (tensor<2x4xi64>, tensor<2x4xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1xi64>, tensor<2x1xf32>)
  return
}

// CHECK-LABEL: @layers
func.func @layers(%x: tensor<6x9xf32>, %w: tensor<3x9xf32>, %y: tensor<6x12xf32>, %v: tensor<3x12xf32>, %b: tensor<1x12xf32>, %o: tensor<4xi64>, %h: tensor<6x3xf32>) {
  // CHECK: pd.gru_grad {{.*}} cotangent =
  %0:4 = pd.gru_grad %x, %w, %o cotangent = %h : (tensor<6x9xf32>, tensor<3x9xf32>, tensor<4xi64>, tensor<6x3xf32>) -> (tensor<6x9xf32>, tensor<3x9xf32>, tensor<3x3xf32>, tensor<1x9xf32>)
  // CHECK: pd.lstm_grad {{.*}} hidden =
  %1:5 = pd.lstm_grad %y, %v, %b, %o hidden = %h {use_peepholes = false} : (tensor<6x12xf32>, tensor<3x12xf32>, tensor<1x12xf32>, tensor<4xi64>, tensor<6x3xf32>) -> (tensor<6x12xf32>, tensor<3x12xf32>, tensor<1x12xf32>, tensor<3x3xf32>, tensor<3x3xf32>)
  return
}

// CHECK-LABEL: @attention
func.func @attention(%x: tensor<?x3xf32>, %o: tensor<?xi64>, %c: tensor<2x4xf32>, %a: tensor<7x1xf32>, %w: tensor<7x16xf32>, %b: tensor<1x16xf32>, %s: tensor<1xf32>) -> tensor<?x4xf32> {
  // CHECK: pd.attention_lstm {{.*}} scalar = %{{.*}} {cell_activation = "relu"} {{.*}} -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %0:2 = pd.attention_lstm %x, %o, %c, %a, %w, %b scalar = %s {cell_activation = "relu"} : (tensor<?x3xf32>, tensor<?xi64>, tensor<2x4xf32>, tensor<7x1xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<1xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %0#0 : tensor<?x4xf32>
}

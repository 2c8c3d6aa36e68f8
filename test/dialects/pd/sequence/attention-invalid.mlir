// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1(%x: tensor<5x3xf32>, %o: tensor<3xi64>, %c: tensor<2x4xf32>, %a: tensor<7x1xf32>, %w: tensor<7x12xf32>, %b: tensor<1x16xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{C1: x must be [T, M], c0 [sequences, D] and lstm_weight [D + M, 4 D]}}
  %0:2 = pd.attention_lstm %x, %o, %c, %a, %w, %b : (tensor<5x3xf32>, tensor<3xi64>, tensor<2x4xf32>, tensor<7x1xf32>, tensor<7x12xf32>, tensor<1x16xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return
}

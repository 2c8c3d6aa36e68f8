// RUN: proa-opt %s --pd-accumulate=function=main --verify-diagnostics

func.func @main(%x: tensor<2x6xf32> {pd.feed = "x"}) -> tensor<2x6xf32> {
  // expected-error@+1 {{calls cannot be computed on micro-batches; inline them first}}
  %0 = call @main(%x) : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

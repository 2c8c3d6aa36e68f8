// RUN: proa-opt %s --split-input-file --pd-accumulate=function=main --verify-diagnostics

func.func @main(%x: tensor<2x6xf32> {pd.feed = "x"}) -> tensor<2x6xf32> {
  // expected-error@+1 {{calls cannot be computed on micro-batches; inline them first}}
  %0 = call @main(%x) : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

dist.mesh @m = <["x"=2]>

// A collective of one device has the dims of the batch.
func.func @main(%x: tensor<8xf32> {pd.feed = "x"}) -> tensor<f32> {
  // expected-error@+2 {{C8: expected a local tensor of type 'tensor<8xf32>', found 'tensor<4xf32>'}}
  // expected-error@+1 {{'dist.all_reduce' cannot be computed on micro-batches}}
  %0 = dist.all_reduce %x of tensor<8xf32> from <@m, [{}], partial = [sum {"x"}]> to <@m, [{}]> : tensor<8xf32> -> tensor<8xf32>
  %1 = pd.mean %0 : (tensor<8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

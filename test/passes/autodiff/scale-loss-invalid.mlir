// RUN: proa-opt %s --pd-scale-loss='function=main dynamic=true' --verify-diagnostics

// expected-error@+1 {{has callers; dynamic loss scaling adds arguments and results for its state}}
func.func @main(%arg0: tensor<2xf32> {pd.feed = "x"}) -> (tensor<2xf32> {pd.fetch = "y"}) {
  %0 = pd.relu %arg0 : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @caller(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @main(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

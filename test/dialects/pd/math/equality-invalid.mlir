// RUN: proa-opt --split-input-file --verify-diagnostics %s

func.func @negative(%x: tensor<2xf32>) -> tensor<2xi1> {
  // expected-error @+2 {{C3: tolerance must be finite and not negative, found -1.000000e+00 on tensor<2xf32>}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = pd.equal %x, %x {tolerance = -1.0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

func.func @integers(%x: tensor<2xi32>) -> tensor<2xi1> {
  // expected-error @+2 {{C3: tolerance must be finite and not negative, and 0 on elements that are not floats}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = pd.not_equal %x, %x {tolerance = 1.0e-8} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

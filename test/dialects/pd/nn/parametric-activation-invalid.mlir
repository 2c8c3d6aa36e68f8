// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @prelu_c2(%a: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{C2: alpha must have 3 elements in mode channel, found 4}}
  %0 = "pd.prelu"(%a, %b) {mode = #pd<prelu_mode channel>} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @maxout_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: groups must be above 0 and divide the dim 3, found 2}}
  %0 = "pd.maxout"(%a) {groups = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @maxout_c1(%x: tensor<1x4xf64>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.maxout %x {groups = 2, axis = 2 : i64} : (tensor<1x4xf64>) -> tensor<1x2xf64>
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<4xf32>, %like: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{C1: expected a target of rank up to 1, found 2}}
  %y = pd.reduce_as %x, %like : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

func.func @extent(%x: tensor<4xf32>, %like: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{C2: dimension 0 of the target is 3, expected 1 or 4}}
  %y = pd.reduce_as %x, %like : (tensor<4xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

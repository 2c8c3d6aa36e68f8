// RUN: proa-opt %s --proa-lower-grouped --split-input-file --verify-diagnostics

func.func private @missing(%x: tensor<5x7xf32>, %y: tensor<2x7x33xf32>, %sizes: tensor<2xi32>) -> tensor<5x33xf32>
    attributes {proa.whole_kernel} {
  // expected-error @below {{'proa.loop_tiles' is missing or has no tile for m, n and k (--proa-choose-contraction)}}
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<5x7xf32>, tensor<2x7x33xf32>, tensor<2xi32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}

// -----

func.func private @empty(%x: tensor<5x7xf32>, %y: tensor<2x7x33xf32>, %sizes: tensor<2xi32>) -> tensor<5x33xf32>
    attributes {proa.whole_kernel} {
  // expected-error @below {{'proa.loop_tiles' is missing or has no tile for m, n and k}}
  %0 = pd.grouped_matmul %x, %y, %sizes {proa.loop_tiles = array<i64: 0, 32, 16>}
      : (tensor<5x7xf32>, tensor<2x7x33xf32>, tensor<2xi32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}

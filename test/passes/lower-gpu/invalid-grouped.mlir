// RUN: proa-opt %s --proa-lower-grouped --split-input-file --verify-diagnostics

func.func private @missing(%x: tensor<5x7xf32>, %y: tensor<2x7x33xf32>, %sizes: tensor<2xi32>) -> tensor<5x33xf32>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{'proa.contraction' is missing or has no tile for m, n and k (--proa-choose-contraction)}}
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<5x7xf32>, tensor<2x7x33xf32>, tensor<2xi32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}

// -----

func.func private @short(%x: tensor<5x7xf32>, %y: tensor<2x7x33xf32>, %sizes: tensor<2xi32>) -> tensor<5x33xf32>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{'proa.contraction' is missing or has no tile for m, n and k}}
  %0 = pd.grouped_matmul %x, %y, %sizes {proa.contraction = #proa.contraction<kind = fma, tile = [32, 16], warp = [4, 4]>}
      : (tensor<5x7xf32>, tensor<2x7x33xf32>, tensor<2xi32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}

// -----

func.func private @split(%x: tensor<5x7xf32>, %y: tensor<2x7x33xf32>, %sizes: tensor<2xi32>) -> tensor<5x33xf32>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{`split_k` is 2, expected 1 for groups of rows}}
  %0 = pd.grouped_matmul %x, %y, %sizes
      {proa.contraction = #proa.contraction<kind = fma, tile = [32, 32, 16], warp = [4, 4], split_k = 2>}
      : (tensor<5x7xf32>, tensor<2x7x33xf32>, tensor<2xi32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-decompose=only=pd.vjp

func.func @rank(%x: tensor<1x2x4x4xf32>, %d: tensor<3x3xf32>) {
  // expected-error @+1 {{C1: input and out_gradient must have rank 4, found ranks 4 and 2}}
  %0 = pd.conv2d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<3x3xf32>) -> tensor<3x2x2x2xf32>
  return
}

// -----

func.func @element(%x: tensor<1x2x4x4xf32>, %d: tensor<1x3x3x3xf64>) {
  // expected-error @+1 {{C2: input and out_gradient must have one element type}}
  %0 = pd.conv2d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x3x3x3xf64>) -> tensor<3x2x2x2xf32>
  return
}

// -----

func.func @kernel(%x: tensor<1x2x4x4xf32>, %d: tensor<1x3x3x3xf32>) {
  // expected-error @+1 {{C3: kernel_size must be 2 positive numbers}}
  %0 = pd.conv2d_weight_gradient %x, %d {kernel_size = array<i64: 2>} : (tensor<1x2x4x4xf32>, tensor<1x3x3x3xf32>) -> tensor<3x2x2x2xf32>
  return
}

// -----

func.func @groups(%x: tensor<1x2x4x4xf32>, %d: tensor<1x3x3x3xf32>) {
  // expected-error @+1 {{C4: groups must be above 0 and divide 2 and 3 channels, found 2}}
  %0 = pd.conv2d_weight_gradient %x, %d {groups = 2 : i64, kernel_size = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x3x3x3xf32>) -> tensor<3x1x2x2xf32>
  return
}

// -----

func.func @extents(%x: tensor<1x2x4x4xf32>, %d: tensor<1x3x3x2xf32>) {
  // expected-error @+1 {{C7: out_gradient must have the dim 3 in spatial dimension 1, found 2}}
  %0 = pd.conv2d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>) -> tensor<3x2x2x2xf32>
  return
}

// -----

func.func @pooled(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x3x3xf32>) {
  // expected-error @+1 {{C7: out_gradient must be tensor<1x2x2x2xf32>, found tensor<1x2x3x3xf32>}}
  %0 = pd.pool2d_gradient %x, %d {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @resized(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x8x7xf32>) {
  // expected-error @+1 {{C2: out_gradient must be tensor<1x2x8x8xf32>, found tensor<1x2x8x7xf32>}}
  %0 = pd.interpolate_gradient %x, %d interp_method = nearest {out_h = 8 : i64, out_w = 8 : i64} : (tensor<1x2x4x4xf32>, tensor<1x2x8x7xf32>) -> tensor<1x2x4x4xf32>
  return
}

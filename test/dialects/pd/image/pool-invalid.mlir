// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @pool_c1(%a: tensor<2x4x4xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 2, 2>} : (tensor<2x4x4xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @pool_c2(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{C2: kernel_size must be 2 positive numbers}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @pool_c3(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{C3: strides must be 2 positive numbers, found [0, 0]}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 2, 2>, strides = array<i64: 0, 0>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

// Near miss: adaptive windows ignore strides, but their number must be right.
func.func @adaptive_ignores_strides(%a: tensor<1x2x4x4xf32>) {
  %0 = pd.pool2d %a {kernel_size = array<i64: 3, 3>, strides = array<i64: 0, 0>, adaptive = true} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  // expected-error@+1 {{C3: strides must be 2 numbers, found [0]}}
  %1 = pd.pool2d %a {kernel_size = array<i64: 3, 3>, strides = array<i64: 0>, adaptive = true} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @global_pool_c3(%a: tensor<1x2x4x4xf32>) {
  %0 = pd.pool2d %a {strides = array<i64: -1, 2>, global_pooling = true} : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
  // expected-error@+1 {{C3: strides must be 2 numbers other than 0, found [1, 0]}}
  %1 = pd.pool2d %a {strides = array<i64: 1, 0>, global_pooling = true} : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
  return
}

// -----

func.func @max_pool2d_with_index_c3(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{C3: strides must be 2 numbers other than 0, found [0, 0]}}
  %0:2 = pd.max_pool2d_with_index %a {strides = array<i64: 0, 0>, global_pooling = true} : (tensor<1x2x4x4xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>)
  return
}

// -----

func.func @pool_c5(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{C5: the window must fit into the padded input, found a window of 5 and an input of 4}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 5, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @max_pool2d_with_index_c1(%v0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 2}}
  %0:2 = pd.max_pool2d_with_index %v0 {global_pooling = true} : (tensor<2x3xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>)
  return
}

// -----

func.func @max_pool3d_with_index_c1(%v0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: x must have rank 5, found rank 2}}
  %0:2 = pd.max_pool3d_with_index %v0 {kernel_size = array<i64: 2, 2, 2>, paddings = array<i64: 0, 0, 0>, strides = array<i64: 2, 2, 2>} : (tensor<2x3xf32>) -> (tensor<1x1x2x2x2xf32>, tensor<1x1x2x2x2xi32>)
  return
}

// -----

func.func @max_pool3d_with_index_c2(%x: tensor<1x1x4x4x4xf32>) {
  // expected-error@+1 {{C2: kernel_size must be 3 positive numbers}}
  %0:2 = pd.max_pool3d_with_index %x {kernel_size = array<i64: 0, 0, 0>, paddings = array<i64: 0, 0, 0>, strides = array<i64: 2, 2, 2>} : (tensor<1x1x4x4x4xf32>) -> (tensor<1x1x2x2x2xf32>, tensor<1x1x2x2x2xi32>)
  return
}

// -----

func.func @max_pool3d_with_index_c5(%x: tensor<1x1x4x4x4xf32>) {
  // expected-error@+1 {{C5: the window must fit into the padded input, found a window of 99 and an input of 4 with paddings 0 and 0 in spatial dimension 0}}
  %0:2 = pd.max_pool3d_with_index %x {kernel_size = array<i64: 99, 99, 99>, paddings = array<i64: 0, 0, 0>, strides = array<i64: 2, 2, 2>} : (tensor<1x1x4x4x4xf32>) -> (tensor<1x1x2x2x2xf32>, tensor<1x1x2x2x2xi32>)
  return
}

// -----

func.func @pool2d_gradient_c1(%d: tensor<1x2x2x2xf32>, %v0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 2}}
  %0 = pd.pool2d_gradient %v0, %d pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x3xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @pool2d_gradient_c2(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x2x2xf32>) {
  // expected-error@+1 {{C2: kernel_size must be 2 positive numbers}}
  %0 = pd.pool2d_gradient %x, %d pooling_type = avg {kernel_size = array<i64: 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @pool2d_gradient_c3(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x2x2xf32>) {
  // expected-error@+1 {{C3: strides must be 2 positive numbers, found [0, 0]}}
  %0 = pd.pool2d_gradient %x, %d pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 0, 0>} : (tensor<1x2x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @pool2d_gradient_c5(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x2x2xf32>) {
  // expected-error@+1 {{C5: the window must fit into the padded input, found a window of 99 and an input of 4 with paddings 0 and 0 in spatial dimension 0}}
  %0 = pd.pool2d_gradient %x, %d pooling_type = avg {kernel_size = array<i64: 99, 99>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @pool3d_c1(%v0: tensor<2x3xf64>) {
  // expected-error@+1 {{C1: x must have rank 5, found rank 2}}
  %0 = pd.pool3d %v0 pooling_type = avg {kernel_size = array<i64: 2, 2, 2>} : (tensor<2x3xf64>) -> tensor<1x2x2x3x2xf64>
  return
}

// -----

func.func @pool3d_c2(%x: tensor<1x2x3x4x3xf64>) {
  // expected-error@+1 {{C2: kernel_size must be 3 positive numbers}}
  %0 = pd.pool3d %x pooling_type = avg {kernel_size = array<i64: 0, 0, 0>} : (tensor<1x2x3x4x3xf64>) -> tensor<1x2x2x3x2xf64>
  return
}

// -----

func.func @pool3d_c3(%x: tensor<1x2x3x4x3xf64>) {
  // expected-error@+1 {{C3: strides must be 3 positive numbers, found [0, 0, 0]}}
  %0 = pd.pool3d %x pooling_type = avg {kernel_size = array<i64: 2, 2, 2>, strides = array<i64: 0, 0, 0>} : (tensor<1x2x3x4x3xf64>) -> tensor<1x2x2x3x2xf64>
  return
}

// -----

func.func @pool3d_c5(%x: tensor<1x2x3x4x3xf64>) {
  // expected-error@+1 {{C5: the window must fit into the padded input, found a window of 99 and an input of 3 with paddings 0 and 0 in spatial dimension 0}}
  %0 = pd.pool3d %x pooling_type = avg {kernel_size = array<i64: 99, 99, 99>} : (tensor<1x2x3x4x3xf64>) -> tensor<1x2x2x3x2xf64>
  return
}

// -----

func.func @pool3d_gradient_c1(%d: tensor<1x2x2x2x2xf32>, %v0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: x must have rank 5, found rank 2}}
  %0 = pd.pool3d_gradient %v0, %d {kernel_size = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<2x3xf32>, tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @pool3d_gradient_c2(%x: tensor<1x2x4x4x4xf32>, %d: tensor<1x2x2x2x2xf32>) {
  // expected-error@+1 {{C2: kernel_size must be 3 positive numbers}}
  %0 = pd.pool3d_gradient %x, %d {kernel_size = array<i64: 0, 0, 0>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x4x4x4xf32>, tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @pool3d_gradient_c3(%x: tensor<1x2x4x4x4xf32>, %d: tensor<1x2x2x2x2xf32>) {
  // expected-error@+1 {{C3: strides must be 3 positive numbers, found [0, 0, 0]}}
  %0 = pd.pool3d_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>, strides = array<i64: 0, 0, 0>} : (tensor<1x2x4x4x4xf32>, tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @pool3d_gradient_c5(%x: tensor<1x2x4x4x4xf32>, %d: tensor<1x2x2x2x2xf32>) {
  // expected-error@+1 {{C5: the window must fit into the padded input, found a window of 99 and an input of 4 with paddings 0 and 0 in spatial dimension 0}}
  %0 = pd.pool3d_gradient %x, %d {kernel_size = array<i64: 99, 99, 99>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x4x4x4xf32>, tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @max_pool2d_with_index_c2(%x: tensor<1x2x6x6xf32>) {
  // expected-error@+1 {{C2: kernel_size must be 2 positive numbers}}
  %0:2 = pd.max_pool2d_with_index %x {kernel_size = array<i64: 2>} : (tensor<1x2x6x6xf32>) -> (tensor<1x2x5x5xf32>, tensor<1x2x5x5xi32>)
  return
}

// -----

func.func @max_pool2d_with_index_c5(%x: tensor<1x2x6x6xf32>) {
  // expected-error@+1 {{C5: the window must fit into the padded input, found a window of 9 and an input of 6 with paddings 0 and 0 in spatial dimension 0}}
  %0:2 = pd.max_pool2d_with_index %x {kernel_size = array<i64: 9, 2>} : (tensor<1x2x6x6xf32>) -> (tensor<1x2x5x5xf32>, tensor<1x2x5x5xi32>)
  return
}

// -----

func.func @max_pool2d_with_index_c3(%x: tensor<1x2x6x6xf32>) {
  // expected-error@+1 {{C3: strides must be 2 positive numbers, found [0, 1]}}
  %0:2 = pd.max_pool2d_with_index %x {kernel_size = array<i64: 2, 2>, strides = array<i64: 0, 1>} : (tensor<1x2x6x6xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xi32>)
  return
}

// -----

func.func @max_pool3d_with_index_c3(%x: tensor<1x1x4x4x4xf32>) {
  // expected-error@+1 {{C3: strides must be 3 positive numbers, found [0, 2, 2]}}
  %0:2 = pd.max_pool3d_with_index %x {kernel_size = array<i64: 2, 2, 2>, paddings = array<i64: 0, 0, 0>, strides = array<i64: 0, 2, 2>} : (tensor<1x1x4x4x4xf32>) -> (tensor<1x1x2x2x2xf32>, tensor<1x1x2x2x2xi32>)
  return
}

// -----

func.func @pool2d_gradient_c7(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x3x2xf32>) {
  // expected-error@+1 {{C7: out_gradient must be tensor<1x2x2x2xf32>, found tensor<1x2x3x2xf32>}}
  %0 = pd.pool2d_gradient %x, %d pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @pool3d_gradient_c7(%x: tensor<1x2x4x4x4xf32>, %d: tensor<1x2x3x2x2xf32>) {
  // expected-error@+1 {{C7: out_gradient must be tensor<1x2x2x2x2xf32>, found tensor<1x2x3x2x2xf32>}}
  %0 = pd.pool3d_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x4x4x4xf32>, tensor<1x2x3x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

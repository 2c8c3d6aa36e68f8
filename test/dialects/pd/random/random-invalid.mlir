// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @randint_c3() {
  // expected-error@+1 {{C3: low must be below high, found 5 and 5}}
  %0 = "pd.randint"() {shape = array<i64: 2>, dtype = i64, low = 5 : i64, high = 5 : i64, operandSegmentSizes = array<i32: 0, 0, 0>} : () -> tensor<2xi64>
  return
}

// -----

func.func @randperm_c1() {
  // expected-error@+1 {{C1: n must not be negative, found -1}}
  %0 = "pd.randperm"() {n = -1 : i64, dtype = i64} : () -> tensor<2xi64>
  return
}

// -----

func.func @gumbel_c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: axis must be in [-1, 1), found 1}}
  %0 = "pd.gumbel_softmax"(%x) {axis = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @multinomial_c1(%x: tensor<2x2x2xf32>) {
  // expected-error@+1 {{C1: x must have rank 1 or 2, found 3}}
  %0 = "pd.multinomial"(%x) : (tensor<2x2x2xf32>) -> tensor<2x2x1xi64>
  return
}

// -----

func.func @multinomial_c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{C2: num_samples must be above 0, found 0}}
  %0 = "pd.multinomial"(%x) {num_samples = 0 : i64} : (tensor<2xf32>) -> tensor<0xi64>
  return
}

// -----

func.func @sampling_c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: x must have rank 2, found 1}}
  %0 = "pd.sampling_id"(%x) : (tensor<2xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @shuffle_c1(%x: tensor<f32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{C1: x must have a dimension}}
  %0:3 = "pd.shuffle_batch"(%x, %s) : (tensor<f32>, tensor<1xi64>) -> (tensor<f32>, tensor<1xi64>, tensor<1xi64>)
  return
}

// -----

func.func @centers_c1(%x: tensor<2xi64>) {
  // expected-error@+1 {{C1: nranks must be 1, found 2}}
  %0:2 = "pd.class_center_sample"(%x) {num_classes = 4 : i64, num_samples = 2 : i64, nranks = 2 : i64} : (tensor<2xi64>) -> (tensor<2xi64>, tensor<?xi64>)
  return
}

// -----

func.func @centers_c2(%x: tensor<2xi64>) {
  // expected-error@+1 {{C2: num_samples must be in [1, num_classes], found 5}}
  %0:2 = "pd.class_center_sample"(%x) {num_classes = 4 : i64, num_samples = 5 : i64} : (tensor<2xi64>) -> (tensor<2xi64>, tensor<?xi64>)
  return
}

// -----

func.func @uniform_c2_tensor(%a0: tensor<?xi64>) {
  // expected-error@+1 {{C2: a tensor of dims must have a static number of elements}}
  %0 = "pd.uniform"(%a0) <{dtype = f32, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<?xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gaussian_c3() {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  %0 = "pd.gaussian"() <{dtype = f32, shape = array<i64: 2>, operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> tensor<2xf64>
  return
}

// -----

func.func @poisson_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf64>'}}
  %0 = "pd.poisson"(%a0) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @randint_c2(%a0: tensor<?xi64>) {
  // expected-error@+1 {{C2: a tensor of dims must have a static number of elements}}
  %0 = "pd.randint"(%a0) <{dtype = i64, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<?xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @binomial_c1(%a0: tensor<2xi64>, %a1: tensor<3xf32>) {
  // expected-error@+1 {{C1: count and prob must have the same dims, found tensor<2xi64> and tensor<3xf32>}}
  %0 = pd.binomial %a0, %a1 : (tensor<2xi64>, tensor<3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @bernoulli_c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<7xf32>'}}
  %0 = pd.bernoulli %x : (tensor<2xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @dirichlet_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf32>' are incompatible with return type(s) of operation 'tensor<2x9xf32>'}}
  %0 = pd.dirichlet %x : (tensor<2x4xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @exponential_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf32>' are incompatible with return type(s) of operation 'tensor<2x9xf32>'}}
  %0 = pd.exponential %x {lambda = 2.0 : f64} : (tensor<2x4xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @gaussian_inplace_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf32>' are incompatible with return type(s) of operation 'tensor<2x9xf32>'}}
  %0 = pd.gaussian_inplace %x : (tensor<2x4xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @standard_gamma_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf32>' are incompatible with return type(s) of operation 'tensor<2x9xf32>'}}
  %0 = pd.standard_gamma %x : (tensor<2x4xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @uniform_inplace_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf32>' are incompatible with return type(s) of operation 'tensor<2x9xf32>'}}
  %0 = pd.uniform_inplace %x : (tensor<2x4xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @binomial_c2(%count: tensor<3xi64>, %prob: tensor<3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3xi64>' are incompatible with return type(s) of operation 'tensor<3xi32>'}}
  %0 = pd.binomial %count, %prob : (tensor<3xi64>, tensor<3xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @gaussian_c2_tensor(%shape_tensor: tensor<?xi64>) {
  // expected-error@+1 {{C2: a tensor of dims must have a static number of elements}}
  %0 = pd.gaussian  shape = %shape_tensor {dtype = f64, mean = -1.000000e+00 : f64, shape = array<i64: 7, 3>, std = 5.000000e-01 : f64} : (tensor<?xi64>) -> tensor<7x3xf64>
  return
}

// -----

func.func @truncated_gaussian_random_c2_tensor(%shape_tensor: tensor<?xi64>) {
  // expected-error@+1 {{C2: a tensor of dims must have a static number of elements}}
  %0 = pd.truncated_gaussian_random  shape = %shape_tensor {dtype = f64, mean = 1.000000e+00 : f64, shape = array<i64: 40>, std = 2.000000e+00 : f64} : (tensor<?xi64>) -> tensor<40xf64>
  return
}

// -----

func.func @truncated_gaussian_random_c3() {
  // expected-error@+1 {{inferred type(s) 'tensor<40xf64>' are incompatible with return type(s) of operation 'tensor<40xf32>'}}
  %0 = pd.truncated_gaussian_random  {dtype = f64, mean = 1.000000e+00 : f64, shape = array<i64: 40>, std = 2.000000e+00 : f64} : () -> tensor<40xf32>
  return
}

// -----

func.func @uniform_c3() {
  // expected-error@+1 {{inferred type(s) 'tensor<32x32xf32>' are incompatible with return type(s) of operation 'tensor<32x32xf64>'}}
  %0 = pd.uniform {shape = array<i64: 32, 32>, dtype = f32} : () -> tensor<32x32xf64>
  return
}

// -----

func.func @uniform_random_batch_size_like_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.uniform_random_batch_size_like %x {shape = array<i64: -1, 7>, dtype = f32, output_dim_idx = 2 : i64} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @uniform_random_batch_size_like_c2(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: dims must not be negative, found -7}}
  %0 = pd.uniform_random_batch_size_like %x {shape = array<i64: -1, -7>, dtype = f32} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @gaussian_random_batch_size_like_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.gaussian_random_batch_size_like %x {shape = array<i64: -1, 7>, dtype = f32, output_dim_idx = 2 : i64} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @gaussian_random_batch_size_like_c2(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: dims must not be negative, found -7}}
  %0 = pd.gaussian_random_batch_size_like %x {shape = array<i64: -1, -7>, dtype = f32} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @uniform_c1() {
  // expected-error@+1 {{C1: dims must not be negative, found -2}}
  %0 = pd.uniform {shape = array<i64: 2, -2>, dtype = f32} : () -> tensor<2x2xf32>
  return
}

// -----

func.func @gaussian_c1() {
  // expected-error@+1 {{C1: dims must not be negative, found -2}}
  %0 = pd.gaussian {shape = array<i64: 2, -2>, dtype = f32} : () -> tensor<2x2xf32>
  return
}

// -----

func.func @truncated_gaussian_random_c1() {
  // expected-error@+1 {{C1: dims must not be negative, found -2}}
  %0 = pd.truncated_gaussian_random {shape = array<i64: 2, -2>, dtype = f32} : () -> tensor<2x2xf32>
  return
}

// -----

func.func @randint_c1() {
  // expected-error@+1 {{C1: dims must not be negative, found -2}}
  %0 = pd.randint {shape = array<i64: 2, -2>, dtype = i64} : () -> tensor<2x2xi64>
  return
}

// -----

func.func @uniform_c5() {
  // expected-error@+1 {{C5: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = pd.uniform  {dtype = f32, shape = array<i64: 2, 3>, whole_shape = array<i64: 4, 3>} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @uniform_c5_begin(%b: tensor<2xi64>) {
  // expected-error@+1 {{C5: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = pd.uniform  part_begin = %b {dtype = f32, shape = array<i64: 2, 3>} : (tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gaussian_c5(%b: tensor<2xi64>) {
  // expected-error@+1 {{C5: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = pd.gaussian  part_begin = %b {dtype = f32, shape = array<i64: 2, 3>, whole_shape = array<i64: 4>} : (tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @truncated_gaussian_random_c5(%b: tensor<1xi64>) {
  // expected-error@+1 {{C5: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = pd.truncated_gaussian_random  part_begin = %b {dtype = f32, shape = array<i64: 2, 3>, whole_shape = array<i64: 4, 3>} : (tensor<1xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @randint_c5(%b: tensor<2x1xi64>) {
  // expected-error@+1 {{C5: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = pd.randint  part_begin = %b {dtype = i64, shape = array<i64: 2, 3>, whole_shape = array<i64: 4, 3>} : (tensor<2x1xi64>) -> tensor<2x3xi64>
  return
}

// -----

func.func @poisson_c5(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C5: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = pd.poisson %x {whole_shape = array<i64: 4, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @standard_gamma_c5(%x: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{C5: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = pd.standard_gamma %x, %b : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binomial_c5(%c: tensor<2x3xi64>, %p: tensor<2x3xf32>) {
  // expected-error@+1 {{C5: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = pd.binomial %c, %p {whole_shape = array<i64: 4, 3>} : (tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xi64>
  return
}

// -----

func.func @skip_random_c1() {
  // expected-error@+1 {{C1: count must be above 0, found 0}}
  pd.skip_random {count = 0 : i64} : () -> ()
  return
}

// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @bernoulli
func.func @bernoulli(%x: tensor<2xf32>) {
  // CHECK: pd.bernoulli %{{.*}} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = pd.bernoulli %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @binomial
func.func @binomial(%count: tensor<3xi64>, %prob: tensor<3xf32>) {
  // CHECK: pd.binomial %{{.*}}, %{{.*}} : (tensor<3xi64>, tensor<3xf32>) -> tensor<3xi64>
  %0 = pd.binomial %count, %prob : (tensor<3xi64>, tensor<3xf32>) -> tensor<3xi64>
  return
}

// CHECK-LABEL: func @class_center_sample
func.func @class_center_sample(%label: tensor<3xi64>) {
  // CHECK: pd.class_center_sample %{{.*}} {num_classes = 9 : i64, num_samples = 4 : i64} : (tensor<3xi64>) -> (tensor<3xi64>, tensor<?xi64>)
  %0:2 = pd.class_center_sample %label {num_classes = 9 : i64, num_samples = 4 : i64} : (tensor<3xi64>) -> (tensor<3xi64>, tensor<?xi64>)
  return
}

// CHECK-LABEL: func @dirichlet
func.func @dirichlet(%x: tensor<2x4xf32>) {
  // CHECK: pd.dirichlet %{{.*}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = pd.dirichlet %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @exponential
func.func @exponential(%x: tensor<2x4xf32>) {
  // CHECK: pd.exponential %{{.*}} {lambda = 2.000000e+00 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = pd.exponential %x {lambda = 2.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @gaussian_inplace
func.func @gaussian_inplace(%x: tensor<2x4xf32>) {
  // CHECK: pd.gaussian_inplace %{{.*}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = pd.gaussian_inplace %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @gaussian
func.func @gaussian() {
  // CHECK: pd.gaussian  {dtype = f64, mean = -1.000000e+00 : f64, shape = array<i64: 7, 3>, std = 5.000000e-01 : f64} : () -> tensor<7x3xf64>
  %0 = pd.gaussian  {dtype = f64, mean = -1.000000e+00 : f64, shape = array<i64: 7, 3>, std = 5.000000e-01 : f64} : () -> tensor<7x3xf64>
  return
}

// CHECK-LABEL: func @gaussian_random_batch_size_like
func.func @gaussian_random_batch_size_like(%input: tensor<2x4xf32>) {
  // CHECK: pd.gaussian_random_batch_size_like %{{.*}} {dtype = f32, shape = array<i64: -1, 7>} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  %0 = pd.gaussian_random_batch_size_like %input {shape = array<i64: -1, 7>, dtype = f32} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  return
}

// CHECK-LABEL: func @gumbel_softmax
func.func @gumbel_softmax(%x: tensor<2x4xf32>) {
  // CHECK: pd.gumbel_softmax %{{.*}} {hard = true} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = pd.gumbel_softmax %x {hard = true} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @multinomial
func.func @multinomial(%x: tensor<2x4xf32>) {
  // CHECK: pd.multinomial %{{.*}} {num_samples = 3 : i64} : (tensor<2x4xf32>) -> tensor<2x3xi64>
  %0 = pd.multinomial %x {num_samples = 3 : i64} : (tensor<2x4xf32>) -> tensor<2x3xi64>
  return
}

// CHECK-LABEL: func @poisson
func.func @poisson(%x: tensor<2x4xf32>) {
  // CHECK: pd.poisson %{{.*}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = pd.poisson %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @randint
func.func @randint() {
  // CHECK: pd.randint  {dtype = i32, seed = 5 : i64, shape = array<i64: 9>} : () -> tensor<9xi32>
  %0 = pd.randint  {dtype = i32, seed = 5 : i64, shape = array<i64: 9>} : () -> tensor<9xi32>
  return
}

// CHECK-LABEL: func @randperm
func.func @randperm() {
  // CHECK: pd.randperm  {dtype = i64, n = 5 : i64} : () -> tensor<5xi64>
  %0 = pd.randperm {n = 5 : i64, dtype = i64} : () -> tensor<5xi64>
  return
}

// CHECK-LABEL: func @sampling_id
func.func @sampling_id(%x: tensor<2x4xf32>) {
  // CHECK: pd.sampling_id %{{.*}} : (tensor<2x4xf32>) -> tensor<2xi64>
  %0 = pd.sampling_id %x : (tensor<2x4xf32>) -> tensor<2xi64>
  return
}

// CHECK-LABEL: func @seed
func.func @seed() {
  // CHECK: pd.seed  {seed = 4 : i64} : () -> tensor<1xi32>
  %0 = pd.seed {seed = 4 : i64} : () -> tensor<1xi32>
  return
}

// CHECK-LABEL: func @shuffle_batch
func.func @shuffle_batch(%x: tensor<2x4xf32>, %seed: tensor<1xi64>) {
  // CHECK: pd.shuffle_batch %{{.*}}, %{{.*}} : (tensor<2x4xf32>, tensor<1xi64>) -> (tensor<2x4xf32>, tensor<2xi64>, tensor<1xi64>)
  %0:3 = pd.shuffle_batch %x, %seed : (tensor<2x4xf32>, tensor<1xi64>) -> (tensor<2x4xf32>, tensor<2xi64>, tensor<1xi64>)
  return
}

// CHECK-LABEL: func @standard_gamma
func.func @standard_gamma(%x: tensor<2x4xf32>) {
  // CHECK: pd.standard_gamma %{{.*}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = pd.standard_gamma %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @truncated_gaussian_random
func.func @truncated_gaussian_random() {
  // CHECK: pd.truncated_gaussian_random  {dtype = f64, mean = 1.000000e+00 : f64, shape = array<i64: 40>, std = 2.000000e+00 : f64} : () -> tensor<40xf64>
  %0 = pd.truncated_gaussian_random  {dtype = f64, mean = 1.000000e+00 : f64, shape = array<i64: 40>, std = 2.000000e+00 : f64} : () -> tensor<40xf64>
  return
}

// CHECK-LABEL: func @uniform_inplace
func.func @uniform_inplace(%x: tensor<2x4xf32>) {
  // CHECK: pd.uniform_inplace %{{.*}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = pd.uniform_inplace %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @uniform
func.func @uniform() {
  // CHECK: pd.uniform  {dtype = f32, shape = array<i64: 32, 32>} : () -> tensor<32x32xf32>
  %0 = pd.uniform {shape = array<i64: 32, 32>, dtype = f32} : () -> tensor<32x32xf32>
  return
}

// CHECK-LABEL: func @uniform_random_batch_size_like
func.func @uniform_random_batch_size_like(%input: tensor<2x4xf32>) {
  // CHECK: pd.uniform_random_batch_size_like %{{.*}} {dtype = f32, shape = array<i64: -1, 7>} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  %0 = pd.uniform_random_batch_size_like %input {shape = array<i64: -1, 7>, dtype = f32} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  return
}

// CHECK-LABEL: func @skip_random
func.func @skip_random() {
  // CHECK: pd.skip_random {{ *}}{count = 3 : i64} : () -> ()
  pd.skip_random {count = 3 : i64} : () -> ()
  return
}

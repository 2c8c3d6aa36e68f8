// Random ops: parsed and printed; equal ones are not merged, unused ones go, nothing is computed at compile time.
// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-refine-shapes --cse --canonicalize | FileCheck %s --check-prefix=CLEAN

// CHECK-LABEL: func @all
// CLEAN-LABEL: func @all
// CLEAN-NEXT: return
func.func @all(%x: tensor<2x4xf32>, %label: tensor<3xi64>, %chance: tensor<3xf32>, %seed: tensor<1xi64>) {
  // CHECK: pd.uniform
  %0 = "pd.uniform"() {shape = array<i64: 2, 3>, dtype = f32, operandSegmentSizes = array<i32: 0, 0, 0>} : () -> tensor<2x3xf32>
  // CHECK: pd.gaussian
  %1 = "pd.gaussian"() {shape = array<i64: 2, 3>, dtype = f64, operandSegmentSizes = array<i32: 0, 0, 0>} : () -> tensor<2x3xf64>
  // CHECK: pd.truncated_gaussian_random
  %2 = "pd.truncated_gaussian_random"() {shape = array<i64: 2, 3>, dtype = f32, operandSegmentSizes = array<i32: 0, 0, 0>} : () -> tensor<2x3xf32>
  // CHECK: pd.randint
  %3 = "pd.randint"() {shape = array<i64: 2, 3>, dtype = i64, operandSegmentSizes = array<i32: 0, 0, 0>} : () -> tensor<2x3xi64>
  // CHECK: pd.randperm
  %4 = pd.randperm {n = 5 : i64, dtype = i64} : () -> tensor<5xi64>
  // CHECK: pd.uniform_random_batch_size_like
  %5 = pd.uniform_random_batch_size_like %x {shape = array<i64: -1, 7>, dtype = f32} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  // CHECK: pd.gaussian_random_batch_size_like
  %6 = pd.gaussian_random_batch_size_like %x {shape = array<i64: -1, 7>, dtype = f32} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  // CHECK: pd.uniform_inplace
  %7 = pd.uniform_inplace %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.gaussian_inplace
  %8 = pd.gaussian_inplace %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.bernoulli
  %9 = pd.bernoulli %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.exponential
  %10 = pd.exponential %x {lambda = 2.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.poisson
  %11 = pd.poisson %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.standard_gamma
  %12 = pd.standard_gamma %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.binomial
  %binomial = pd.binomial %label, %chance : (tensor<3xi64>, tensor<3xf32>) -> tensor<3xi64>
  // CHECK: pd.dirichlet
  %13 = pd.dirichlet %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.gumbel_softmax
  %14 = pd.gumbel_softmax %x {hard = true} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: pd.multinomial
  %15 = pd.multinomial %x {num_samples = 3 : i64} : (tensor<2x4xf32>) -> tensor<2x3xi64>
  // CHECK: pd.sampling_id
  %16 = pd.sampling_id %x : (tensor<2x4xf32>) -> tensor<2xi64>
  // CHECK: pd.seed
  %17 = pd.seed {seed = 4 : i64} : () -> tensor<1xi32>
  // CHECK: pd.shuffle_batch
  %18:3 = pd.shuffle_batch %x, %seed : (tensor<2x4xf32>, tensor<1xi64>) -> (tensor<2x4xf32>, tensor<2xi64>, tensor<1xi64>)
  // CHECK: pd.class_center_sample
  %19:2 = pd.class_center_sample %label {num_classes = 9 : i64, num_samples = 4 : i64} : (tensor<3xi64>) -> (tensor<3xi64>, tensor<?xi64>)
  return
}

// CLEAN-LABEL: func @drawn_twice
func.func @drawn_twice() -> (tensor<3xf32>, tensor<3xf32>) {
  // CLEAN-COUNT-2: pd.uniform
  %0 = "pd.uniform"() {shape = array<i64: 3>, dtype = f32, operandSegmentSizes = array<i32: 0, 0, 0>} : () -> tensor<3xf32>
  %1 = "pd.uniform"() {shape = array<i64: 3>, dtype = f32, operandSegmentSizes = array<i32: 0, 0, 0>} : () -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// A constant probability does not make the draw one.
// CLEAN-LABEL: func @not_folded
func.func @not_folded() -> tensor<2xf32> {
  // CLEAN: %[[U:.*]] = pd.uniform
  // CLEAN: pd.less_than %[[U]]
  %p = pd.constant dense<0.5> : tensor<2xf32>
  %0 = pd.bernoulli %p : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The part of a tensor of 5 x 3 elements that begins at an index.
// CHECK-LABEL: func @parts
func.func @parts(%begin: tensor<2xi64>, %x: tensor<2x3xf32>, %count: tensor<2x3xi64>) {
  // CHECK: pd.uniform  part_begin = %{{.*}} {dtype = f32, shape = array<i64: 2, 3>, whole_shape = array<i64: 5, 3>} : (tensor<2xi64>) -> tensor<2x3xf32>
  %0 = pd.uniform  part_begin = %begin {dtype = f32, shape = array<i64: 2, 3>, whole_shape = array<i64: 5, 3>} : (tensor<2xi64>) -> tensor<2x3xf32>
  // CHECK: pd.poisson %{{.*}}, %{{.*}} {whole_shape = array<i64: 5, 3>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = pd.poisson %x, %begin {whole_shape = array<i64: 5, 3>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  // CHECK: pd.binomial %{{.*}}, %{{.*}}, %{{.*}} {whole_shape = array<i64: 5, 3>} :
  %2 = pd.binomial %count, %x, %begin {whole_shape = array<i64: 5, 3>} : (tensor<2x3xi64>, tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xi64>
  return
}

// Ops in a row become one; an op that samples between them stays where it is.
// CHECK-LABEL: func @skip
// CLEAN-LABEL: func @skip
func.func @skip() -> tensor<2xf32> {
  // CHECK: pd.skip_random {{ *}}{count = 2 : i64} : () -> ()
  // CLEAN: pd.skip_random {{ *}}{count = 5 : i64} : () -> ()
  // CLEAN-NEXT: pd.uniform
  // CLEAN-NEXT: pd.skip_random {{ *}}{count = 4 : i64} : () -> ()
  // CLEAN-NEXT: return
  pd.skip_random {count = 2 : i64} : () -> ()
  pd.skip_random {count = 3 : i64} : () -> ()
  %0 = pd.uniform {dtype = f32, shape = array<i64: 2>} : () -> tensor<2xf32>
  pd.skip_random {count = 4 : i64} : () -> ()
  return %0 : tensor<2xf32>
}

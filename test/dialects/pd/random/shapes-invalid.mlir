// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @uniform_c1(%a0: tensor<?xi64>) {
  // expected-error@+2 {{the number of dimensions is not known: the shape tensor has a dynamic extent}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.uniform"(%a0) <{dtype = f32, operandSegmentSizes = array<i32: 1, 0>}> : (tensor<?xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gaussian_c2() {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.gaussian"() <{dtype = f32, shape = array<i64: 2>, operandSegmentSizes = array<i32: 0, 0>}> : () -> tensor<2xf64>
  return
}

// -----

func.func @poisson_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.poisson"(%a0) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @randint_c2(%a0: tensor<?xi64>) {
  // expected-error@+2 {{the number of dimensions is not known: the shape tensor has a dynamic extent}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.randint"(%a0) <{dtype = i64, operandSegmentSizes = array<i32: 1, 0>}> : (tensor<?xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @binomial_c1(%a0: tensor<2xi64>, %a1: tensor<3xf32>) {
  // expected-error@+2 {{C1: count and prob must have the same dims, found tensor<2xi64> and tensor<3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.binomial %a0, %a1 : (tensor<2xi64>, tensor<3xf32>) -> tensor<2xi64>
  return
}

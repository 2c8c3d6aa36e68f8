// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.max"(%a0) <{axis = array<i64: 2>}> : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2x1xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.prod"(%a0) <{axis = array<i64: 1>}> : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @reduce_bools(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{'pd.all' op operand #0 must be bool tensor of 1-bit signless integer values}}
  %0 = "pd.all"(%a0) : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @sum_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{axis -3 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.sum"(%a0) <{axis = array<i64: -3>}> : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x1xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.sum"(%a0) <{axis = array<i64: 1>, keepdim = true}> : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @sum_c3(%a0: tensor<2xi32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<i64>' are incompatible with return type(s) of operation 'tensor<i32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.sum"(%a0) : (tensor<2xi32>) -> tensor<i32>
  return
}

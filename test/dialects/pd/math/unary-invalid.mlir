// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @same_type_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.exp"(%a0) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @round_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.round"(%a0) : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @float_type(%a0: tensor<2xi32>) {
  // expected-error@+1 {{'pd.erf' op operand #0 must be float tensor of float values, but got 'tensor<2xi32>'}}
  %0 = "pd.erf"(%a0) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @abs_c1(%a0: tensor<2xcomplex<f32>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.abs"(%a0) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @predicate_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xi1>' are incompatible with return type(s) of operation 'tensor<3x2xi1>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.isnan"(%a0) : (tensor<2x3xf32>) -> tensor<3x2xi1>
  return
}

// -----

func.func @cast_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf64>' are incompatible with return type(s) of operation 'tensor<2x3xf16>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.cast"(%a0) <{dtype = f64}> : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

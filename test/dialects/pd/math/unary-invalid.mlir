// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @same_type_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  %0 = "pd.exp"(%a0) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @round_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = "pd.round"(%a0) : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @float_type(%a0: tensor<2xi32>) {
  // expected-error@+1 {{'pd.erf' op operand #0 must be ranked float tensor of float values, but got 'tensor<2xi32>'}}
  %0 = "pd.erf"(%a0) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @abs_c1(%a0: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  %0 = "pd.abs"(%a0) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @predicate_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xi1>' are incompatible with return type(s) of operation 'tensor<3x2xi1>'}}
  %0 = "pd.isnan"(%a0) : (tensor<2x3xf32>) -> tensor<3x2xi1>
  return
}

// -----

func.func @cast_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf64>' are incompatible with return type(s) of operation 'tensor<2x3xf16>'}}
  %0 = "pd.cast"(%a0) <{dtype = f64}> : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

func.func @acos_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.acos %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @acosh_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.acosh %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @asin_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.asin %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @asinh_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.asinh %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @atan_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.atan %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @atanh_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.atanh %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @bitwise_not_c1(%x: tensor<3x4xi1>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x4xi1>' are incompatible with return type(s) of operation 'tensor<3x9xi1>'}}
  %0 = pd.bitwise_not %x : (tensor<3x4xi1>) -> tensor<3x9xi1>
  return
}

// -----

func.func @ceil_c1(%x: tensor<3x1xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x1xf64>' are incompatible with return type(s) of operation 'tensor<3x6xf64>'}}
  %0 = pd.ceil %x : (tensor<3x1xf64>) -> tensor<3x6xf64>
  return
}

// -----

func.func @cos_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.cos %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @cosh_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.cosh %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @erf_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.erf %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @exp_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<13xf32>'}}
  %0 = pd.exp %x : (tensor<8xf32>) -> tensor<13xf32>
  return
}

// -----

func.func @expm1_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.expm1 %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @floor_c1(%x: tensor<3x1xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x1xf64>' are incompatible with return type(s) of operation 'tensor<3x6xf64>'}}
  %0 = pd.floor %x : (tensor<3x1xf64>) -> tensor<3x6xf64>
  return
}

// -----

func.func @isfinite_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xi1>' are incompatible with return type(s) of operation 'tensor<2x8xi1>'}}
  %0 = pd.isfinite %x : (tensor<2x3xf32>) -> tensor<2x8xi1>
  return
}

// -----

func.func @isinf_c1(%x: tensor<12xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<12xi1>' are incompatible with return type(s) of operation 'tensor<17xi1>'}}
  %0 = pd.isinf %x : (tensor<12xf32>) -> tensor<17xi1>
  return
}

// -----

func.func @isnan_c1(%x: tensor<12xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<12xi1>' are incompatible with return type(s) of operation 'tensor<17xi1>'}}
  %0 = pd.isnan %x : (tensor<12xf32>) -> tensor<17xi1>
  return
}

// -----

func.func @log_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.log %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @log10_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.log10 %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @log1p_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.log1p %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @log2_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.log2 %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @logical_not_c1(%x: tensor<i1>) {
  // expected-error@+1 {{inferred type(s) 'tensor<i1>' are incompatible with return type(s) of operation 'tensor<7xi1>'}}
  %0 = pd.logical_not %x : (tensor<i1>) -> tensor<7xi1>
  return
}

// -----

func.func @negate_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x8xf32>'}}
  %0 = pd.negate %x : (tensor<2x3xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @rsqrt_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.rsqrt %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @sign_c1(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?x3xf32>' are incompatible with return type(s) of operation 'tensor<?x8xf32>'}}
  %0 = pd.sign %x : (tensor<?x3xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @sin_c1(%x: tensor<3xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3xf64>' are incompatible with return type(s) of operation 'tensor<8xf64>'}}
  %0 = pd.sin %x : (tensor<3xf64>) -> tensor<8xf64>
  return
}

// -----

func.func @sinh_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.sinh %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @sqrt_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.sqrt %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @tan_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.tan %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @tanh_c1(%x: tensor<7xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<7xf64>' are incompatible with return type(s) of operation 'tensor<12xf64>'}}
  %0 = pd.tanh %x : (tensor<7xf64>) -> tensor<12xf64>
  return
}

// -----

func.func @trunc_c1(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?x3xf32>' are incompatible with return type(s) of operation 'tensor<?x8xf32>'}}
  %0 = pd.trunc %x : (tensor<?x3xf32>) -> tensor<?x8xf32>
  return
}

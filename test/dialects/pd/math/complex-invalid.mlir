// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @same_type_element(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf64>'}}
  %0 = "pd.conj"(%a0) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @imag_c1(%a0: tensor<2xcomplex<f64>>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf64>' are incompatible with return type(s) of operation 'tensor<3xf64>'}}
  %0 = "pd.imag"(%a0) : (tensor<2xcomplex<f64>>) -> tensor<3xf64>
  return
}

// -----

func.func @complex_c2(%a0: tensor<2xf32>, %a1: tensor<3xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 0 of the result is 2 by one operand and 3 by another}}
  %0 = "pd.complex"(%a0, %a1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @conj_c1(%x: tensor<6x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<6x3xf32>' are incompatible with return type(s) of operation 'tensor<6x8xf32>'}}
  %0 = pd.conj %x : (tensor<6x3xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @angle_c1(%x: tensor<3x5xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x5xf32>' are incompatible with return type(s) of operation 'tensor<3x5xf64>'}}
  %0 = pd.angle %x : (tensor<3x5xf32>) -> tensor<3x5xf64>
  return
}

// -----

func.func @as_complex_c1(%x: tensor<3x2xf16>) {
  // expected-error@+1 {{C1: the components of complex numbers must be f32 or f64, found f16}}
  %0 = pd.as_complex %x : (tensor<3x2xf16>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @as_complex_c2(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{C2: the last dimension must have size 2, found tensor<3x3xf32>}}
  %0 = pd.as_complex %x : (tensor<3x3xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @complex_c1(%re: tensor<2xf64>, %im: tensor<2xf32>) {
  // expected-error@+1 {{C1: operands must have one element type, found f64 and f32}}
  %0 = pd.complex %re, %im : (tensor<2xf64>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

func.func @real_c1(%x: tensor<3xcomplex<f32>>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<3xf64>'}}
  %0 = pd.real %x : (tensor<3xcomplex<f32>>) -> tensor<3xf64>
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @encode_type(%x: tensor<2xf64>) {
  // expected-error@+1 {{operand #0 must be f32 tensor}}
  %0 = pd.encode_float %x format = e2m1 : (tensor<2xf64>) -> tensor<2xui8>
  return
}

// -----

func.func @decode_type(%x: tensor<2xi8>) {
  // expected-error@+1 {{operand #0 must be ui8 tensor}}
  %0 = pd.decode_float %x format = e2m1 : (tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @encode_float_c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xui8>' are incompatible with return type(s) of operation 'tensor<3xui8>'}}
  %0 = pd.encode_float %x format = e2m1 : (tensor<2xf32>) -> tensor<3xui8>
  return
}

// -----

func.func @decode_float_c1(%x: tensor<2xui8>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = pd.decode_float %x format = e2m1 : (tensor<2xui8>) -> tensor<3xf32>
  return
}

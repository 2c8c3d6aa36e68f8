// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @cross(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: the dimension must have size 3, found axis 9 of tensor<2x4xf32>}}
  %0 = "pd.cross"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @cross_c1(%a: tensor<2x3xf32>, %v1: tensor<2x3xf64>) {
  // expected-error@+1 {{C1: both operands must have one type, found tensor<2x3xf32> and tensor<2x3xf64>}}
  %0 = pd.cross %a, %v1 : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @kron_c1(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.kron %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<16xf32>
  return
}

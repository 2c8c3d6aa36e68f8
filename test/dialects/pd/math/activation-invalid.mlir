// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @swiglu_c1(%x: tensor<3x5xf64>) {
  // expected-error@+1 {{C1: the last dim of tensor<3x5xf64> is not even}}
  %0 = pd.swiglu %x : (tensor<3x5xf64>) -> tensor<3x2xf64>
  return
}

// -----

func.func @swiglu_c1_y(%x: tensor<3x4xf64>, %y: tensor<3x3xf64>) {
  // expected-error@+1 {{C1: x is tensor<3x4xf64> and y tensor<3x3xf64>}}
  %0 = pd.swiglu %x, %y : (tensor<3x4xf64>, tensor<3x3xf64>) -> tensor<3x4xf64>
  return
}

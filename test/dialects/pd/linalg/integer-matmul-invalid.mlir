// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @scalar(%x: tensor<ui8>, %y: tensor<4x5xi8>) {
  // expected-error@+1 {{C1: the operands of a matmul must have rank 1 or more, found rank 0}}
  %0 = pd.integer_matmul %x, %y : (tensor<ui8>, tensor<4x5xi8>) -> tensor<5xi32>
  return
}

// -----

func.func @contracted(%x: tensor<3x4xui8>, %y: tensor<5x4xi8>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 4 in x and 5 in y}}
  %0 = pd.integer_matmul %x, %y : (tensor<3x4xui8>, tensor<5x4xi8>) -> tensor<3x4xi32>
  return
}

// -----

func.func @batch(%x: tensor<2x3x4xui8>, %y: tensor<3x4x5xi8>) {
  // expected-error@+1 {{C4: the dimensions before the last two must broadcast}}
  %0 = pd.integer_matmul %x, %y : (tensor<2x3x4xui8>, tensor<3x4x5xi8>) -> tensor<2x3x5xi32>
  return
}

// -----

func.func @unsigned_y(%x: tensor<3x4xui8>, %y: tensor<4x5xui8>) {
  // expected-error@+1 {{operand #1 must be ranked tensor of i8}}
  %0 = pd.integer_matmul %x, %y : (tensor<3x4xui8>, tensor<4x5xui8>) -> tensor<3x5xi32>
  return
}

// -----

func.func @result(%x: tensor<3x4xui8>, %y: tensor<4x5xi8>) {
  // expected-error@+1 {{result #0 must be ranked tensor of i32}}
  %0 = pd.integer_matmul %x, %y : (tensor<3x4xui8>, tensor<4x5xi8>) -> tensor<3x5xf32>
  return
}

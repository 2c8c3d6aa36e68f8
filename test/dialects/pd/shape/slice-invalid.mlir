// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @slice_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.slice"(%a0) <{axes = array<i64: 2>, starts = array<i64: 0>, ends = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c1_twice(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axes names dimension 0 twice}}
  %0 = "pd.slice"(%a0) <{axes = array<i64: 0, -2>, starts = array<i64: 0, 0>, ends = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: starts must have 1 entries, as axes, found 0}}
  %0 = "pd.slice"(%a0) <{axes = array<i64: 0>, starts = array<i64>, ends = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c3(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C3: strides must not be 0}}
  %0 = "pd.slice"(%a0) <{axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 1>, strides = array<i64: 0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @crop_c1(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{C1: shape must have one entry for each of the 2 dimensions of x, found 1}}
  %0 = pd.crop %x {offsets = array<i64: 1, 1>, shape = array<i64: 2>} : (tensor<4x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @crop_c2(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{C2: the box reaches to 5 in dimension 1 of size 4}}
  %0 = pd.crop %x {offsets = array<i64: 1, 3>, shape = array<i64: 2, 2>} : (tensor<4x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @roll_c1(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.roll %x {axis = array<i64: 2>, shifts = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @roll_c2(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{C2: shifts must have 2 entries, found 1}}
  %0 = pd.roll %x {axis = array<i64: 0, 1>, shifts = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @roll_c2_tensor(%x: tensor<3x4xf32>, %shifts: tensor<2xi32>) {
  // expected-error@+1 {{C2: shifts must have 1 entries, found 2}}
  %0 = pd.roll %x, %shifts {axis = array<i64: 0>} : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @split_c1(%x: tensor<6x2xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:2 = pd.split %x {num = 2 : i64, axis = 2 : i64} : (tensor<6x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}

// -----

func.func @split_c2(%x: tensor<5x2xf32>) {
  // expected-error@+1 {{C2: cannot split dim 5 into 2 equal pieces}}
  %0:2 = pd.split %x {num = 2 : i64} : (tensor<5x2xf32>) -> (tensor<3x2xf32>, tensor<2x2xf32>)
  return
}

// -----

func.func @split_c3(%x: tensor<6x2xf32>) {
  // expected-error@+1 {{C3: the sections add up to 7, the dimension has size 6}}
  %0:2 = pd.split %x {sections = array<i64: 3, 4>} : (tensor<6x2xf32>) -> (tensor<3x2xf32>, tensor<4x2xf32>)
  return
}

// -----

func.func @split_c3_open(%x: tensor<6x2xf32>) {
  // expected-error@+1 {{C3: at most one section may be -1}}
  %0:2 = pd.split %x {sections = array<i64: -1, -1>} : (tensor<6x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}

// -----

func.func @split_c4(%x: tensor<6x2xf32>) {
  // expected-error@+1 {{C4: num or sections must be given}}
  %0:2 = pd.split %x : (tensor<6x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}

// -----

func.func @unbind_c1(%x: tensor<2xi32>) {
  // expected-error@+1 {{C1: axis must be in [-1, 1), found 1}}
  %0:2 = pd.unbind %x {axis = 1 : i64} : (tensor<2xi32>) -> (tensor<i32>, tensor<i32>)
  return
}

// -----

func.func @unbind_c2(%x: tensor<2xi32>) {
  // expected-error@+1 {{C2: num must be the dim 2 of the axis, found 3}}
  %0:2 = pd.unbind %x {num = 3 : i64} : (tensor<2xi32>) -> (tensor<i32>, tensor<i32>)
  return
}

// -----

func.func @unbind_c2_dynamic(%x: tensor<?xi32>) {
  // expected-error@+1 {{C2: num must be given for a dynamic dim}}
  %0:2 = pd.unbind %x : (tensor<?xi32>) -> (tensor<i32>, tensor<i32>)
  return
}

// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @concat_c1() {
  // expected-error@+1 {{C1: there must be at least one tensor}}
  %0 = "pd.concat"() <{axis = 0 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> tensor<2x3xf32>
  return
}

// -----

func.func @concat_c2(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf64>) {
  // expected-error@+1 {{C2: operands must have one element type, found f32 and f64}}
  %0 = "pd.concat"(%a0, %a1) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c3(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error@+1 {{C3: axis must be in [-2, 2), found 2}}
  %0 = "pd.concat"(%a0, %a1) <{axis = 2 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c3_rank(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) {
  // expected-error@+1 {{C3: all tensors must have the same rank, found 2 and 1}}
  %0 = "pd.concat"(%a0, %a1) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c4(%a0: tensor<2x3xf32>, %a1: tensor<2x4xf32>) {
  // expected-error@+1 {{C4: dimension 1 is 3 in one operand and 4 in another}}
  %0 = "pd.concat"(%a0, %a1) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c5(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<i64>) {
  // expected-error@+1 {{C5: axis must be constant, found a value that the run computes}}
  %0 = "pd.concat"(%a0, %a1, %a2) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @pad_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: paddings must have 4 entries, found 2}}
  %0 = "pd.pad"(%a0) <{paddings = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: paddings must not be negative, as in dimension 1}}
  %0 = "pd.pad"(%a0) <{paddings = array<i64: 0, 0, 0, -1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @negative(%x: tensor<2xf32>) {
  %n = pd.constant dense<[1, -3]> : tensor<2xi64>
  // expected-error@+1 {{C2: repeats must not be negative, found -3 in element 1}}
  %0 = "pd.repeat_interleave"(%x, %n) : (tensor<2xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @count(%x: tensor<3xf32>) {
  %n = pd.constant dense<[1, 3]> : tensor<2xi64>
  // expected-error@+1 {{C3: repeats_tensor must have 1 or 3 elements, found 2}}
  %0 = "pd.repeat_interleave"(%x, %n) : (tensor<3xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @broadcast_tensors_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{C1: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 2 by another}}
  %0:2 = pd.broadcast_tensors %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @meshgrid_c1(%x: tensor<3x1xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C1: operands must have rank 0 or 1, found rank 2}}
  %0:2 = pd.meshgrid %x, %y : (tensor<3x1xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// -----

func.func @pad3d_c1(%x: tensor<2x1x4x4xf32>) {
  // expected-error@+1 {{C1: x must have rank 5 and paddings 6 entries, found rank 4 and 6}}
  %0 = pd.pad3d %x {paddings = array<i64: 1, 0, 0, 2, 0, 0>} : (tensor<2x1x4x4xf32>) -> tensor<2x1x6x5xf32>
  return
}

// -----

func.func @pad3d_c1_tensor(%x: tensor<1x2x1x4x4xf32>, %p: tensor<6xi64>) {
  // expected-error@+1 {{C1: paddings must be constant, found a value that the run computes}}
  %0 = pd.pad3d %x, %p : (tensor<1x2x1x4x4xf32>, tensor<6xi64>) -> tensor<1x2x1x6x5xf32>
  return
}

// -----

func.func @pad3d_c2(%x: tensor<1x2x1x4x4xf32>) {
  // expected-error@+1 {{C2: data_format must be NCDHW or NDHWC, found NCHW}}
  %0 = pd.pad3d %x data_format = NCHW {paddings = array<i64: 1, 0, 0, 2, 0, 0>} : (tensor<1x2x1x4x4xf32>) -> tensor<1x2x1x6x5xf32>
  return
}

// -----

func.func @pad3d_c3(%x: tensor<1x2x1x4x4xf32>) {
  // expected-error@+1 {{C3: paddings must not remove more than the 4 elements of dimension 4}}
  %0 = pd.pad3d %x {paddings = array<i64: -4, -1, 0, 2, 0, 0>} : (tensor<1x2x1x4x4xf32>) -> tensor<1x2x1x6x3xf32>
  return
}

// -----

func.func @pad3d_c4(%x: tensor<1x2x1x4x4xf32>) {
  // expected-error@+1 {{C4: dimension 4 of size 4 is too small for its padding in mode reflect}}
  %0 = pd.pad3d %x mode = reflect {paddings = array<i64: 4, 0, 0, 2, 0, 0>} : (tensor<1x2x1x4x4xf32>) -> tensor<1x2x1x6x8xf32>
  return
}

// -----

func.func @repeat_interleave_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.repeat_interleave %x {axis = 2 : i64, repeats = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @repeat_interleave_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: repeats must not be negative, found -1}}
  %0 = pd.repeat_interleave %x {axis = 1 : i64, repeats = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @repeat_interleave_c3(%x: tensor<2x3xf32>) {
  %r = pd.constant dense<[1, 2]> : tensor<2xi64>
  // expected-error@+1 {{C3: repeats_tensor must have 1 or 3 elements, found 2}}
  %0 = pd.repeat_interleave %x, %r {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @stack_c1() {
  // expected-error@+1 {{C1: there must be at least one tensor}}
  %0 = pd.stack {axis = 0 : i64} : () -> tensor<0xf32>
  return
}

// -----

func.func @stack_c2(%x: tensor<3xf32>, %y: tensor<3xf64>) {
  // expected-error@+1 {{C2: operands must have one element type, found f32 and f64}}
  %0 = pd.stack %x, %y : (tensor<3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @stack_c3(%x: tensor<3xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{C3: axis must be in [-2, 2), found 2}}
  %0 = pd.stack %x, %y {axis = 2 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @stack_c3_rank(%x: tensor<3xf32>, %y: tensor<3x1xf32>) {
  // expected-error@+1 {{C3: all tensors must have the same rank, found 1 and 2}}
  %0 = pd.stack %x, %y : (tensor<3xf32>, tensor<3x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @stack_c4(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C4: dimension 0 is 3 in one operand and 4 in another}}
  %0 = pd.stack %x, %y : (tensor<3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @tile_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: repeat_times must not be negative, found -1}}
  %0 = pd.tile %x {repeat_times = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @tile_c2(%x: tensor<2x3xf32>, %t: tensor<?xi64>) {
  // expected-error@+1 {{C2: a tensor of dims must have a static number of elements}}
  %0 = pd.tile %x, %t : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<2x3xf32>
  return
}

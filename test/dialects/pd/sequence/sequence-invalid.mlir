// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @concat_c2(%x: tensor<6x2xf32>, %y: tensor<6x3xf32>, %o: tensor<4xi64>) {
  // expected-error@+1 {{C2: the tensors must agree in all dimensions but the first, found tensor<6x2xf32> and tensor<6x3xf32>}}
  %0:2 = "pd.sequence_concat"(%x, %y, %o, %o) {operandSegmentSizes = array<i32: 2, 2>} : (tensor<6x2xf32>, tensor<6x3xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<12x2xf32>, tensor<4xi64>)
  return
}

// -----

func.func @conv_c3(%x: tensor<6x2xf32>, %o: tensor<4xi64>, %f: tensor<5x4xf32>) {
  // expected-error@+1 {{C3: filter must have rank 2 and context_length times the width of x as rows}}
  %0 = "pd.sequence_conv"(%x, %o, %f) {context_length = 3 : i64} : (tensor<6x2xf32>, tensor<4xi64>, tensor<5x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @expand_as_c1(%x: tensor<2x3xf32>, %y: tensor<f32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C1: y must have a rank of at least 1}}
  %0 = pd.sequence_expand_as %x, %y, %o : (tensor<2x3xf32>, tensor<f32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sequence_erase_c1(%x: tensor<6x1xi64>, %v1: tensor<0xi64>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  %0:2 = pd.sequence_erase %x, %v1 {tokens = array<i64: 1, 2>} : (tensor<6x1xi64>, tensor<0xi64>) -> (tensor<?x1xi64>, tensor<4xi64>)
  return
}

// -----

func.func @sequence_expand_c1(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>, %v1: tensor<0xi64>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  %0:2 = pd.sequence_expand %x, %v1, %offsets : (tensor<6x2xf32>, tensor<0xi64>, tensor<4xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  return
}

// -----

func.func @sequence_pad_c1(%x: tensor<?x2x2xf32>, %pad_value: tensor<1xf32>, %v1: tensor<0xi64>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  %0:2 = pd.sequence_pad %x, %v1, %pad_value {padded_length = 4 : i64} : (tensor<?x2x2xf32>, tensor<0xi64>, tensor<1xf32>) -> (tensor<?x4x2x2xf32>, tensor<?xi64>)
  return
}

// -----

func.func @sequence_pool_c1(%x: tensor<6x2xf32>, %v1: tensor<0xi64>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  %0:2 = pd.sequence_pool %x, %v1 pooltype = MAX : (tensor<6x2xf32>, tensor<0xi64>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return
}

// -----

func.func @im2sequence_c1(%x: tensor<2x4x4xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found tensor<2x4x4xf32>}}
  %0:2 = pd.im2sequence %x {kernels = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x4x4xf32>) -> (tensor<4x8xf32>, tensor<2xi64>)
  return
}

// -----

func.func @im2sequence_c2(%x: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{C2: kernels and strides must be pairs of positive numbers, and paddings four numbers}}
  %0:2 = pd.im2sequence %x {kernels = array<i64: 0, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> (tensor<4x8xf32>, tensor<2xi64>)
  return
}

// -----

func.func @row_conv_c1(%x: tensor<2x4x3x1xf32>, %filter: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: x must have rank 3, found tensor<2x4x3x1xf32>}}
  %0 = pd.row_conv %x, %filter : (tensor<2x4x3x1xf32>, tensor<2x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @row_conv_c2(%x: tensor<2x4x3xf32>, %filter: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: filter must be [future context + 1, width of x], found tensor<2x4xf32>}}
  %0 = pd.row_conv %x, %filter : (tensor<2x4x3xf32>, tensor<2x4xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @sequence_concat_c1(%a: tensor<6x2xf32>, %offsets: tensor<4xi64>) {
  // expected-error@+1 {{C1: there must be as many offsets as tensors, found 1 and 2}}
  %0:2 = pd.sequence_concat %a, %a offsets = %offsets : (tensor<6x2xf32>, tensor<6x2xf32>, tensor<4xi64>) -> (tensor<12x2xf32>, tensor<4xi64>)
  return
}

// -----

func.func @sequence_conv_c1(%x: tensor<6x2x1xf32>, %offsets: tensor<4xi64>, %padding: tensor<6x4xf32>) {
  // expected-error@+1 {{C1: x must have rank 2, found tensor<6x2x1xf32>}}
  %0 = pd.sequence_conv %x, %offsets, %padding {context_length = 3, context_start = -1} : (tensor<6x2x1xf32>, tensor<4xi64>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @sequence_conv_c2(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>, %padding: tensor<6x4xf32>) {
  // expected-error@+1 {{C2: context_length must be positive and context_stride 1, found 0 and 1}}
  %0 = pd.sequence_conv %x, %offsets, %padding {context_length = 0, context_start = -1} : (tensor<6x2xf32>, tensor<4xi64>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @sequence_enumerate_c1(%x: tensor<?x2xi64>, %offsets: tensor<?xi64>) {
  // expected-error@+1 {{C1: x must have one element a row, found tensor<?x2xi64>}}
  %0 = pd.sequence_enumerate %x, %offsets {win_size = 2 : i64} : (tensor<?x2xi64>, tensor<?xi64>) -> tensor<?x2xi64>
  return
}

// -----

func.func @sequence_enumerate_c2(%x: tensor<?x1xi64>, %offsets: tensor<?xi64>) {
  // expected-error@+1 {{C2: win_size must be positive, found 0}}
  %0 = pd.sequence_enumerate %x, %offsets {win_size = 0 : i64} : (tensor<?x1xi64>, tensor<?xi64>) -> tensor<?x2xi64>
  return
}

// -----

func.func @sequence_reshape_c1(%x: tensor<6x2x1xf32>, %offsets: tensor<4xi64>) {
  // expected-error@+1 {{C1: x must have rank 2, found tensor<6x2x1xf32>}}
  %0:2 = pd.sequence_reshape %x, %offsets {new_dim = 4} : (tensor<6x2x1xf32>, tensor<4xi64>) -> (tensor<3x4xf32>, tensor<4xi64>)
  return
}

// -----

func.func @sequence_reshape_c2(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>) {
  // expected-error@+1 {{C2: new_dim must be positive, found 0}}
  %0:2 = pd.sequence_reshape %x, %offsets {new_dim = 0} : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<3x4xf32>, tensor<4xi64>)
  return
}

// -----

func.func @sequence_unpad_c1(%x: tensor<3xf32>, %length: tensor<3xi64>) {
  // expected-error@+1 {{C1: x must have rank 2 or more and length be a vector, found ranks 1 and 1}}
  %0:2 = pd.sequence_unpad %x, %length : (tensor<3xf32>, tensor<3xi64>) -> (tensor<?x2xf32>, tensor<4xi64>)
  return
}

// -----

func.func @im2sequence_c3(%x: tensor<1x2x4x4xf32>, %sizes: tensor<2x2xi64>) {
  // expected-error@+1 {{C3: sizes must have two elements for each image, and out_stride two positive numbers, found tensor<2x2xi64>}}
  %0:2 = pd.im2sequence %x, %sizes {kernels = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<2x2xi64>) -> (tensor<4x8xf32>, tensor<2xi64>)
  return
}

// -----

func.func @im2sequence_c2_strides(%x: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{C2: strides must be 2 positive numbers, found [0, 2]}}
  %0:2 = pd.im2sequence %x {kernels = array<i64: 2, 2>, strides = array<i64: 0, 2>} : (tensor<1x2x4x4xf32>) -> (tensor<4x8xf32>, tensor<2xi64>)
  return
}

// -----

func.func @im2sequence_c2_paddings(%x: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{C2: kernels and strides must be pairs of positive numbers, and paddings four numbers}}
  %0:2 = pd.im2sequence %x {kernels = array<i64: 2, 2>, strides = array<i64: 2, 2>, paddings = array<i64: 0, 0>} : (tensor<1x2x4x4xf32>) -> (tensor<4x8xf32>, tensor<2xi64>)
  return
}

// -----

func.func @sequence_conv_c2_stride(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>, %padding: tensor<6x4xf32>) {
  // expected-error@+1 {{C2: context_length must be positive and context_stride 1, found 3 and 2}}
  %0 = pd.sequence_conv %x, %offsets, %padding {context_length = 3, context_start = -1, context_stride = 2 : i64} : (tensor<6x2xf32>, tensor<4xi64>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @sequence_conv_c3(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>, %padding: tensor<5x4xf32>) {
  // expected-error@+1 {{C3: filter must have rank 2 and context_length times the width of x as rows, found tensor<5x4xf32> for tensor<6x2xf32>}}
  %0 = pd.sequence_conv %x, %offsets, %padding {context_length = 3, context_start = -1} : (tensor<6x2xf32>, tensor<4xi64>, tensor<5x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @sequence_reverse_c1(%x: tensor<?x3xf32>, %offsets: tensor<0xi64>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  %0 = pd.sequence_reverse %x, %offsets : (tensor<?x3xf32>, tensor<0xi64>) -> tensor<?x3xf32>
  return
}

// -----

func.func @sequence_softmax_c1(%x: tensor<?x1xf32>, %offsets: tensor<0xi64>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<0xi64>}}
  %0 = pd.sequence_softmax %x, %offsets : (tensor<?x1xf32>, tensor<0xi64>) -> tensor<?x1xf32>
  return
}

// -----

func.func @sequence_scatter_c1(%x: tensor<3x6xf32>, %ids: tensor<?x2xi64>, %ids_offsets: tensor<?xi64>, %updates: tensor<?x1xf32>) {
  // expected-error@+1 {{C1: x must have one element a row, found tensor<?x2xi64>}}
  %0 = pd.sequence_scatter %x, %ids, %ids_offsets, %updates : (tensor<3x6xf32>, tensor<?x2xi64>, tensor<?xi64>, tensor<?x1xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @sequence_scatter_c1_offsets(%x: tensor<3x6xf32>, %ids: tensor<?x1xi64>, %ids_offsets: tensor<2x1xi64>, %updates: tensor<?x1xf32>) {
  // expected-error@+1 {{C1: offsets must be an int64 vector that is not empty, found tensor<2x1xi64>}}
  %0 = pd.sequence_scatter %x, %ids, %ids_offsets, %updates : (tensor<3x6xf32>, tensor<?x1xi64>, tensor<2x1xi64>, tensor<?x1xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @sequence_scatter_c2(%x: tensor<3x6xf32>, %ids: tensor<?x1xi64>, %ids_offsets: tensor<?xi64>, %updates: tensor<?x2xf32>) {
  // expected-error@+1 {{C2: x must have rank 2, and updates its element type, the rows of ids and one element a row, found tensor<3x6xf32> and tensor<?x2xf32>}}
  %0 = pd.sequence_scatter %x, %ids, %ids_offsets, %updates : (tensor<3x6xf32>, tensor<?x1xi64>, tensor<?xi64>, tensor<?x2xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @sequence_slice_c1(%x: tensor<?x2xf32>, %offsets: tensor<3xi64>, %begin: tensor<3x1xi64>, %length: tensor<2x1xi64>) {
  // expected-error@+1 {{C1: expected one element for each of the 2 sequences, found tensor<3x1xi64>}}
  %0:2 = pd.sequence_slice %x, %offsets, %begin, %length : (tensor<?x2xf32>, tensor<3xi64>, tensor<3x1xi64>, tensor<2x1xi64>) -> (tensor<?x2xf32>, tensor<3xi64>)
  return
}

// -----

func.func @sequence_unpad_c1_length(%x: tensor<3x4x2xf32>, %length: tensor<4xi64>) {
  // expected-error@+1 {{C1: length must have one element for each of the 3 rows of x}}
  %0:2 = pd.sequence_unpad %x, %length : (tensor<3x4x2xf32>, tensor<4xi64>) -> (tensor<?x2xf32>, tensor<5xi64>)
  return
}

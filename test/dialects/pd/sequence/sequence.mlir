// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @im2sequence
func.func @im2sequence(%x: tensor<1x2x4x4xf32>) {
  // CHECK: pd.im2sequence %{{.*}} {kernels = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> (tensor<4x8xf32>, tensor<2xi64>)
  %0:2 = pd.im2sequence %x {kernels = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> (tensor<4x8xf32>, tensor<2xi64>)
  return
}

// CHECK-LABEL: func @row_conv
func.func @row_conv(%x: tensor<2x4x3xf32>, %filter: tensor<2x3xf32>) {
  // CHECK: pd.row_conv %{{.*}}, %{{.*}} : (tensor<2x4x3xf32>, tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %0 = pd.row_conv %x, %filter : (tensor<2x4x3xf32>, tensor<2x3xf32>) -> tensor<2x4x3xf32>
  return
}

// CHECK-LABEL: func @sequence_concat
func.func @sequence_concat(%a: tensor<6x2xf32>, %offsets: tensor<4xi64>) {
  // CHECK: pd.sequence_concat %{{.*}}, %{{.*}} offsets = %{{.*}}, %{{.*}} : (tensor<6x2xf32>, tensor<6x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<12x2xf32>, tensor<4xi64>)
  %0:2 = pd.sequence_concat %a, %a offsets = %offsets, %offsets : (tensor<6x2xf32>, tensor<6x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<12x2xf32>, tensor<4xi64>)
  return
}

// CHECK-LABEL: func @sequence_conv
func.func @sequence_conv(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>, %padding: tensor<6x4xf32>) {
  // CHECK: pd.sequence_conv %{{.*}}, %{{.*}}, %{{.*}} {context_length = 3 : i64, context_start = -1 : i64} : (tensor<6x2xf32>, tensor<4xi64>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %0 = pd.sequence_conv %x, %offsets, %padding {context_length = 3, context_start = -1} : (tensor<6x2xf32>, tensor<4xi64>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// CHECK-LABEL: func @sequence_enumerate
func.func @sequence_enumerate(%x: tensor<?x1xi64>, %offsets: tensor<?xi64>) {
  // CHECK: pd.sequence_enumerate %{{.*}}, %{{.*}} {win_size = 2 : i64} : (tensor<?x1xi64>, tensor<?xi64>) -> tensor<?x2xi64>
  %0 = pd.sequence_enumerate %x, %offsets {win_size = 2 : i64} : (tensor<?x1xi64>, tensor<?xi64>) -> tensor<?x2xi64>
  return
}

// CHECK-LABEL: func @sequence_erase
func.func @sequence_erase(%x: tensor<6x1xi64>, %offsets: tensor<4xi64>) {
  // CHECK: pd.sequence_erase %{{.*}}, %{{.*}} {tokens = array<i64: 1, 2>} : (tensor<6x1xi64>, tensor<4xi64>) -> (tensor<?x1xi64>, tensor<4xi64>)
  %0:2 = pd.sequence_erase %x, %offsets {tokens = array<i64: 1, 2>} : (tensor<6x1xi64>, tensor<4xi64>) -> (tensor<?x1xi64>, tensor<4xi64>)
  return
}

// CHECK-LABEL: func @sequence_expand_as
func.func @sequence_expand_as(%x: tensor<6x2xf32>, %y: tensor<6x1xi64>, %y_offsets: tensor<4xi64>) {
  // CHECK: pd.sequence_expand_as %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x2xf32>, tensor<6x1xi64>, tensor<4xi64>) -> tensor<6x2xf32>
  %0 = pd.sequence_expand_as %x, %y, %y_offsets : (tensor<6x2xf32>, tensor<6x1xi64>, tensor<4xi64>) -> tensor<6x2xf32>
  return
}

// CHECK-LABEL: func @sequence_expand
func.func @sequence_expand(%x: tensor<6x2xf32>, %y_offsets: tensor<5xi64>, %offsets: tensor<4xi64>) {
  // CHECK: pd.sequence_expand %{{.*}}, %{{.*}}, %{{.*}} : (tensor<6x2xf32>, tensor<5xi64>, tensor<4xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  %0:2 = pd.sequence_expand %x, %y_offsets, %offsets : (tensor<6x2xf32>, tensor<5xi64>, tensor<4xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  return
}

// CHECK-LABEL: func @sequence_mask
func.func @sequence_mask(%x: tensor<4xi64>) {
  // CHECK: pd.sequence_mask %{{.*}} {out_dtype = f32} : (tensor<4xi64>) -> tensor<4x?xf32>
  %0 = pd.sequence_mask %x {out_dtype = f32} : (tensor<4xi64>) -> tensor<4x?xf32>
  return
}

// CHECK-LABEL: func @sequence_pad
func.func @sequence_pad(%x: tensor<?x2x2xf32>, %offsets: tensor<?xi64>, %pad_value: tensor<1xf32>) {
  // CHECK: pd.sequence_pad %{{.*}}, %{{.*}}, %{{.*}} {padded_length = 4 : i64} : (tensor<?x2x2xf32>, tensor<?xi64>, tensor<1xf32>) -> (tensor<?x4x2x2xf32>, tensor<?xi64>)
  %0:2 = pd.sequence_pad %x, %offsets, %pad_value {padded_length = 4 : i64} : (tensor<?x2x2xf32>, tensor<?xi64>, tensor<1xf32>) -> (tensor<?x4x2x2xf32>, tensor<?xi64>)
  return
}

// CHECK-LABEL: func @sequence_pool
func.func @sequence_pool(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>) {
  // CHECK: pd.sequence_pool %{{.*}}, %{{.*}} pooltype = MAX : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %0:2 = pd.sequence_pool %x, %offsets pooltype = MAX : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return
}

// CHECK-LABEL: func @sequence_reshape
func.func @sequence_reshape(%x: tensor<6x2xf32>, %offsets: tensor<4xi64>) {
  // CHECK: pd.sequence_reshape %{{.*}}, %{{.*}} {new_dim = 4 : i64} : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<3x4xf32>, tensor<4xi64>)
  %0:2 = pd.sequence_reshape %x, %offsets {new_dim = 4} : (tensor<6x2xf32>, tensor<4xi64>) -> (tensor<3x4xf32>, tensor<4xi64>)
  return
}

// CHECK-LABEL: func @sequence_reverse
func.func @sequence_reverse(%x: tensor<?x3xf32>, %offsets: tensor<?xi64>) {
  // CHECK: pd.sequence_reverse %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  %0 = pd.sequence_reverse %x, %offsets : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func @sequence_scatter
func.func @sequence_scatter(%x: tensor<3x6xf32>, %ids: tensor<?x1xi64>, %ids_offsets: tensor<?xi64>, %updates: tensor<?x1xf32>) {
  // CHECK: pd.sequence_scatter %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<3x6xf32>, tensor<?x1xi64>, tensor<?xi64>, tensor<?x1xf32>) -> tensor<3x6xf32>
  %0 = pd.sequence_scatter %x, %ids, %ids_offsets, %updates : (tensor<3x6xf32>, tensor<?x1xi64>, tensor<?xi64>, tensor<?x1xf32>) -> tensor<3x6xf32>
  return
}

// CHECK-LABEL: func @sequence_slice
func.func @sequence_slice(%x: tensor<?x2xf32>, %offsets: tensor<?xi64>, %begin: tensor<2x1xi64>, %length: tensor<2x1xi64>) {
  // CHECK: pd.sequence_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x2xf32>, tensor<?xi64>, tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  %0:2 = pd.sequence_slice %x, %offsets, %begin, %length : (tensor<?x2xf32>, tensor<?xi64>, tensor<2x1xi64>, tensor<2x1xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  return
}

// CHECK-LABEL: func @sequence_softmax
func.func @sequence_softmax(%x: tensor<?x1xf32>, %offsets: tensor<?xi64>) {
  // CHECK: pd.sequence_softmax %{{.*}}, %{{.*}} : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<?x1xf32>
  %0 = pd.sequence_softmax %x, %offsets : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<?x1xf32>
  return
}

// CHECK-LABEL: func @sequence_unpad
func.func @sequence_unpad(%x: tensor<3x4x2xf32>, %length: tensor<3xi64>) {
  // CHECK: pd.sequence_unpad %{{.*}}, %{{.*}} : (tensor<3x4x2xf32>, tensor<3xi64>) -> (tensor<?x2xf32>, tensor<4xi64>)
  %0:2 = pd.sequence_unpad %x, %length : (tensor<3x4x2xf32>, tensor<3xi64>) -> (tensor<?x2xf32>, tensor<4xi64>)
  return
}

// CHECK-LABEL: @rows
func.func @rows(%x: tensor<6x2xf32>, %i: tensor<6x1xi64>, %o: tensor<4xi64>, %y: tensor<5xi64>, %f: tensor<6x4xf32>, %w: tensor<2x2xf32>, %l: tensor<3xi64>) {
  // CHECK: pd.sequence_expand
  %0:2 = pd.sequence_expand %x, %y, %o : (tensor<6x2xf32>, tensor<5xi64>, tensor<4xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  // CHECK: pd.sequence_expand_as
  %1 = pd.sequence_expand_as %x, %i, %o : (tensor<6x2xf32>, tensor<6x1xi64>, tensor<4xi64>) -> tensor<6x2xf32>
  // CHECK: pd.sequence_erase
  %2:2 = pd.sequence_erase %i, %o {tokens = array<i64: 1, 2>} : (tensor<6x1xi64>, tensor<4xi64>) -> (tensor<?x1xi64>, tensor<4xi64>)
  // CHECK: pd.sequence_conv
  %3 = pd.sequence_conv %x, %o, %f {context_length = 3, context_start = -1} : (tensor<6x2xf32>, tensor<4xi64>, tensor<6x4xf32>) -> tensor<6x4xf32>
  // CHECK: pd.sequence_mask
  %4 = pd.sequence_mask %l {maxlen = 4, out_dtype = f32} : (tensor<3xi64>) -> tensor<3x4xf32>
  // CHECK: pd.row_conv
  %5 = pd.row_conv %x, %w, %o : (tensor<6x2xf32>, tensor<2x2xf32>, tensor<4xi64>) -> tensor<6x2xf32>
  return
}

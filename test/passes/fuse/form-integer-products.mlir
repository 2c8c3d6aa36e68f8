// RUN: proa-opt %s --pd-form-integer-products --cse | FileCheck %s

// Scales and zero points of rows and columns: the sums are corrected in int32.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xui8>, %[[Y:.*]]: tensor<8x16xi8>
// CHECK: %[[P:.*]] = pd.integer_matmul %[[X]], %[[Y]] : (tensor<4x8xui8>, tensor<8x16xi8>) -> tensor<4x16xi32>
// CHECK: %[[SUMS:.*]] = pd.sum %[[Y]] {axis = array<i64: 0>, dtype = i32, keepdim = true} : (tensor<8x16xi8>) -> tensor<1x16xi32>
// CHECK: %[[C:.*]] = pd.multiply %{{.*}}, %[[SUMS]] : (tensor<i32>, tensor<1x16xi32>) -> tensor<1x16xi32>
// CHECK: %[[D:.*]] = pd.subtract %[[P]], %[[C]]
// CHECK: %[[SCALE:.*]] = pd.multiply %{{.*}}, %{{.*}} : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK: %[[F:.*]] = pd.cast %[[D]] {dtype = f32}
// CHECK: %[[OUT:.*]] = pd.multiply %[[F]], %[[SCALE]] : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
// CHECK: return %[[OUT]]
func.func @matmul(%x: tensor<4x8xui8>, %y: tensor<8x16xi8>, %zero: tensor<ui8>, %sx: tensor<f32>, %sy: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = pd.cast %x {dtype = f32} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %z = pd.cast %zero {dtype = f32} : (tensor<ui8>) -> tensor<f32>
  %1 = pd.subtract %0, %z : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = pd.multiply %1, %sx : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = pd.cast %y {dtype = f32} : (tensor<8x16xi8>) -> tensor<8x16xf32>
  %4 = pd.multiply %3, %sy : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %5 = pd.matmul %2, %4 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// Unsigned y becomes signed. Its zero point 128 becomes 0, so that no sum of x is needed. The result is read in int32.
// CHECK-LABEL: func.func @unsigned_y(
// CHECK-SAME: %[[X:.*]]: tensor<4x300xui8>, %[[Y:.*]]: tensor<300x16xui8>
// CHECK: %[[SIGNED:.*]] = pd.cast %{{.*}} {dtype = i8}
// CHECK: %[[P:.*]] = pd.integer_matmul %[[X]], %[[SIGNED]]
// CHECK-NOT: pd.sum
// CHECK: return %[[P]] : tensor<4x16xi32>
func.func @unsigned_y(%x: tensor<4x300xui8>, %y: tensor<300x16xui8>) -> tensor<4x16xi32> {
  %0 = pd.cast %x {dtype = f64} : (tensor<4x300xui8>) -> tensor<4x300xf64>
  %1 = pd.cast %y {dtype = f64} : (tensor<300x16xui8>) -> tensor<300x16xf64>
  %c = pd.constant dense<128.0> : tensor<f64>
  %2 = pd.subtract %1, %c : (tensor<300x16xf64>, tensor<f64>) -> tensor<300x16xf64>
  %3 = pd.matmul %0, %2 : (tensor<4x300xf64>, tensor<300x16xf64>) -> tensor<4x16xf64>
  %4 = pd.cast %3 {dtype = i32} : (tensor<4x16xf64>) -> tensor<4x16xi32>
  return %4 : tensor<4x16xi32>
}

// Floats that are rounded and clipped to 8 bits, with a transpose of y after its single scale.
// CHECK-LABEL: func.func @rounded(
// CHECK: %[[X:.*]] = pd.cast %{{.*}} {dtype = ui8} : (tensor<4x8xf32>) -> tensor<4x8xui8>
// CHECK: %[[Y:.*]] = pd.transpose %{{.*}} {perm = array<i64: 1, 0>} : (tensor<16x8xi8>) -> tensor<8x16xi8>
// CHECK: pd.integer_matmul %[[X]], %[[Y]] : (tensor<4x8xui8>, tensor<8x16xi8>) -> tensor<4x16xi32>
func.func @rounded(%x: tensor<4x8xf32>, %y: tensor<16x8xi8>, %s: tensor<f32>) -> tensor<4x16xf32> {
  %low = pd.constant dense<0.0> : tensor<f32>
  %high = pd.constant dense<2.550000e+02> : tensor<f32>
  %0 = pd.round %x {half_to_even = true} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.minimum %0, %high : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = pd.maximum %1, %low : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = pd.cast %y {dtype = f32} : (tensor<16x8xi8>) -> tensor<16x8xf32>
  %4 = pd.divide %3, %s : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %5 = pd.transpose %4 {perm = array<i64: 1, 0>} : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %6 = pd.matmul %2, %5 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %6 : tensor<4x16xf32>
}

// Ops of Paddle: integers in floats by one scale, weights by one scale for each output channel.
// CHECK-LABEL: func.func @paddle(
// CHECK-NOT: pd.dequantize_linear
// CHECK: pd.integer_conv2d {{.*}} : (tensor<1x8x11x11xui8>, tensor<16x8x3x3xi8>) -> tensor<1x16x9x9xi32>
func.func @paddle(%x: tensor<1x8x9x9xf32>, %w: tensor<16x8x3x3xi8>, %sx: tensor<1xf32>, %sw: tensor<16xf32>) -> tensor<1x16x9x9xf32> {
  %q:4 = "pd.quantize_linear"(%x, %sx) {quant_axis = -1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<1x8x9x9xf32>, tensor<1xf32>) -> (tensor<1x8x9x9xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %d:4 = "pd.dequantize_linear"(%q#0, %sx) {quant_axis = -1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<1x8x9x9xf32>, tensor<1xf32>) -> (tensor<1x8x9x9xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %v:4 = "pd.dequantize_linear"(%w, %sw) {quant_axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
    : (tensor<16x8x3x3xi8>, tensor<16xf32>) -> (tensor<16x8x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %0 = pd.conv2d %d#0, %v#0 {paddings = array<i64: 1, 1>} : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x9x9xf32>
  return %0 : tensor<1x16x9x9xf32>
}

// A zero point that the program computes: the padding is selected by a mask.
// CHECK-LABEL: func.func @computed_zero(
// CHECK: %[[MASK:.*]] = pd.constant dense<1> : tensor<1x1x9x9xi8>
// CHECK: pd.pad %[[MASK]] {paddings = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>}
// CHECK: %[[PADDED:.*]] = pd.where
// CHECK: pd.integer_conv2d %[[PADDED]]
func.func @computed_zero(%x: tensor<1x8x9x9xui8>, %w: tensor<16x8x3x3xi8>, %zero: tensor<ui8>) -> tensor<1x16x9x9xf32> {
  %0 = pd.cast %x {dtype = f32} : (tensor<1x8x9x9xui8>) -> tensor<1x8x9x9xf32>
  %z = pd.cast %zero {dtype = f32} : (tensor<ui8>) -> tensor<f32>
  %1 = pd.subtract %0, %z : (tensor<1x8x9x9xf32>, tensor<f32>) -> tensor<1x8x9x9xf32>
  %2 = pd.cast %w {dtype = f32} : (tensor<16x8x3x3xi8>) -> tensor<16x8x3x3xf32>
  %3 = pd.conv2d %1, %2 {paddings = array<i64: 1, 1>} : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x9x9xf32>
  return %3 : tensor<1x16x9x9xf32>
}

// Zero points of channels that are all 0 need no sums of windows.
// CHECK-LABEL: func.func @zero_vector(
// CHECK: pd.integer_conv2d
// CHECK-NOT: pd.integer_conv2d
// CHECK: return
func.func @zero_vector(%x: tensor<1x8x9x9xui8>, %w: tensor<300x8x3x3xi8>) -> tensor<1x300x7x7xf32> {
  %0 = pd.cast %x {dtype = f32} : (tensor<1x8x9x9xui8>) -> tensor<1x8x9x9xf32>
  %1 = pd.cast %w {dtype = f32} : (tensor<300x8x3x3xi8>) -> tensor<300x8x3x3xf32>
  %zero = pd.constant dense<0.0> : tensor<300x1x1x1xf32>
  %2 = pd.subtract %1, %zero : (tensor<300x8x3x3xf32>, tensor<300x1x1x1xf32>) -> tensor<300x8x3x3xf32>
  %3 = pd.conv2d %0, %2 : (tensor<1x8x9x9xf32>, tensor<300x8x3x3xf32>) -> tensor<1x300x7x7xf32>
  return %3 : tensor<1x300x7x7xf32>
}

// Near miss: other ones do. The importer reshapes them after the cast.
// CHECK-LABEL: func.func @vector(
// CHECK-COUNT-2: pd.integer_conv2d
func.func @vector(%x: tensor<1x8x9x9xui8>, %w: tensor<300x8x3x3xi8>, %z: tensor<300xi8>) -> tensor<1x300x7x7xf32> {
  %0 = pd.cast %x {dtype = f32} : (tensor<1x8x9x9xui8>) -> tensor<1x8x9x9xf32>
  %1 = pd.cast %w {dtype = f32} : (tensor<300x8x3x3xi8>) -> tensor<300x8x3x3xf32>
  %zero = pd.cast %z {dtype = f32} : (tensor<300xi8>) -> tensor<300xf32>
  %4 = pd.reshape %zero {shape = array<i64: 300, 1, 1, 1>} : (tensor<300xf32>) -> tensor<300x1x1x1xf32>
  %2 = pd.subtract %1, %4 : (tensor<300x8x3x3xf32>, tensor<300x1x1x1xf32>) -> tensor<300x8x3x3xf32>
  %3 = pd.conv2d %0, %2 : (tensor<1x8x9x9xf32>, tensor<300x8x3x3xf32>) -> tensor<1x300x7x7xf32>
  return %3 : tensor<1x300x7x7xf32>
}

// Sums in i16 wrap around: 32000 + 32000 is -1536, not a number that exceeds 63900 by less than 256.
// CHECK-LABEL: func.func @sums_wrap_around(
// CHECK-NOT: pd.integer_matmul
// CHECK: pd.matmul
func.func @sums_wrap_around(%x: tensor<4x8xf32>, %w: tensor<8x3xi8>) -> tensor<4x3xf32> {
  %low = pd.constant dense<3.200000e+04> : tensor<f32>
  %high = pd.constant dense<3.206000e+04> : tensor<f32>
  %offset = pd.constant dense<6.390000e+04> : tensor<f32>
  %0 = pd.round %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pd.maximum %0, %low : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = pd.minimum %1, %high : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = pd.cast %2 {dtype = i16} : (tensor<4x8xf32>) -> tensor<4x8xi16>
  %4 = pd.add %3, %3 : (tensor<4x8xi16>, tensor<4x8xi16>) -> tensor<4x8xi16>
  %5 = pd.cast %4 {dtype = f32} : (tensor<4x8xi16>) -> tensor<4x8xf32>
  %6 = pd.subtract %5, %offset : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %7 = pd.cast %w {dtype = f32} : (tensor<8x3xi8>) -> tensor<8x3xf32>
  %8 = pd.matmul %6, %7 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %8 : tensor<4x3xf32>
}

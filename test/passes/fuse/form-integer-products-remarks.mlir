// RUN: proa-opt %s --pd-form-integer-products --remarks=pd-form-integer-products --verify-diagnostics -o /dev/null

func.func @formed(%x: tensor<4x8xui8>, %y: tensor<8x16xi8>) -> tensor<4x16xf32> {
  %0 = pd.cast %x {dtype = f32} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = pd.cast %y {dtype = f32} : (tensor<8x16xi8>) -> tensor<8x16xf32>
  // expected-remark @below {{pd.matmul becomes a product of integers}}
  %2 = pd.matmul %0, %1 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

func.func @float_factors(%x: tensor<4x8xf32>, %y: tensor<8x16xi8>, %w: tensor<8x16xi16>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %1 = pd.cast %y {dtype = f32} : (tensor<8x16xi8>) -> tensor<8x16xf32>
  // expected-remark @below {{x is not quantized to 8 bits}}
  %2 = pd.matmul %x, %1 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %r = pd.round %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %low = pd.constant dense<-1.280000e+02> : tensor<f32>
  %high = pd.constant dense<1.270000e+02> : tensor<f32>
  %m = pd.minimum %r, %high : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %c = pd.maximum %m, %low : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = pd.cast %w {dtype = f32} : (tensor<8x16xi16>) -> tensor<8x16xf32>
  // expected-remark @below {{y is not quantized to 8 bits}}
  %4 = pd.matmul %c, %3 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %2, %4 : tensor<4x16xf32>, tensor<4x16xf32>
}

// Bounds of more than 8 bits.
func.func @wide(%x: tensor<4x8xf32>, %y: tensor<8x16xi8>) -> tensor<4x16xf32> {
  %r = pd.round %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %low = pd.constant dense<-1.290000e+02> : tensor<f32>
  %high = pd.constant dense<1.270000e+02> : tensor<f32>
  %m = pd.minimum %r, %high : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %c = pd.maximum %m, %low : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = pd.cast %y {dtype = f32} : (tensor<8x16xi8>) -> tensor<8x16xf32>
  // expected-remark @below {{x is not quantized to 8 bits}}
  %2 = pd.matmul %c, %1 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// One scale for each row of y, which is summed over.
func.func @summed_scale(%x: tensor<4x8xui8>, %y: tensor<8x16xi8>, %s: tensor<8x1xf32>) -> tensor<4x16xf32> {
  %0 = pd.cast %x {dtype = f32} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = pd.cast %y {dtype = f32} : (tensor<8x16xi8>) -> tensor<8x16xf32>
  %2 = pd.multiply %1, %s : (tensor<8x16xf32>, tensor<8x1xf32>) -> tensor<8x16xf32>
  // expected-remark @below {{a scale or zero point changes along the summed dimension}}
  %3 = pd.matmul %0, %2 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

func.func @other_matmuls(%x: tensor<4x?xui8>, %y: tensor<?x16xi8>, %v: tensor<16xi8>, %l: tensor<4x40000xui8>, %k: tensor<40000x2xi8>)
    -> (tensor<4x16xf32>, tensor<?xf32>, tensor<4x2xf32>, tensor<4x16xbf16>) {
  %0 = pd.cast %x {dtype = f32} : (tensor<4x?xui8>) -> tensor<4x?xf32>
  %1 = pd.cast %y {dtype = f32} : (tensor<?x16xi8>) -> tensor<?x16xf32>
  // expected-remark @below {{the number of products is dynamic, 0, or too large for int32}}
  %2 = pd.matmul %0, %1 : (tensor<4x?xf32>, tensor<?x16xf32>) -> tensor<4x16xf32>
  %3 = pd.cast %v {dtype = f32} : (tensor<16xi8>) -> tensor<16xf32>
  // expected-remark @below {{a factor of the matmul is a vector}}
  %4 = pd.matmul %1, %3 : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?xf32>
  %5 = pd.cast %l {dtype = f32} : (tensor<4x40000xui8>) -> tensor<4x40000xf32>
  %6 = pd.cast %k {dtype = f32} : (tensor<40000x2xi8>) -> tensor<40000x2xf32>
  // expected-remark @below {{the number of products is dynamic, 0, or too large for int32}}
  %7 = pd.matmul %5, %6 : (tensor<4x40000xf32>, tensor<40000x2xf32>) -> tensor<4x2xf32>
  %8 = pd.cast %x {dtype = bf16} : (tensor<4x?xui8>) -> tensor<4x?xbf16>
  %9 = pd.cast %y {dtype = bf16} : (tensor<?x16xi8>) -> tensor<?x16xbf16>
  // expected-remark @below {{the matmul is not in f32 or f64}}
  %10 = pd.matmul %8, %9 : (tensor<4x?xbf16>, tensor<?x16xbf16>) -> tensor<4x16xbf16>
  return %2, %4, %7, %10 : tensor<4x16xf32>, tensor<?xf32>, tensor<4x2xf32>, tensor<4x16xbf16>
}

func.func @convolutions(%x: tensor<1x8x9x?xui8>, %f: tensor<1x8x9x?xf32>, %w: tensor<16x8x3x3xi8>, %g: tensor<16x8x3x3xf32>,
                        %s: tensor<1x8x1x1xf32>, %t: tensor<8x1x1xf32>)
    -> (tensor<1x16x7x?xf32>, tensor<1x16x7x?xf32>, tensor<1x16x7x?xf32>, tensor<1x16x7x?xf32>, tensor<1x16x9x?xf32>) {
  %0 = pd.cast %x {dtype = f32} : (tensor<1x8x9x?xui8>) -> tensor<1x8x9x?xf32>
  %1 = pd.cast %w {dtype = f32} : (tensor<16x8x3x3xi8>) -> tensor<16x8x3x3xf32>
  // expected-remark @below {{the input is not quantized to 8 bits}}
  %2 = pd.conv2d %f, %1 : (tensor<1x8x9x?xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x7x?xf32>
  // expected-remark @below {{the filter is not quantized to 8 bits}}
  %3 = pd.conv2d %0, %g : (tensor<1x8x9x?xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x7x?xf32>
  %4 = pd.multiply %0, %s : (tensor<1x8x9x?xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x9x?xf32>
  // expected-remark @below {{the input has several scales or zero points}}
  %5 = pd.conv2d %4, %1 : (tensor<1x8x9x?xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x7x?xf32>
  %6 = pd.multiply %1, %t : (tensor<16x8x3x3xf32>, tensor<8x1x1xf32>) -> tensor<16x8x3x3xf32>
  // expected-remark @below {{a scale or zero point of the filter changes within a channel}}
  %7 = pd.conv2d %0, %6 : (tensor<1x8x9x?xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x7x?xf32>
  %one = pd.constant dense<1.0> : tensor<f32>
  %8 = pd.subtract %0, %one : (tensor<1x8x9x?xf32>, tensor<f32>) -> tensor<1x8x9x?xf32>
  // expected-remark @below {{the padding depends on a dynamic dim}}
  %9 = pd.conv2d %8, %1 {paddings = array<i64: 1, 1>} : (tensor<1x8x9x?xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x9x?xf32>
  return %2, %3, %5, %7, %9 : tensor<1x16x7x?xf32>, tensor<1x16x7x?xf32>, tensor<1x16x7x?xf32>, tensor<1x16x7x?xf32>, tensor<1x16x9x?xf32>
}

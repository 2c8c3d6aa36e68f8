// RUN: proa-opt %s --pd-channels-last --remarks=pd-channels-last --verify-diagnostics -o /dev/null

func.func @follow(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32> {
  // expected-remark @below {{pd-channels-last: pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.relu works with channels last}}
  %1 = pd.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

func.func @stop(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %y: tensor<1x4x8x8xf32>) -> (tensor<1x8x8x8xf32>, tensor<1x256xf32>) {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.concat keeps channels first: not all of its operands have channels last}}
  %1 = pd.concat %0, %y {axis = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x8x8x8xf32>
  // expected-remark @below {{pd.reshape keeps channels first: it has no form with channels last}}
  %2 = pd.reshape %0 {shape = array<i64: 1, 256>} : (tensor<1x4x8x8xf32>) -> tensor<1x256xf32>
  return %1, %2 : tensor<1x8x8x8xf32>, tensor<1x256xf32>
}

func.func @double(%x: tensor<1x3x8x8xf64>, %w: tensor<4x3x1x1xf64>) -> tensor<1x4x8x8xf64> {
  // expected-remark @below {{pd.conv2d keeps channels first: its operand is neither in f32 nor of 8-bit integers}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf64>, tensor<4x3x1x1xf64>) -> tensor<1x4x8x8xf64>
  return %0 : tensor<1x4x8x8xf64>
}

// No remark for an op that reads no image with channels last.
func.func @elsewhere(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  %0 = pd.relu %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// An alpha for each element has the layout of the image.
func.func @prelu(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %alpha: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.prelu keeps channels first: it supports channels first only with these attributes}}
  %1 = pd.prelu %0, %alpha mode = element : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

func.func @pixel_shuffle(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x1x16x16xf32> {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.pixel_shuffle works with channels last}}
  %1 = pd.pixel_shuffle %0 {upscale_factor = 2 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x1x16x16xf32>
  return %1 : tensor<1x1x16x16xf32>
}

// Near misses of each pattern.
func.func @channels_last_already(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x8x8x4xf32> {
  // expected-remark @below {{pd.conv2d keeps channels first: its data_format is not channels first}}
  %0 = pd.conv2d %x, %w data_format = NHWC : (tensor<1x8x8x3xf32>, tensor<4x3x1x1xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

func.func @control_flow(%c: i1, %x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = scf.if %c -> tensor<1x4x8x8xf32> {
    // expected-remark @below {{pd.conv2d keeps channels first: it is inside of control flow}}
    %1 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    scf.yield %1 : tensor<1x4x8x8xf32>
  } else {
    scf.yield %y : tensor<1x4x8x8xf32>
  }
  return %0 : tensor<1x4x8x8xf32>
}

// A vector along the width has no counterpart, and a sum over the height alone has other dimensions.
func.func @row(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %r: tensor<8xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8xf32>) {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.add keeps channels first: an operand with fewer dimensions has dynamic dims or is neither a scalar nor one value for each channel}}
  %1 = pd.add %0, %r : (tensor<1x4x8x8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.sum keeps channels first: its result would have other dimensions than before}}
  %2 = pd.sum %0 {axis = array<i64: 2>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8xf32>
  return %1, %2 : tensor<1x4x8x8xf32>, tensor<1x4x8xf32>
}

// A convolution of few channels between arguments and results.
func.func @alone(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4x1x1xf32>) -> tensor<1x4x6x6xf32> {
  // expected-remark @below {{pd.conv2d keeps channels first: its kernel reads channels first, and no other image is near}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = pd.add %0, %b : (tensor<1x4x6x6xf32>, tensor<4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %2 = pd.relu %1 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %2 : tensor<1x4x6x6xf32>
}

func.func @alone_depthwise(%x: tensor<1x16x8x8xf32>, %w: tensor<16x1x3x3xf32>) -> tensor<1x16x6x6xf32> {
  // expected-remark @below {{pd.conv2d keeps channels first: its kernel reads channels first, and no other image is near}}
  %0 = pd.conv2d %x, %w {groups = 16 : i64} : (tensor<1x16x8x8xf32>, tensor<16x1x3x3xf32>) -> tensor<1x16x6x6xf32>
  return %0 : tensor<1x16x6x6xf32>
}

func.func @alone_large_window(%x: tensor<1x3x32x32xf32>, %w: tensor<4x3x11x11xf32>) -> tensor<1x4x22x22xf32> {
  // expected-remark @below {{pd.conv2d keeps channels first: its kernel reads channels first, and no other image is near}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x32x32xf32>, tensor<4x3x11x11xf32>) -> tensor<1x4x22x22xf32>
  return %0 : tensor<1x4x22x22xf32>
}

func.func @alone_pixel(%x: tensor<1x16x8x8xf32>, %w: tensor<32x16x1x1xf32>) -> tensor<1x32x8x8xf32> {
  // expected-remark @below {{pd.conv2d keeps channels first: its kernel reads channels first, and no other image is near}}
  %0 = pd.conv2d %x, %w : (tensor<1x16x8x8xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x8x8xf32>
  return %0 : tensor<1x32x8x8xf32>
}

// Near misses: few results and few pixels of a window of one pixel; many channels; another convolution after it; an image of another op; a reduction.
func.func @few_results(%x: tensor<1x16x8x8xf32>, %w: tensor<7x16x1x1xf32>) -> tensor<1x7x8x8xf32> {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x16x8x8xf32>, tensor<7x16x1x1xf32>) -> tensor<1x7x8x8xf32>
  return %0 : tensor<1x7x8x8xf32>
}

func.func @few_pixels(%x: tensor<1x16x3x5xf32>, %w: tensor<32x16x1x1xf32>) -> tensor<1x32x3x5xf32> {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x16x3x5xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x3x5xf32>
  return %0 : tensor<1x32x3x5xf32>
}

func.func @many_channels(%x: tensor<1x9x8x8xf32>, %w: tensor<4x9x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x9x8x8xf32>, tensor<4x9x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

func.func @another_convolution(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<4x4x3x3xf32>) -> tensor<1x4x4x4xf32> {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  // expected-remark @below {{pd.relu works with channels last}}
  %1 = pd.relu %0 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  // expected-remark @below {{pd.conv2d works with channels last}}
  %2 = pd.conv2d %1, %v : (tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %2 : tensor<1x4x4x4xf32>
}

func.func @image_of_another_op(%y: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %x = pd.transpose %y {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x8x8x3xf32>) -> tensor<1x3x8x8xf32>
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

func.func @reduced(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<4xf32> {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  // expected-remark @below {{pd.sum works with channels last}}
  %1 = pd.sum %0 {axis = array<i64: 0, 2, 3>} : (tensor<1x4x6x6xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func @bounds_of_a_slice(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %begin: tensor<1xi64>)
    -> tensor<1x?x8x8xf32> {
  // expected-remark @below {{pd.conv2d works with channels last}}
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.slice keeps channels first: its bounds are tensors}}
  %1 = "pd.slice"(%0, %begin) {axes = array<i64: 1>, ends = array<i64: 4>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<1xi64>) -> tensor<1x?x8x8xf32>
  return %1 : tensor<1x?x8x8xf32>
}

// RUN: proa-opt %s --pd-drop-taps --remarks=pd-drop-taps --verify-diagnostics -o /dev/null

func.func @dropped(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  // expected-remark @below {{pd.conv2d has 1 taps of 9: the others lie in the padding for each window}}
  %0 = pd.conv2d %x, %w {dilations = array<i64: 8, 8>, paddings = array<i64: 8, 8>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

func.func @all_are_used(%x: tensor<1x3x9x9xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x9x9xf32> {
  // expected-remark @below {{pd.conv2d keeps its filter: each outer tap lies in the image for some window}}
  %0 = pd.conv2d %x, %w {dilations = array<i64: 8, 8>, paddings = array<i64: 8, 8>}
    : (tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x9x9xf32>
  return %0 : tensor<1x4x9x9xf32>
}

func.func @dynamic(%x: tensor<1x3x?x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x?x8xf32> {
  // expected-remark @below {{pd.conv2d keeps its filter: dimensions are dynamic}}
  %0 = pd.conv2d %x, %w {dilations = array<i64: 8, 8>, paddings = array<i64: 8, 8>}
    : (tensor<1x3x?x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x?x8xf32>
  return %0 : tensor<1x4x?x8xf32>
}

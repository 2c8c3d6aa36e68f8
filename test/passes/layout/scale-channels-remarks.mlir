// RUN: proa-opt %s --pd-scale-channels --remarks=pd-scale-channels --verify-diagnostics -o /dev/null

func.func @scaled(%x: tensor<2x3x4x5xf32>, %w: tensor<3x1x1x1xf32>) -> tensor<2x3x4x5xf32> {
  // expected-remark @below {{pd.conv2d multiplies each channel by a factor: it is elementwise}}
  %0 = pd.conv2d %x, %w {groups = 3 : i64} : (tensor<2x3x4x5xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

func.func @gradient(%x: tensor<2x3x4x5xf32>, %d: tensor<2x3x4x5xf32>) -> tensor<3x1x1x1xf32> {
  // expected-remark @below {{pd.conv2d_weight_gradient is the sum of elementwise products}}
  %0 = pd.conv2d_weight_gradient %x, %d {kernel_size = array<i64: 1, 1>, groups = 3 : i64}
    : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<3x1x1x1xf32>
  return %0 : tensor<3x1x1x1xf32>
}

func.func @strides(%x: tensor<2x3x4x6xf32>, %w: tensor<3x1x1x1xf32>) -> tensor<2x3x2x3xf32> {
  // expected-remark @below {{pd.conv2d is not elementwise: it has strides}}
  %0 = pd.conv2d %x, %w {groups = 3 : i64, strides = array<i64: 2, 2>}
    : (tensor<2x3x4x6xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x2x3xf32>
  return %0 : tensor<2x3x2x3xf32>
}

func.func @padding(%x: tensor<2x3x4x6xf32>, %w: tensor<3x1x1x1xf32>) -> tensor<2x3x6x6xf32> {
  // expected-remark @below {{pd.conv2d is not elementwise: it has padding}}
  %0 = pd.conv2d %x, %w {groups = 3 : i64, paddings = array<i64: 1, 0>}
    : (tensor<2x3x4x6xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x6x6xf32>
  return %0 : tensor<2x3x6x6xf32>
}

func.func @two_filters_of_a_channel(%x: tensor<2x3x4x6xf32>, %w: tensor<6x1x1x1xf32>) -> tensor<2x6x4x6xf32> {
  // expected-remark @below {{pd.conv2d is not elementwise: its channels are not groups of one}}
  %0 = pd.conv2d %x, %w {groups = 3 : i64} : (tensor<2x3x4x6xf32>, tensor<6x1x1x1xf32>) -> tensor<2x6x4x6xf32>
  return %0 : tensor<2x6x4x6xf32>
}

func.func @groups_of_two(%x: tensor<2x4x4x6xf32>, %w: tensor<4x2x1x1xf32>) -> tensor<2x4x4x6xf32> {
  // expected-remark @below {{pd.conv2d is not elementwise: its channels are not groups of one}}
  %0 = pd.conv2d %x, %w {groups = 2 : i64} : (tensor<2x4x4x6xf32>, tensor<4x2x1x1xf32>) -> tensor<2x4x4x6xf32>
  return %0 : tensor<2x4x4x6xf32>
}

func.func @window(%x: tensor<2x3x4x6xf32>, %w: tensor<3x1x3x3xf32>) -> tensor<2x3x4x6xf32> {
  // expected-remark @below {{pd.conv2d is not elementwise: its windows have several elements}}
  %0 = pd.conv2d %x, %w {groups = 3 : i64, paddings = array<i64: 1, 1>}
    : (tensor<2x3x4x6xf32>, tensor<3x1x3x3xf32>) -> tensor<2x3x4x6xf32>
  return %0 : tensor<2x3x4x6xf32>
}

func.func @unknown_groups(%x: tensor<2x?x4x6xf32>, %w: tensor<?x1x1x1xf32>) -> tensor<2x?x4x6xf32> {
  // expected-remark @below {{pd.conv2d is not elementwise: its channels are not groups of one}}
  %0 = pd.conv2d %x, %w {groups = 3 : i64} : (tensor<2x?x4x6xf32>, tensor<?x1x1x1xf32>) -> tensor<2x?x4x6xf32>
  return %0 : tensor<2x?x4x6xf32>
}

func.func @padding_of_the_result(%x: tensor<2x3x4x5xf32>, %w: tensor<3x1x1x1xf32>) -> tensor<2x3x5x6xf32> {
  // expected-remark @below {{pd.conv2d_transpose is not elementwise: it has padding of the result}}
  %0 = pd.conv2d_transpose %x, %w
    {groups = 3 : i64, dilations = array<i64: 2, 2>, output_padding = array<i64: 1, 1>}
    : (tensor<2x3x4x5xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x5x6xf32>
  return %0 : tensor<2x3x5x6xf32>
}

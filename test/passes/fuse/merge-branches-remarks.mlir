// RUN: proa-opt %s --pd-merge-branches --remarks=pd-merge-branches --verify-diagnostics -o /dev/null

func.func @merged(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"},
    %v: tensor<4x3x1x1xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d %x, %v : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{one convolution computes 2 branches of the sum that read its image}}
  %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// A row and a column of taps: a filter that has both has nine.
func.func @other_taps(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x1xf32> {pd.param = "w"},
    %v: tensor<4x3x1x3xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 1, 0>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d %x, %v {paddings = array<i64: 0, 1>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x1x3xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{a branch keeps its convolution: the other one lacks some of its taps}}
  %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// Of two dilations, only the taps in the middle are the same.
func.func @other_dilation(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {pd.param = "w"},
    %v: tensor<4x3x3x3xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 2, 2>, dilations = array<i64: 2, 2>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d %x, %v {paddings = array<i64: 1, 1>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{a branch keeps its convolution: the other one lacks some of its taps}}
  %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

func.func @other_strides(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x2x2xf32> {pd.param = "w"},
    %v: tensor<4x3x1x1xf32> {pd.param = "v"}) -> tensor<1x4x7x7xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x2x2xf32>) -> tensor<1x4x7x7xf32>
  %1 = pd.conv2d %x, %v {strides = array<i64: 2, 2>, paddings = array<i64: 3, 2, 3, 2>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x7x7xf32>
  // expected-remark @below {{a branch keeps its convolution: the other one lacks some of its taps}}
  %2 = pd.add %0, %1 : (tensor<1x4x7x7xf32>, tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  return %2 : tensor<1x4x7x7xf32>
}

func.func @other_groups(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32> {pd.param = "w"},
    %v: tensor<4x2x1x1xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.conv2d %x, %v {groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{a branch keeps its convolution: it has other groups}}
  %2 = pd.add %0, %1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// An image of one row: the first result has one row, which is added to the six of the second one.
func.func @other_dims(%x: tensor<1x3x?x8xf32>, %w: tensor<4x3x3x1xf32> {pd.param = "w"},
    %v: tensor<4x3x1x1xf32> {pd.param = "v"}) -> tensor<1x4x?x8xf32> {
  %0 = pd.conv2d %x, %w {paddings = array<i64: 1, 0>}
    : (tensor<1x3x?x8xf32>, tensor<4x3x3x1xf32>) -> tensor<1x4x?x8xf32>
  %1 = pd.conv2d %x, %v {paddings = array<i64: 0, 5, 0, 0>}
    : (tensor<1x3x?x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x?x8xf32>
  // expected-remark @below {{a branch keeps its convolution: its dims may differ}}
  %2 = pd.add %0, %1 : (tensor<1x4x?x8xf32>, tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %2 : tensor<1x4x?x8xf32>
}

// RUN: proa-opt %s --pd-fold-batch-norm --remarks=pd-fold-batch-norm --verify-diagnostics -o /dev/null

func.func @folded(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"},
                  %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd-fold-batch-norm: pd.batch_norm is folded into the convolution before it}}
  %1:6 = "pd.batch_norm"(%0, %m, %v) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8xf32>
}

func.func @training(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32> {pd.param = "w"}, %m: tensor<4xf32> {pd.param = "m"},
                    %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.batch_norm is not folded: it uses the statistics of the batch}}
  %1:6 = "pd.batch_norm"(%0, %m, %v) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8xf32>
}

func.func @no_parameter(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %m: tensor<4xf32> {pd.param = "m"},
                        %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  %0 = pd.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // expected-remark @below {{pd.batch_norm is not folded: the filter or a statistic is neither a parameter nor a constant}}
  %1:6 = "pd.batch_norm"(%0, %m, %v) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8xf32>
}

func.func @no_convolution(%x: tensor<1x4x8x8xf32>, %m: tensor<4xf32> {pd.param = "m"},
                          %v: tensor<4xf32> {pd.param = "v"}) -> tensor<1x4x8x8xf32> {
  // expected-remark @below {{pd.batch_norm is not folded: its input is not the result of a convolution whose filter has channels of the result, with or without a constant bias}}
  %1:6 = "pd.batch_norm"(%x, %m, %v) {is_test = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>)
  return %1#0 : tensor<1x4x8x8xf32>
}

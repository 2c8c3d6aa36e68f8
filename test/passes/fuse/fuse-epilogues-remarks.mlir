// RUN: proa-opt %s --pd-fuse-epilogues --remarks=pd-fuse-epilogues --verify-diagnostics -o /dev/null

func.func @fused(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  // expected-remark @below {{pd-fuse-epilogues: pd.matmul is fused with pd.add, pd.relu; nothing more is fused: func.return does not have one result}}
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = pd.relu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

func.func @transposed(%x: tensor<2x8x4x16xf32>, %w: tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32> {
  %0 = pd.transpose %x {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  // expected-remark @below {{pd.matmul is fused with its scaled or transposed operands; nothing more is fused: func.return does not have one result}}
  %1 = pd.matmul %0, %w : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  return %1 : tensor<2x4x8x8xf32>
}

func.func @several_uses(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  // expected-remark @below {{pd.matmul is not fused: its result has several uses}}
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.relu %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

func.func @other_user(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // expected-remark @below {{pd.matmul is not fused: pd.softmax is not a bias, residual, activation or multiplication by a constant}}
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.softmax %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

func.func @mask(%x: tensor<2x4x8xf32>, %w: tensor<2x8x16xf32>, %m: tensor<2x1x16xf32>) -> tensor<2x4x16xf32> {
  // expected-remark @below {{pd.matmul is not fused: pd.add adds a tensor that is neither a bias nor of the type of the result}}
  %0 = pd.matmul %x, %w : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  %1 = pd.add %0, %m : (tensor<2x4x16xf32>, tensor<2x1x16xf32>) -> tensor<2x4x16xf32>
  return %1 : tensor<2x4x16xf32>
}

func.func @double(%x: tensor<4x8xf64>, %w: tensor<8x16xf64>) -> tensor<4x16xf64> {
  // expected-remark @below {{pd.matmul is not fused: its element type is neither f32 nor bf16, which the runtime computes by plain loops}}
  %0 = pd.matmul %x, %w : (tensor<4x8xf64>, tensor<8x16xf64>) -> tensor<4x16xf64>
  %1 = pd.relu %0 : (tensor<4x16xf64>) -> tensor<4x16xf64>
  return %1 : tensor<4x16xf64>
}

func.func @vector(%x: tensor<8xf32>, %w: tensor<8x16xf32>) -> tensor<16xf32> {
  // expected-remark @below {{pd.matmul is not fused: its result is not a matrix}}
  %0 = pd.matmul %x, %w : (tensor<8xf32>, tensor<8x16xf32>) -> tensor<16xf32>
  %1 = pd.relu %0 : (tensor<16xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

func.func @factor_after_activation(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // expected-remark @below {{pd.matmul is fused with pd.relu; nothing more is fused: pd.scale multiplies after another fused op}}
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.relu %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = "pd.scale"(%1) {operandSegmentSizes = array<i32: 1, 0, 0>, scale = 0.5} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

func.func @twice(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  // expected-remark @below {{pd.matmul is not fused: its result has several uses}}
  %0 = pd.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = pd.add %0, %0 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

func.func @depthwise(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x1x1xf32>, %r: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  // expected-remark @below {{pd.conv2d is not fused: pd.add cannot be fused: the runtime's convolution with groups does not add a residual}}
  %0 = pd.conv2d %x, %w {groups = 4 : i64, paddings = array<i64: 0, 0, 0, 0>} : (tensor<1x4x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.add %0, %r : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

func.func @dilated(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x8x8xf32> {
  // expected-remark @below {{pd.conv2d is not fused: pd.relu cannot be fused: the runtime's dilated convolution with groups adds a bias only}}
  %0 = pd.conv2d %x, %w {groups = 4 : i64, dilations = array<i64: 2, 2>, paddings = array<i64: 2, 2, 2, 2>} : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = pd.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

func.func @two_paddings(%x: tensor<1x4x?x8xf32>, %w: tensor<4x4x3x3xf32>) -> tensor<1x4x?x8xf32> {
  // expected-remark @below {{pd.conv2d is not fused: its paddings are not four constants}}
  %0 = pd.conv2d %x, %w padding_algorithm = SAME : (tensor<1x4x?x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x?x8xf32>
  %1 = pd.relu %0 : (tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %1 : tensor<1x4x?x8xf32>
}

// A contraction that rt has no op for.
func.func @conv3d(%x: tensor<1x4x4x8x8xf32>, %w: tensor<4x4x1x1x1xf32>) -> tensor<1x4x4x8x8xf32> {
  // expected-remark @below {{pd.conv3d is not fused: the runtime has no fused kernel for it}}
  %0 = pd.conv3d %x, %w {paddings = array<i64: 0, 0, 0, 0, 0, 0>} : (tensor<1x4x4x8x8xf32>, tensor<4x4x1x1x1xf32>) -> tensor<1x4x4x8x8xf32>
  %1 = pd.relu %0 : (tensor<1x4x4x8x8xf32>) -> tensor<1x4x4x8x8xf32>
  return %1 : tensor<1x4x4x8x8xf32>
}

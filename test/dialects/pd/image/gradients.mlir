// RUN: proa-opt %s | proa-opt | FileCheck %s --check-prefix=ROUND
// RUN: proa-opt %s --pd-decompose=only=pd.vjp | FileCheck %s

// ROUND-LABEL: func @ops
func.func @ops(%x: tensor<1x2x4x4xf32>, %d: tensor<1x3x3x3xf32>, %p: tensor<1x2x2x2xf32>, %u: tensor<1x2x8x8xf32>) {
  // ROUND: pd.conv2d_weight_gradient %{{.*}}, %{{.*}} {kernel_size = array<i64: 2, 2>}
  %0 = pd.conv2d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2>}
      : (tensor<1x2x4x4xf32>, tensor<1x3x3x3xf32>) -> tensor<3x2x2x2xf32>
  // ROUND: pd.pool2d_gradient %{{.*}}, %{{.*}} pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>}
  %1 = pd.pool2d_gradient %x, %p pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>}
      : (tensor<1x2x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  // ROUND: pd.interpolate_gradient %{{.*}}, %{{.*}} interp_method = bilinear {out_h = 8 : i64, out_w = 8 : i64}
  %2 = pd.interpolate_gradient %x, %u interp_method = bilinear {out_h = 8 : i64, out_w = 8 : i64}
      : (tensor<1x2x4x4xf32>, tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return
}

// ROUND-LABEL: func @volumes
func.func @volumes(%x: tensor<1x2x4x4x4xf32>, %d: tensor<1x3x3x3x3xf32>, %p: tensor<1x2x2x2x2xf32>) {
  // ROUND: pd.conv3d_weight_gradient
  %0 = pd.conv3d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>}
      : (tensor<1x2x4x4x4xf32>, tensor<1x3x3x3x3xf32>) -> tensor<3x2x2x2x2xf32>
  // ROUND: pd.pool3d_gradient
  %1 = pd.pool3d_gradient %x, %p {kernel_size = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>}
      : (tensor<1x2x4x4x4xf32>, tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// ROUND-LABEL: func @recurrent
func.func @recurrent(%x: tensor<4x2x3xf32>, %h: tensor<1x2x5xf32>, %wi: tensor<5x3xf32>, %wh: tensor<5x5xf32>,
                     %b: tensor<5xf32>, %d: tensor<4x2x5xf32>) {
  // ROUND: pd.rnn_gradient %{{.*}} states = %{{.*}} weights = %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cotangents = %{{.*}}, %{{.*}} {hidden_size = 5 : i64}
  %0:6 = pd.rnn_gradient %x states = %h weights = %wi, %wh, %b, %b cotangents = %d, %h {hidden_size = 5 : i64}
      : (tensor<4x2x3xf32>, tensor<1x2x5xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<4x2x5xf32>, tensor<1x2x5xf32>)
      -> (tensor<4x2x3xf32>, tensor<1x2x5xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// The gradient by the input is the transposed convolution whose output has the dims of the input.
// CHECK-LABEL: func @conv
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x5x5xf32>, %[[W:.*]]: tensor<4x1x3x3xf32>, %[[D:.*]]: tensor<1x4x2x3xf32>)
// CHECK-DAG: %[[DX:.*]] = pd.conv2d_transpose %[[D]], %[[W]] {groups = 2 : i64, output_size = array<i64: 5, 5>, paddings = array<i64: 0, 0, 1, 1>, strides = array<i64: 2, 2>}
// CHECK-DAG: %[[DW:.*]] = pd.conv2d_weight_gradient %[[X]], %[[D]] {groups = 2 : i64, kernel_size = array<i64: 3, 3>, paddings = array<i64: 0, 0, 1, 1>, strides = array<i64: 2, 2>}
// CHECK: return %[[DX]], %[[DW]]
func.func @conv(%x: tensor<1x2x5x5xf32>, %w: tensor<4x1x3x3xf32>, %d: tensor<1x4x2x3xf32>) -> (tensor<1x2x5x5xf32>, tensor<4x1x3x3xf32>) {
  %dx, %dw = pd.vjp(%x, %w : tensor<1x2x5x5xf32>, tensor<4x1x3x3xf32>) cotangents(%d : tensor<1x4x2x3xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<1x2x5x5xf32>, tensor<4x1x3x3xf32> {
  ^bb0(%a: tensor<1x2x5x5xf32>, %b: tensor<4x1x3x3xf32>):
    %y = pd.conv2d %a, %b {groups = 2 : i64, paddings = array<i64: 0, 1>, strides = array<i64: 2, 2>}
        : (tensor<1x2x5x5xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x2x3xf32>
    pd.yield %y : tensor<1x4x2x3xf32>
  }
  return %dx, %dw : tensor<1x2x5x5xf32>, tensor<4x1x3x3xf32>
}

// The statistics that the forward op saved are used: no mean is computed again.
// CHECK-LABEL: func @instance_norm
// CHECK-SAME: %[[MEAN:[a-z0-9]+]]: tensor<6xf32>, %[[INVERSE:[a-z0-9]+]]: tensor<6xf32>
// CHECK-NOT: pd.instance_norm
// CHECK-DAG: pd.reshape %[[MEAN]]
// CHECK-DAG: pd.reshape %[[INVERSE]]
// CHECK-COUNT-2: pd.sum
// CHECK-NOT: pd.sum
// CHECK: return
func.func @instance_norm(%x: tensor<2x3x4x4xf32>, %mean: tensor<6xf32>, %inverse: tensor<6xf32>, %d: tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32> {
  %dx = pd.vjp(%x : tensor<2x3x4x4xf32>) saved(%mean, %inverse : tensor<6xf32>, tensor<6xf32>) cotangents(%d : tensor<2x3x4x4xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64: 1, 2>} : tensor<2x3x4x4xf32> {
  ^bb0(%a: tensor<2x3x4x4xf32>):
    %y, %m, %v = pd.instance_norm %a : (tensor<2x3x4x4xf32>) -> (tensor<2x3x4x4xf32>, tensor<6xf32>, tensor<6xf32>)
    pd.yield %y, %m, %v : tensor<2x3x4x4xf32>, tensor<6xf32>, tensor<6xf32>
  }
  return %dx : tensor<2x3x4x4xf32>
}

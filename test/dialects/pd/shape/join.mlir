// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @broadcast_tensors
func.func @broadcast_tensors(%x: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // CHECK: pd.broadcast_tensors %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %0:2 = pd.broadcast_tensors %x, %b : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: func @concat
func.func @concat(%x: tensor<4x1xi64>, %axis_tensor: tensor<4x3xi64>) {
  // CHECK: pd.concat %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<4x1xi64>, tensor<4x3xi64>) -> tensor<4x4xi64>
  %0 = pd.concat %x, %axis_tensor {axis = 1 : i64} : (tensor<4x1xi64>, tensor<4x3xi64>) -> tensor<4x4xi64>
  return
}

// CHECK-LABEL: func @meshgrid
func.func @meshgrid(%x: tensor<3xf32>, %b: tensor<4xf32>) {
  // CHECK: pd.meshgrid %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0:2 = pd.meshgrid %x, %b : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// CHECK-LABEL: func @pad3d
func.func @pad3d(%x: tensor<1x2x1x4x4xf32>) {
  // CHECK: pd.pad3d %{{.*}} {paddings = array<i64: 1, 0, 0, 2, 0, 0>} : (tensor<1x2x1x4x4xf32>) -> tensor<1x2x1x6x5xf32>
  %0 = pd.pad3d %x {paddings = array<i64: 1, 0, 0, 2, 0, 0>} : (tensor<1x2x1x4x4xf32>) -> tensor<1x2x1x6x5xf32>
  return
}

// CHECK-LABEL: func @pad
func.func @pad(%x: tensor<2x3xf64>) {
  // CHECK: pd.pad %{{.*}} {pad_value = 5.000000e-01 : f64, paddings = array<i64: 1, 0, 2, 1>} : (tensor<2x3xf64>) -> tensor<3x6xf64>
  %0 = pd.pad %x {paddings = array<i64: 1, 0, 2, 1>, pad_value = 0.5} : (tensor<2x3xf64>) -> tensor<3x6xf64>
  return
}

// CHECK-LABEL: func @repeat_interleave
func.func @repeat_interleave(%x: tensor<2x3xf32>) {
  // CHECK: pd.repeat_interleave %{{.*}} {axis = 1 : i64, repeats = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  %0 = pd.repeat_interleave %x {axis = 1 : i64, repeats = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// CHECK-LABEL: func @stack
func.func @stack(%x: tensor<2x3xf32>, %axis: tensor<2x3xf32>) {
  // CHECK: pd.stack %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2x3xf32>
  %0 = pd.stack %x, %axis {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2x3xf32>
  return
}

// CHECK-LABEL: func @tile
func.func @tile(%x: tensor<2x3xf32>) {
  // CHECK: pd.tile %{{.*}} {repeat_times = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.tile %x {repeat_times = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @shape_uses
func.func @shape_uses(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // CHECK: pd.meshgrid %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0:2 = pd.meshgrid %v, %w : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  // CHECK: pd.broadcast_tensors
  %1:2 = pd.broadcast_tensors %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

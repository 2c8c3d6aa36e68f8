// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @channel_shuffle
func.func @channel_shuffle(%x: tensor<1x4x3x3xf32>) {
  // CHECK: pd.channel_shuffle %{{.*}} {groups = 2 : i64} : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %0 = pd.channel_shuffle %x {groups = 2 : i64} : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// CHECK-LABEL: func @flatten
func.func @flatten(%x: tensor<3x4xf32>) {
  // CHECK: pd.flatten %{{.*}} {start_axis = 0 : i64} : (tensor<3x4xf32>) -> tensor<12xf32>
  %0 = pd.flatten %x {start_axis = 0 : i64} : (tensor<3x4xf32>) -> tensor<12xf32>
  return
}

// CHECK-LABEL: func @flatten_to_matrix
func.func @flatten_to_matrix(%x: tensor<2x3x4xf32>) {
  // CHECK: pd.flatten_to_matrix %{{.*}} {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %0 = pd.flatten_to_matrix %x {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  return
}

// CHECK-LABEL: func @pixel_shuffle
func.func @pixel_shuffle(%x: tensor<1x8x2x3xf32>) {
  // CHECK: pd.pixel_shuffle %{{.*}} {upscale_factor = 2 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x2x4x6xf32>
  %0 = pd.pixel_shuffle %x {upscale_factor = 2 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x2x4x6xf32>
  return
}

// CHECK-LABEL: func @pixel_unshuffle
func.func @pixel_unshuffle(%x: tensor<1x4x6x6xf32>) {
  // CHECK: pd.pixel_unshuffle %{{.*}} {downscale_factor = 2 : i64} : (tensor<1x4x6x6xf32>) -> tensor<1x16x3x3xf32>
  %0 = pd.pixel_unshuffle %x {downscale_factor = 2 : i64} : (tensor<1x4x6x6xf32>) -> tensor<1x16x3x3xf32>
  return
}

// CHECK-LABEL: func @squeeze
func.func @squeeze(%x: tensor<3x1xf64>) {
  // CHECK: pd.squeeze %{{.*}} {axis = array<i64: 1>} : (tensor<3x1xf64>) -> tensor<3xf64>
  %0 = pd.squeeze %x {axis = array<i64: 1>} : (tensor<3x1xf64>) -> tensor<3xf64>
  return
}

// CHECK-LABEL: func @unsqueeze
func.func @unsqueeze(%x: tensor<1xf32>) {
  // CHECK: pd.unsqueeze %{{.*}} {axis = array<i64: 1>} : (tensor<1xf32>) -> tensor<1x1xf32>
  %0 = pd.unsqueeze %x {axis = array<i64: 1>} : (tensor<1xf32>) -> tensor<1x1xf32>
  return
}

// CHECK-LABEL: func @shape_uses
func.func @shape_uses(%i: tensor<1x4x6x6xf32>) {
  // CHECK: pd.pixel_unshuffle %{{.*}} {downscale_factor = 2 : i64}
  %2 = pd.pixel_unshuffle %i {downscale_factor = 2 : i64} : (tensor<1x4x6x6xf32>) -> tensor<1x16x3x3xf32>
  return
}

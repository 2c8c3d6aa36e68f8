// RUN: proa-opt %s --pd-form-block-matmuls --cse | FileCheck %s

// CHECK-LABEL: func.func @signed(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>, %[[W:.*]]: tensor<4x8xi8>, %[[S:.*]]: tensor<2x8xf32>, %[[Z:.*]]: tensor<2x8xi8>
// CHECK: %[[WIDE:.*]] = pd.cast %[[W]] {dtype = i32}
// CHECK: %[[MOVED:.*]] = pd.add %[[WIDE]]
// CHECK: %[[BYTES:.*]] = pd.cast %[[MOVED]] {dtype = ui8}
// CHECK: %[[ZERO:.*]] = pd.add %{{.*}} : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
// CHECK: %[[CODES:.*]] = pd.transpose %[[BYTES]] {perm = array<i64: 1, 0>} : (tensor<4x8xui8>) -> tensor<8x4xui8>
// CHECK: pd.block_quantized_matmul %[[X]], %[[CODES]], %[[S]], %[[ZERO]] {bits = 8 : i64, block_size = 2 : i64}
func.func @signed(%x: tensor<3x4xf32>, %w: tensor<4x8xi8>, %s: tensor<2x8xf32>, %z: tensor<2x8xi8>) -> tensor<3x8xf32> {
  %i = pd.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %0 = pd.cast %w {dtype = f32} : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %zf = pd.cast %z {dtype = f32} : (tensor<2x8xi8>) -> tensor<2x8xf32>
  %zs = pd.gather %zf, %i : (tensor<2x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %1 = pd.subtract %0, %zs : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %ss = pd.gather %s, %i : (tensor<2x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %2 = pd.multiply %1, %ss : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = pd.matmul %x, %2 : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
  return %3 : tensor<3x8xf32>
}

// Rows of bytes, with the blocks along the second dimension.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>, %[[W:.*]]: tensor<8x4xui8>, %[[S:.*]]: tensor<8x2xf32>
// CHECK: %[[SCALES:.*]] = pd.transpose %[[S]]
// CHECK: %[[ZERO:.*]] = pd.multiply %[[SCALES]], %{{.*}} : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
// CHECK: pd.block_quantized_matmul %[[X]], %[[W]], %[[SCALES]], %[[ZERO]] {bits = 8 : i64, block_size = 2 : i64}
func.func @transposed(%x: tensor<3x4xf32>, %w: tensor<8x4xui8>, %s: tensor<8x2xf32>) -> tensor<3x8xf32> {
  %i = pd.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %0 = pd.cast %w {dtype = f32} : (tensor<8x4xui8>) -> tensor<8x4xf32>
  %ss = pd.gather %s, %i {axis = 1} : (tensor<8x2xf32>, tensor<4xi64>) -> tensor<8x4xf32>
  %2 = pd.multiply %0, %ss : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = pd.matmul %x, %2 {transpose_y = true} : (tensor<3x4xf32>, tensor<8x4xf32>) -> tensor<3x8xf32>
  return %3 : tensor<3x8xf32>
}

// The scales do not belong to blocks.
// CHECK-LABEL: func.func @no_blocks(
// CHECK-NOT: block_quantized
// CHECK: pd.matmul
func.func @no_blocks(%x: tensor<3x4xf32>, %w: tensor<4x8xi8>, %s: tensor<2x8xf32>) -> tensor<3x8xf32> {
  %i = pd.constant dense<[0, 1, 0, 1]> : tensor<4xi64>
  %0 = pd.cast %w {dtype = f32} : (tensor<4x8xi8>) -> tensor<4x8xf32>
  %ss = pd.gather %s, %i : (tensor<2x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %2 = pd.multiply %0, %ss : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = pd.matmul %x, %2 : (tensor<3x4xf32>, tensor<4x8xf32>) -> tensor<3x8xf32>
  return %3 : tensor<3x8xf32>
}

// Blocks along the columns.
// CHECK-LABEL: func.func @other_axis(
// CHECK-NOT: block_quantized
// CHECK: pd.matmul
func.func @other_axis(%x: tensor<3x4xf32>, %w: tensor<4x4xi8>, %s: tensor<4x2xf32>) -> tensor<3x4xf32> {
  %i = pd.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %0 = pd.cast %w {dtype = f32} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %ss = pd.gather %s, %i {axis = 1} : (tensor<4x2xf32>, tensor<4xi64>) -> tensor<4x4xf32>
  %2 = pd.multiply %0, %ss : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = pd.matmul %x, %2 : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}

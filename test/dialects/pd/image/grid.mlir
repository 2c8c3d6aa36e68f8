// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @affine_grid
func.func @affine_grid(%input: tensor<1x2x3xf64>) {
  // CHECK: pd.affine_grid %{{.*}} {output_shape = array<i64: 1, 3, 2, 2>} : (tensor<1x2x3xf64>) -> tensor<1x2x2x2xf64>
  %0 = pd.affine_grid %input {output_shape = array<i64: 1, 3, 2, 2>} : (tensor<1x2x3xf64>) -> tensor<1x2x2x2xf64>
  return
}

// CHECK-LABEL: func @grid_sample
func.func @grid_sample(%x: tensor<1x1x2x2xf64>, %grid: tensor<1x1x3x2xf64>) {
  // CHECK: pd.grid_sample %{{.*}}, %{{.*}} {align_corners = false} : (tensor<1x1x2x2xf64>, tensor<1x1x3x2xf64>) -> tensor<1x1x1x3xf64>
  %0 = pd.grid_sample %x, %grid {align_corners = false} : (tensor<1x1x2x2xf64>, tensor<1x1x3x2xf64>) -> tensor<1x1x1x3xf64>
  return
}

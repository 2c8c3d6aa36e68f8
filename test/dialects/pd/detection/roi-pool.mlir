// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @deformable_psroi_pooling_grad
func.func @deformable_psroi_pooling_grad(%x: tensor<2x8x6x5xf32>, %boxes: tensor<3x4xf32>, %trans: tensor<3x2x2x2xf32>, %out_grad: tensor<3x2x2x2xf32>, %boxes_num: tensor<2xi64>) {
  // CHECK: pd.deformable_psroi_pooling_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {group_size = array<i64: 2, 2>, output_dim = 2 : i64, part_size = array<i64: 2, 2>, pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>, tensor<2xi64>) -> (tensor<2x8x6x5xf32>, tensor<3x2x2x2xf32>)
  %0:2 = pd.deformable_psroi_pooling_grad %x, %boxes, %trans, %out_grad, %boxes_num {output_dim = 2 : i64, group_size = array<i64: 2, 2>, pooled_height = 2 : i64, pooled_width = 2 : i64, part_size = array<i64: 2, 2>} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>, tensor<2xi64>) -> (tensor<2x8x6x5xf32>, tensor<3x2x2x2xf32>)
  return
}

// CHECK-LABEL: func @deformable_psroi_pooling
func.func @deformable_psroi_pooling(%x: tensor<2x8x6x5xf32>, %boxes: tensor<3x4xf32>, %trans: tensor<3x2x2x2xf32>, %boxes_num: tensor<2xi64>) {
  // CHECK: pd.deformable_psroi_pooling %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {group_size = array<i64: 2, 2>, output_dim = 2 : i64, part_size = array<i64: 2, 2>, pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf32>, tensor<2xi64>) -> (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>)
  %0:2 = pd.deformable_psroi_pooling %x, %boxes, %trans, %boxes_num {output_dim = 2 : i64, group_size = array<i64: 2, 2>, pooled_height = 2 : i64, pooled_width = 2 : i64, part_size = array<i64: 2, 2>} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf32>, tensor<2xi64>) -> (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>)
  return
}

// CHECK-LABEL: func @psroi_pool_grad
func.func @psroi_pool_grad(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %out_grad: tensor<9x2x2x2xf32>, %boxes_num: tensor<2xi32>) {
  // CHECK: pd.psroi_pool_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {output_channels = 2 : i64, pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.000000e+00 : f64} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x2x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  %0 = pd.psroi_pool_grad %x, %boxes, %out_grad, %boxes_num {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x2x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// CHECK-LABEL: func @psroi_pool
func.func @psroi_pool(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %boxes_num: tensor<2xi32>) {
  // CHECK: pd.psroi_pool %{{.*}}, %{{.*}}, %{{.*}} {output_channels = 2 : i64, pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<2xi32>) -> tensor<9x2x2x2xf32>
  %0 = pd.psroi_pool %x, %boxes, %boxes_num {pooled_height = 2, pooled_width = 2, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<2xi32>) -> tensor<9x2x2x2xf32>
  return
}

// CHECK-LABEL: func @roi_align_grad
func.func @roi_align_grad(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %out_grad: tensor<9x8x2x2xf32>, %boxes_num: tensor<2xi32>) {
  // CHECK: pd.roi_align_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {aligned = true, pooled_height = 2 : i64, pooled_width = 2 : i64, sampling_ratio = 2 : i64, spatial_scale = 1.000000e+00 : f64} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x8x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  %0 = pd.roi_align_grad %x, %boxes, %out_grad, %boxes_num {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0, sampling_ratio = 2, aligned = true} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x8x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// CHECK-LABEL: func @roi_align
func.func @roi_align(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %boxes_num: tensor<2xi32>) {
  // CHECK: pd.roi_align %{{.*}}, %{{.*}}, %{{.*}} {pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<2xi32>) -> tensor<9x8x2x2xf32>
  %0 = pd.roi_align %x, %boxes, %boxes_num {pooled_height = 2, pooled_width = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<2xi32>) -> tensor<9x8x2x2xf32>
  return
}

// CHECK-LABEL: func @roi_pool_grad
func.func @roi_pool_grad(%x: tensor<2x8x12x14xf32>, %boxes: tensor<9x4xf32>, %out_grad: tensor<9x8x2x2xf32>, %arg_max: tensor<9x8x2x2xi64>, %boxes_num: tensor<2xi32>) {
  // CHECK: pd.roi_pool_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.000000e+00 : f64} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x8x2x2xf32>, tensor<9x8x2x2xi64>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  %0 = pd.roi_pool_grad %x, %boxes, %out_grad, %arg_max, %boxes_num {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x8x2x2xf32>, tensor<9x8x2x2xi64>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

// CHECK-LABEL: func @roi_pool
func.func @roi_pool(%x: tensor<2x2x6x5xf64>, %boxes: tensor<3x4xf64>, %boxes_num: tensor<2xi32>) {
  // CHECK: pd.roi_pool %{{.*}}, %{{.*}}, %{{.*}} {pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x2x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> (tensor<3x2x2x2xf64>, tensor<3x2x2x2xi64>)
  %0:2 = pd.roi_pool %x, %boxes, %boxes_num {pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x2x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> (tensor<3x2x2x2xf64>, tensor<3x2x2x2xi64>)
  return
}

// CHECK-LABEL: func @boxes
func.func @boxes(%x: tensor<1x2x8x8xf32>, %boxes: tensor<3x4xf32>, %number: tensor<1xi32>) {
  // CHECK: pd.roi_align
  %0 = pd.roi_align %x, %boxes, %number {pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64}
    : (tensor<1x2x8x8xf32>, tensor<3x4xf32>, tensor<1xi32>) -> tensor<3x2x2x2xf32>
  return
}

// CHECK-LABEL: @regions
func.func @regions(%b: tensor<9x4xf32>, %n: tensor<2xi32>, %x: tensor<2x8x12x14xf32>, %g: tensor<9x8x2x2xf32>, %h: tensor<9x2x2x2xf32>, %p: tensor<9x8x2x2xi64>) {
  // CHECK: pd.roi_align {{.*}} -> tensor<9x8x2x2xf32>
  %4 = pd.roi_align %x, %b, %n {pooled_height = 2, pooled_width = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<2xi32>) -> tensor<9x8x2x2xf32>
  // CHECK: pd.psroi_pool {{.*}} -> tensor<9x2x2x2xf32>
  %5 = pd.psroi_pool %x, %b, %n {pooled_height = 2, pooled_width = 2, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<2xi32>) -> tensor<9x2x2x2xf32>
  // CHECK: pd.roi_align_grad
  %6 = pd.roi_align_grad %x, %b, %g, %n {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0, sampling_ratio = 2, aligned = true} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x8x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  // CHECK: pd.psroi_pool_grad
  %7 = pd.psroi_pool_grad %x, %b, %h, %n {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0, output_channels = 2} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x2x2x2xf32>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  // CHECK: pd.roi_pool_grad
  %8 = pd.roi_pool_grad %x, %b, %g, %p, %n {pooled_height = 2, pooled_width = 2, spatial_scale = 1.0} : (tensor<2x8x12x14xf32>, tensor<9x4xf32>, tensor<9x8x2x2xf32>, tensor<9x8x2x2xi64>, tensor<2xi32>) -> tensor<2x8x12x14xf32>
  return
}

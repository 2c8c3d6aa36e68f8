// RUN: proa-opt %s --split-input-file --verify-diagnostics | proa-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @proposals
func.func @proposals(%b: tensor<9x4xf32>, %s: tensor<9x1xf32>, %n: tensor<2xi32>, %m: tensor<1x2x3x4xf32>, %i: tensor<1x3x24x32xf32>, %x: tensor<2x8x12x14xf32>, %g: tensor<9x8x2x2xf32>, %h: tensor<9x2x2x2xf32>, %p: tensor<9x8x2x2xi64>) {
  // CHECK: pd.distribute_fpn_proposals {{.*}} -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<9x1xi32>, tensor<2xi32>, tensor<2xi32>)
  %0:5 = pd.distribute_fpn_proposals %b, %n {min_level = 3, max_level = 4, refer_level = 4, refer_scale = 224} : (tensor<9x4xf32>, tensor<2xi32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<9x1xi32>, tensor<2xi32>, tensor<2xi32>)
  // CHECK: pd.collect_fpn_proposals
  %1:2 = pd.collect_fpn_proposals %b, %s, %n {levels = 1, post_nms_topn = 5} : (tensor<9x4xf32>, tensor<9x1xf32>, tensor<2xi32>) -> (tensor<?x4xf32>, tensor<2xi32>)
  // CHECK: pd.iou_similarity {{.*}} -> tensor<9x9xf32>
  %2 = pd.iou_similarity %b, %b : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x9xf32>
  // CHECK: pd.density_prior_box {{.*}} -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  %3:2 = pd.density_prior_box %m, %i {variances = array<f64: 0.1, 0.1, 0.2, 0.2>, fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2, 1>} : (tensor<1x2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
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

// -----

func.func @levels_c2(%b: tensor<9x4xf32>) {
  // expected-error@+2 {{C2: there must be 1 to 1024 levels from min_level to max_level, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.distribute_fpn_proposals"(%b) {min_level = 3 : i64, max_level = 2 : i64, refer_level = 4 : i64, refer_scale = 224 : i64} : (tensor<9x4xf32>) -> tensor<9x1xi32>
  return
}

// -----

func.func @density_c2(%m: tensor<1x2x3x4xf32>, %i: tensor<1x3x24x32xf32>) {
  // expected-error@+2 {{C2: there must be as many positive densities as fixed_sizes, and fixed_ratios, found 1, 2 and 1 numbers}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.density_prior_box"(%m, %i) {fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2>} : (tensor<1x2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  return
}

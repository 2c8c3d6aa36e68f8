// RUN: proa-opt %s | proa-opt | FileCheck %s

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

// CHECK-LABEL: func @bipartite_match
func.func @bipartite_match(%dist_mat: tensor<?x5xf32>, %offsets: tensor<?xi64>) {
  // CHECK: pd.bipartite_match %{{.*}}, %{{.*}} match_type = per_prediction {dist_threshold = 0.40000000596046448 : f64} : (tensor<?x5xf32>, tensor<?xi64>) -> (tensor<?x5xi32>, tensor<?x5xf32>)
  %0:2 = pd.bipartite_match %dist_mat, %offsets match_type = per_prediction {dist_threshold = 0.40000000596046448 : f64} : (tensor<?x5xf32>, tensor<?xi64>) -> (tensor<?x5xi32>, tensor<?x5xf32>)
  return
}

// CHECK-LABEL: func @generate_proposals
func.func @generate_proposals(%scores: tensor<1x2x3x3xf32>, %bbox_deltas: tensor<1x8x3x3xf32>, %im_shape: tensor<1x2xf32>, %anchors: tensor<3x3x2x4xf32>, %variances: tensor<3x3x2x4xf32>) {
  // CHECK: pd.generate_proposals %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {min_size = 0.10000000149011612 : f64, pixel_offset = false, post_nms_top_n = 4 : i64, pre_nms_top_n = 6 : i64} : (tensor<1x2x3x3xf32>, tensor<1x8x3x3xf32>, tensor<1x2xf32>, tensor<3x3x2x4xf32>, tensor<3x3x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x1xf32>, tensor<1xi32>)
  %0:3 = pd.generate_proposals %scores, %bbox_deltas, %im_shape, %anchors, %variances {min_size = 0.10000000149011612 : f64, pixel_offset = false, post_nms_top_n = 4 : i64, pre_nms_top_n = 6 : i64} : (tensor<1x2x3x3xf32>, tensor<1x8x3x3xf32>, tensor<1x2xf32>, tensor<3x3x2x4xf32>, tensor<3x3x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x1xf32>, tensor<1xi32>)
  return
}

// CHECK-LABEL: func @nms
func.func @nms(%x: tensor<8x4xf32>) {
  // CHECK: pd.nms %{{.*}} {threshold = 0.30000001192092896 : f64} : (tensor<8x4xf32>) -> tensor<?xi64>
  %0 = pd.nms %x {threshold = 0.30000001192092896 : f64} : (tensor<8x4xf32>) -> tensor<?xi64>
  return
}

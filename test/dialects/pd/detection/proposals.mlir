// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @proposals
func.func @proposals(%b: tensor<9x4xf32>, %s: tensor<9x1xf32>, %n: tensor<2xi32>) {
  // CHECK: pd.distribute_fpn_proposals {{.*}} -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<9x1xi32>, tensor<2xi32>, tensor<2xi32>)
  %0:5 = pd.distribute_fpn_proposals %b, %n {min_level = 3, max_level = 4, refer_level = 4, refer_scale = 224} : (tensor<9x4xf32>, tensor<2xi32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<9x1xi32>, tensor<2xi32>, tensor<2xi32>)
  // CHECK: pd.collect_fpn_proposals
  %1:2 = pd.collect_fpn_proposals %b, %s, %n {levels = 1, post_nms_topn = 5} : (tensor<9x4xf32>, tensor<9x1xf32>, tensor<2xi32>) -> (tensor<?x4xf32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: func @generate_proposals
func.func @generate_proposals(%scores: tensor<1x2x3x3xf32>, %bbox_deltas: tensor<1x8x3x3xf32>, %im_shape: tensor<1x2xf32>, %anchors: tensor<3x3x2x4xf32>, %variances: tensor<3x3x2x4xf32>) {
  // CHECK: pd.generate_proposals %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {min_size = 0.10000000149011612 : f64, pixel_offset = false, post_nms_top_n = 4 : i64, pre_nms_top_n = 6 : i64} : (tensor<1x2x3x3xf32>, tensor<1x8x3x3xf32>, tensor<1x2xf32>, tensor<3x3x2x4xf32>, tensor<3x3x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x1xf32>, tensor<1xi32>)
  %0:3 = pd.generate_proposals %scores, %bbox_deltas, %im_shape, %anchors, %variances {min_size = 0.10000000149011612 : f64, pixel_offset = false, post_nms_top_n = 4 : i64, pre_nms_top_n = 6 : i64} : (tensor<1x2x3x3xf32>, tensor<1x8x3x3xf32>, tensor<1x2xf32>, tensor<3x3x2x4xf32>, tensor<3x3x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x1xf32>, tensor<1xi32>)
  return
}

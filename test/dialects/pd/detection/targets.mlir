// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @anchors
func.func @anchors(%a: tensor<17x4xf32>, %g: tensor<5x4xf32>, %c: tensor<5x1xi32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>) -> (tensor<?x4xf32>, tensor<2x1xi32>) {
  // CHECK: pd.rpn_target_assign {{.*}} {use_random = false} {{.*}} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>, tensor<3xi64>, tensor<3xi64>)
  %0:7 = pd.rpn_target_assign %a, %g, %c, %i, %o {use_random = false} : (tensor<17x4xf32>, tensor<5x4xf32>, tensor<5x1xi32>, tensor<2x3xf32>, tensor<3xi64>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>, tensor<3xi64>, tensor<3xi64>)
  // CHECK: pd.retinanet_target_assign {{.*}} -> ({{.*}}, tensor<2x1xi32>, tensor<3xi64>)
  %1:9 = pd.retinanet_target_assign %a, %g, %c, %i, %o, %c : (tensor<17x4xf32>, tensor<5x4xf32>, tensor<5x1xi32>, tensor<2x3xf32>, tensor<3xi64>, tensor<5x1xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1xi32>, tensor<3xi64>)
  return %0#2, %1#7 : tensor<?x4xf32>, tensor<2x1xi32>
}

// CHECK-LABEL: @regions
func.func @regions(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %g: tensor<5x4xf32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>, %s: tensor<20x2xf32>, %l: tensor<9x1xi32>, %p: tensor<?xi64>) -> (tensor<?x12xf32>, tensor<?x147xi32>) {
  // CHECK: pd.generate_proposal_labels {{.*}} -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?xf32>, tensor<3xi64>)
  %0:7 = pd.generate_proposal_labels %r, %c, %c, %g, %i, %o, %o {batch_size_per_im = 8 : i64, fg_fraction = 0.5 : f64, fg_thresh = 0.5 : f64, bg_thresh_hi = 0.5 : f64, bg_thresh_lo = 0.0 : f64, bbox_reg_weights = array<f64: 0.1, 0.1, 0.2, 0.2>, class_nums = 3 : i64} : (tensor<9x4xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<5x4xf32>, tensor<2x3xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?xf32>, tensor<3xi64>)
  // CHECK: pd.generate_mask_labels {{.*}} -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x147xi32>, tensor<3xi64>)
  %1:4 = pd.generate_mask_labels %r, %i, %c, %c, %s, %l, %o, %o, %p, %p {num_classes = 3 : i64, resolution = 7 : i64} : (tensor<9x4xf32>, tensor<2x3xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<20x2xf32>, tensor<9x1xi32>, tensor<3xi64>, tensor<3xi64>, tensor<?xi64>, tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x147xi32>, tensor<3xi64>)
  return %0#2, %1#2 : tensor<?x12xf32>, tensor<?x147xi32>
}

// CHECK-LABEL: @moved_cells
func.func @moved_cells(%x: tensor<2x8x6x5xf32>, %b: tensor<3x4xf32>, %t: tensor<3x2x2x2xf32>, %n: tensor<2xi64>) -> tensor<3x2x2x2xf32> {
  // CHECK: pd.deformable_psroi_pooling {{.*}} -> (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>)
  %0:2 = pd.deformable_psroi_pooling %x, %b, %t, %n {output_dim = 2 : i64, group_size = array<i64: 2, 2>, pooled_height = 2 : i64, pooled_width = 2 : i64, part_size = array<i64: 2, 2>} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf32>, tensor<2xi64>) -> (tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>)
  // CHECK: pd.deformable_psroi_pooling_grad {{.*}} -> (tensor<2x8x6x5xf32>, tensor<3x2x2x2xf32>)
  %1:2 = pd.deformable_psroi_pooling_grad %x, %b, %t, %0#0, %n {output_dim = 2 : i64, group_size = array<i64: 2, 2>, pooled_height = 2 : i64, pooled_width = 2 : i64, part_size = array<i64: 2, 2>} : (tensor<2x8x6x5xf32>, tensor<3x4xf32>, tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32>, tensor<2xi64>) -> (tensor<2x8x6x5xf32>, tensor<3x2x2x2xf32>)
  return %1#1 : tensor<3x2x2x2xf32>
}

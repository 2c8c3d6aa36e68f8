// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @retinanet_target_c1(%a0: tensor<3x5xf32>, %a1: tensor<2x4xf32>, %a2: tensor<2xi32>, %a3: tensor<1x3xf32>, %a4: tensor<2xi64>, %a5: tensor<2x1xi32>) {
  // expected-error@+1 {{C1: }}
  %0:9 = "pd.retinanet_target_assign"(%a0, %a1, %a2, %a3, %a4, %a5) : (tensor<3x5xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<1x3xf32>, tensor<2xi64>, tensor<2x1xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<1x1xi32>, tensor<2xi64>)
  return
}

// -----

func.func @rpn_c1(%a: tensor<17x5xf32>, %g: tensor<5x4xf32>, %c: tensor<5x1xi32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C1: anchor and gt_boxes must be [n, 4], im_info [images, 3]}}
  %0:7 = "pd.rpn_target_assign"(%a, %g, %c, %i, %o) : (tensor<17x5xf32>, tensor<5x4xf32>, tensor<5x1xi32>, tensor<2x3xf32>, tensor<3xi64>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>, tensor<3xi64>, tensor<3xi64>)
  return
}

// -----

func.func @proposals_c1(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %g: tensor<5x4xf32>, %i: tensor<2x4xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C1: rpn_rois and gt_boxes must be [n, 4], im_info [images, 3]}}
  %0:7 = "pd.generate_proposal_labels"(%r, %c, %c, %g, %i, %o, %o) {batch_size_per_im = 8 : i64, fg_fraction = 0.5 : f64, fg_thresh = 0.5 : f64, bg_thresh_hi = 0.5 : f64, bg_thresh_lo = 0.0 : f64, bbox_reg_weights = array<f64: 0.1, 0.1, 0.2, 0.2>, class_nums = 3 : i64} : (tensor<9x4xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<5x4xf32>, tensor<2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?xf32>, tensor<3xi64>)
  return
}

// -----

func.func @proposals_c2(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %g: tensor<5x4xf32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C2: class_nums must be positive and bbox_reg_weights four numbers, found 3 and 2}}
  %0:7 = "pd.generate_proposal_labels"(%r, %c, %c, %g, %i, %o, %o) {batch_size_per_im = 8 : i64, fg_fraction = 0.5 : f64, fg_thresh = 0.5 : f64, bg_thresh_hi = 0.5 : f64, bg_thresh_lo = 0.0 : f64, bbox_reg_weights = array<f64: 0.1, 0.1>, class_nums = 3 : i64} : (tensor<9x4xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<5x4xf32>, tensor<2x3xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?xf32>, tensor<3xi64>)
  return
}

// -----

func.func @proposals_c3(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %g: tensor<5x4xf32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C3: with is_cascade_rcnn there must be max_overlap}}
  %0:7 = "pd.generate_proposal_labels"(%r, %c, %c, %g, %i, %o, %o) {batch_size_per_im = 8 : i64, fg_fraction = 0.5 : f64, fg_thresh = 0.5 : f64, bg_thresh_hi = 0.5 : f64, bg_thresh_lo = 0.0 : f64, bbox_reg_weights = array<f64: 0.1, 0.1, 0.2, 0.2>, class_nums = 3 : i64, is_cascade_rcnn = true} : (tensor<9x4xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<5x4xf32>, tensor<2x3xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?xf32>, tensor<3xi64>)
  return
}

// -----

func.func @masks_c1(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>, %s: tensor<20x3xf32>, %l: tensor<9x1xi32>) {
  // expected-error@+1 {{C1: rois must be [n, 4], gt_segms [points, 2], im_info [images, 3]}}
  %1:4 = "pd.generate_mask_labels"(%r, %i, %c, %c, %s, %l, %o, %o, %o, %o) {num_classes = 3 : i64, resolution = 7 : i64} : (tensor<9x4xf32>, tensor<2x3xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<20x3xf32>, tensor<9x1xi32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x147xi32>, tensor<3xi64>)
  return
}

// -----

func.func @masks_c2(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>, %s: tensor<20x2xf32>, %l: tensor<9x1xi32>) {
  // expected-error@+1 {{C2: num_classes and resolution must be positive, found 3 and 0}}
  %1:4 = "pd.generate_mask_labels"(%r, %i, %c, %c, %s, %l, %o, %o, %o, %o) {num_classes = 3 : i64, resolution = 0 : i64} : (tensor<9x4xf32>, tensor<2x3xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<20x2xf32>, tensor<9x1xi32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x0xi32>, tensor<3xi64>)
  return
}

// -----

func.func @generate_mask_labels_c2(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>, %s: tensor<20x2xf32>, %l: tensor<9x1xi32>, %p: tensor<?xi64>) {
  // expected-error@+1 {{C2: num_classes and resolution must be positive, found 3 and 0}}
  %1:4 = pd.generate_mask_labels %r, %i, %c, %c, %s, %l, %o, %o, %p, %p {num_classes = 3 : i64, resolution = 0 : i64} : (tensor<9x4xf32>, tensor<2x3xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<20x2xf32>, tensor<9x1xi32>, tensor<3xi64>, tensor<3xi64>, tensor<?xi64>, tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x147xi32>, tensor<3xi64>)
  return
}

// -----

func.func @generate_proposal_labels_c2_weights(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %g: tensor<5x4xf32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>) {
  // expected-error@+1 {{C2: class_nums must be positive and bbox_reg_weights four numbers, found 3 and 1}}
  %0:7 = pd.generate_proposal_labels %r, %c, %c, %g, %i, %o, %o {batch_size_per_im = 8 : i64, fg_fraction = 0.5 : f64, fg_thresh = 0.5 : f64, bg_thresh_hi = 0.5 : f64, bg_thresh_lo = 0.0 : f64, bbox_reg_weights = array<f64: 1.0>, class_nums = 3 : i64} : (tensor<9x4xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<5x4xf32>, tensor<2x3xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?x12xf32>, tensor<?xf32>, tensor<3xi64>)
  return
}

// -----

func.func @rpn_target_assign_c1_info(%g: tensor<5x4xf32>, %c: tensor<5x1xi32>, %i: tensor<2x3xf32>, %o: tensor<3xi64>, %v0: tensor<9x5xf32>) {
  // expected-error@+1 {{C1: anchor and gt_boxes must be [n, 4], im_info [images, 3], found tensor<9x5xf32>, tensor<5x4xf32>, tensor<5x1xi32>, tensor<2x3xf32>, tensor<3xi64>}}
  %0:7 = pd.rpn_target_assign %v0, %g, %c, %i, %o {use_random = false} : (tensor<9x5xf32>, tensor<5x4xf32>, tensor<5x1xi32>, tensor<2x3xf32>, tensor<3xi64>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>, tensor<3xi64>, tensor<3xi64>)
  return
}

// -----

func.func @generate_mask_labels_c1_info(%r: tensor<9x4xf32>, %c: tensor<5x1xi32>, %o: tensor<3xi64>, %s: tensor<20x2xf32>, %l: tensor<9x1xi32>, %p: tensor<?xi64>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C1: rois must be [n, 4], gt_segms [points, 2], im_info [images, 3], found tensor<9x4xf32>, tensor<2x4xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<20x2xf32>, tensor<9x1xi32>, tensor<3xi64>, tensor<3xi64>, tensor<?xi64>, tensor<?xi64>}}
  %1:4 = pd.generate_mask_labels %r, %v1, %c, %c, %s, %l, %o, %o, %p, %p {num_classes = 3 : i64, resolution = 7 : i64} : (tensor<9x4xf32>, tensor<2x4xf32>, tensor<5x1xi32>, tensor<5x1xi32>, tensor<20x2xf32>, tensor<9x1xi32>, tensor<3xi64>, tensor<3xi64>, tensor<?xi64>, tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x147xi32>, tensor<3xi64>)
  return
}

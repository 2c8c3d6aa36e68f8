// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @locality_c1(%b: tensor<2x5x8xf32>, %s: tensor<2x3x5xf32>) {
  // expected-error@+2 {{C1: bboxes must be [N, M, 4] and scores [N, classes, M]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.locality_aware_nms"(%b, %s) {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = -1 : i64} : (tensor<2x5x8xf32>, tensor<2x3x5xf32>) -> (tensor<?x?xf32>, tensor<?xi64>)
  return
}

// -----

func.func @retinanet_c1(%b: tensor<2x5x4xf32>, %t: tensor<2x5x3xf32>, %a: tensor<5x4xf32>, %i: tensor<2x3xf32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{C1: there must be as many bboxes [N, M, 4] as scores [N, M, classes] and anchors [M, 4]}}
  %1:2 = pd.retinanet_detection_output(%b, %b) (%t) (%a, %a) %i {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = 9 : i64, nms_threshold = 0.5 : f64} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<2x3xf32>) -> (tensor<?x6xf32>, tensor<3xi64>)
  return
}

// -----

func.func @decoder_c1(%p: tensor<7x4xf32>, %v: tensor<3xf32>, %t: tensor<7x12xf32>, %s: tensor<7x3xf32>) {
  // expected-error@+2 {{C1: prior_box must be [R, 4], prior_box_var of 4 elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.box_decoder_and_assign"(%p, %v, %t, %s) : (tensor<7x4xf32>, tensor<3xf32>, tensor<7x12xf32>, tensor<7x3xf32>) -> (tensor<7x12xf32>, tensor<7x4xf32>)
  return
}

// -----

func.func @mine_c1(%s: tensor<7xf32>, %m: tensor<7x3xi32>) {
  // expected-error@+2 {{C1: all operands must be [N, boxes]}}
  // expected-error@+1 {{failed to infer returned types}}
  %1:3 = "pd.mine_hard_examples"(%s, %m, %s) : (tensor<7xf32>, tensor<7x3xi32>, tensor<7xf32>) -> (tensor<?x1xi32>, tensor<8xi64>, tensor<7x3xi32>)
  return
}

// -----

func.func @focus_c1(%x: tensor<2x3x4x5xf64>) {
  // expected-error@+2 {{C1: x must have rank 4 and axis be 1, 2 or 3, found rank 4 and axis 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %2 = "pd.similarity_focus"(%x) {axis = 0 : i64, indexes = array<i64: 0>} : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return
}

// -----

func.func @focus_c2(%x: tensor<2x3x4x5xf64>) {
  // expected-error@+2 {{C2: there must be an index, and all must be within the dim of the axis}}
  // expected-error@+1 {{failed to infer returned types}}
  %2 = "pd.similarity_focus"(%x) {axis = 1 : i64, indexes = array<i64: 3>} : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return
}

// -----

func.func @similarity_focus_c2(%x: tensor<2x3x4x5xf64>) {
  // expected-error@+2 {{C2: there must be an index, and all must be within the dim of the axis}}
  // expected-error@+1 {{failed to infer returned types}}
  %2 = pd.similarity_focus %x {axis = 1 : i64, indexes = array<i64: 99>} : (tensor<2x3x4x5xf64>) -> tensor<2x3x4x5xf64>
  return
}

// -----

func.func @retinanet_detection_output_c1(%b: tensor<2x5x4xf32>, %t: tensor<2x5x3xf32>, %a: tensor<5x4xf32>, %i: tensor<2x3xf32>, %v0: tensor<2x9x5xf32>) {
  // expected-error@+2 {{C1: there must be as many bboxes [N, M, 4] as scores [N, M, classes] and anchors [M, 4], found tensor<2x9x5xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %1:2 = pd.retinanet_detection_output(%v0, %b) (%t, %t) (%a, %a) %i {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = 9 : i64, nms_threshold = 0.5 : f64} : (tensor<2x9x5xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<2x3xf32>) -> (tensor<?x6xf32>, tensor<3xi64>)
  return
}

// -----

func.func @locality_aware_nms_c1(%s: tensor<2x3x5xf32>, %v0: tensor<1x9x5xf32>) {
  // expected-error@+2 {{C1: bboxes must be [N, M, 4] and scores [N, classes, M], found tensor<1x9x5xf32>, tensor<2x3x5xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.locality_aware_nms %v0, %s {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = -1 : i64} : (tensor<1x9x5xf32>, tensor<2x3x5xf32>) -> (tensor<?x?xf32>, tensor<?xi64>)
  return
}

// -----

func.func @box_decoder_and_assign_c1(%p: tensor<7x4xf32>, %t: tensor<7x12xf32>, %s: tensor<7x3xf32>, %v1: tensor<9xf32>) {
  // expected-error@+2 {{C1: prior_box must be [R, 4], prior_box_var of 4 elements, target_box [R, 4 * classes] and box_score [R, classes], found tensor<7x4xf32>, tensor<9xf32>, tensor<7x12xf32>, tensor<7x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.box_decoder_and_assign %p, %v1, %t, %s : (tensor<7x4xf32>, tensor<9xf32>, tensor<7x12xf32>, tensor<7x3xf32>) -> (tensor<7x12xf32>, tensor<7x4xf32>)
  return
}

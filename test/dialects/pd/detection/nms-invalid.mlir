// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @nms_c1(%a: tensor<1x8x4xf32>, %b: tensor<1x3x7xf32>) {
  // expected-error@+1 {{C1: bboxes must be [N, M, 4 or more] and scores [N, classes, M], found tensor<1x8x4xf32> and tensor<1x3x7xf32>}}
  %0:3 = "pd.multiclass_nms3"(%a, %b) {score_threshold = 0.1 : f64, nms_top_k = 1 : i64, keep_top_k = 1 : i64} : (tensor<1x8x4xf32>, tensor<1x3x7xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @nms_c2(%a: tensor<1x8x4xf32>, %b: tensor<1x3x8xf64>) {
  // expected-error@+1 {{C2: bboxes and scores must have one element type, found tensor<1x8x4xf32> and tensor<1x3x8xf64>}}
  %0:3 = "pd.matrix_nms"(%a, %b) {score_threshold = 0.1 : f64, nms_top_k = 1 : i64, keep_top_k = 1 : i64} : (tensor<1x8x4xf32>, tensor<1x3x8xf64>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @matrix_nms_c1(%a0: tensor<2x3xf32>, %a1: tensor<1x2x3xf32>) {
  // expected-error@+1 {{C1: }}
  %0:3 = "pd.matrix_nms"(%a0, %a1) <{score_threshold = 0.1 : f64, nms_top_k = 2 : i64, keep_top_k = 2 : i64}> : (tensor<2x3xf32>, tensor<1x2x3xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @multiclass_nms_c2(%a0: tensor<1x3x4xf32>, %a1: tensor<1x2x3xf64>) {
  // expected-error@+1 {{C2: }}
  %0:3 = "pd.multiclass_nms3"(%a0, %a1) <{score_threshold = 0.1 : f64, nms_top_k = 2 : i64, keep_top_k = 2 : i64}> : (tensor<1x3x4xf32>, tensor<1x2x3xf64>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @locality_c1(%b: tensor<2x5x8xf32>, %s: tensor<2x3x5xf32>) {
  // expected-error@+1 {{C1: bboxes must be [N, M, 4] and scores [N, classes, M]}}
  %0:2 = "pd.locality_aware_nms"(%b, %s) {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = -1 : i64} : (tensor<2x5x8xf32>, tensor<2x3x5xf32>) -> (tensor<?x?xf32>, tensor<?xi64>)
  return
}

// -----

func.func @retinanet_c1(%b: tensor<2x5x4xf32>, %t: tensor<2x5x3xf32>, %a: tensor<5x4xf32>, %i: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: there must be as many bboxes [N, M, 4] as scores [N, M, classes] and anchors [M, 4]}}
  %1:2 = pd.retinanet_detection_output(%b, %b) (%t) (%a, %a) %i {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = 9 : i64, nms_threshold = 0.5 : f64} : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<2x3xf32>) -> (tensor<?x6xf32>, tensor<3xi64>)
  return
}

// -----

func.func @retinanet_detection_output_c1(%b: tensor<2x5x4xf32>, %t: tensor<2x5x3xf32>, %a: tensor<5x4xf32>, %i: tensor<2x3xf32>, %v0: tensor<2x9x5xf32>) {
  // expected-error@+1 {{C1: there must be as many bboxes [N, M, 4] as scores [N, M, classes] and anchors [M, 4], found tensor<2x9x5xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<2x3xf32>}}
  %1:2 = pd.retinanet_detection_output(%v0, %b) (%t, %t) (%a, %a) %i {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = 9 : i64, nms_threshold = 0.5 : f64} : (tensor<2x9x5xf32>, tensor<2x5x4xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<2x3xf32>) -> (tensor<?x6xf32>, tensor<3xi64>)
  return
}

// -----

func.func @locality_aware_nms_c1(%s: tensor<2x3x5xf32>, %v0: tensor<1x9x5xf32>) {
  // expected-error@+1 {{C1: bboxes must be [N, M, 4] and scores [N, classes, M], found tensor<1x9x5xf32>, tensor<2x3x5xf32>}}
  %0:2 = pd.locality_aware_nms %v0, %s {score_threshold = 0.1 : f64, nms_top_k = 4 : i64, keep_top_k = -1 : i64} : (tensor<1x9x5xf32>, tensor<2x3x5xf32>) -> (tensor<?x?xf32>, tensor<?xi64>)
  return
}

// -----

func.func @nms_c1(%a0: tensor<3x5xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "pd.nms"(%a0) : (tensor<3x5xf32>) -> tensor<?xi64>
  return
}

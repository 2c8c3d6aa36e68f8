// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @yolo_c1(%a: tensor<1x6x3xf32>, %b: tensor<1x2xi32>) {
  // expected-error@+2 {{C1: x must have rank 4, and img_size be [N, 2], found tensor<1x6x3xf32> and tensor<1x2xi32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.yolo_box"(%a, %b) {anchors = array<i64: 1, 2>} : (tensor<1x6x3xf32>, tensor<1x2xi32>) -> (tensor<1x9x4xf32>, tensor<1x9x1xf32>)
  return
}

// -----

func.func @yolo_c2(%a: tensor<1x6x3x3xf32>, %b: tensor<1x2xi32>) {
  // expected-error@+2 {{C2: anchors must be pairs of positive numbers and class_num positive, found 3 numbers and class_num 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.yolo_box"(%a, %b) {anchors = array<i64: 1, 2, 3>} : (tensor<1x6x3x3xf32>, tensor<1x2xi32>) -> (tensor<1x9x4xf32>, tensor<1x9x1xf32>)
  return
}

// -----

func.func @yolo_c3(%a: tensor<1x6x3x3xf32>, %b: tensor<1x2xi32>) {
  // expected-error@+2 {{C3: x must have 8 channels, found 6}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.yolo_box"(%a, %b) {anchors = array<i64: 1, 2>, class_num = 3 : i64} : (tensor<1x6x3x3xf32>, tensor<1x2xi32>) -> (tensor<1x9x4xf32>, tensor<1x9x1xf32>)
  return
}

// -----

func.func @nms_c1(%a: tensor<1x8x4xf32>, %b: tensor<1x3x7xf32>) {
  // expected-error@+2 {{C1: bboxes must be [N, M, 4 or more] and scores [N, classes, M], found tensor<1x8x4xf32> and tensor<1x3x7xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.multiclass_nms3"(%a, %b) {score_threshold = 0.1 : f64, nms_top_k = 1 : i64, keep_top_k = 1 : i64} : (tensor<1x8x4xf32>, tensor<1x3x7xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @nms_c2(%a: tensor<1x8x4xf32>, %b: tensor<1x3x8xf64>) {
  // expected-error@+2 {{C2: bboxes and scores must have one element type, found tensor<1x8x4xf32> and tensor<1x3x8xf64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.matrix_nms"(%a, %b) {score_threshold = 0.1 : f64, nms_top_k = 1 : i64, keep_top_k = 1 : i64} : (tensor<1x8x4xf32>, tensor<1x3x8xf64>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @matrix_nms_c1(%a0: tensor<2x3xf32>, %a1: tensor<1x2x3xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.matrix_nms"(%a0, %a1) <{score_threshold = 0.1 : f64, nms_top_k = 2 : i64, keep_top_k = 2 : i64}> : (tensor<2x3xf32>, tensor<1x2x3xf32>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @multiclass_nms_c2(%a0: tensor<1x3x4xf32>, %a1: tensor<1x2x3xf64>) {
  // expected-error@+2 {{C2: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.multiclass_nms3"(%a0, %a1) <{score_threshold = 0.1 : f64, nms_top_k = 2 : i64, keep_top_k = 2 : i64}> : (tensor<1x3x4xf32>, tensor<1x2x3xf64>) -> (tensor<?x6xf32>, tensor<?x1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @yolo_box_c1_size(%x: tensor<1x16x3x3xf32>, %v1: tensor<9x3xi32>) {
  // expected-error@+2 {{C1: x must have rank 4, and img_size be [N, 2], found tensor<1x16x3x3xf32> and tensor<9x3xi32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.yolo_box %x, %v1 {anchors = array<i64: 10, 13, 16, 30>, class_num = 3 : i64, conf_thresh = 0.0099999997764825821 : f64} : (tensor<1x16x3x3xf32>, tensor<9x3xi32>) -> (tensor<1x18x4xf32>, tensor<1x18x3xf32>)
  return
}

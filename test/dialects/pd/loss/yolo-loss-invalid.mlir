// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @boxes_c1(%x: tensor<2x27x4x4xf32>, %b: tensor<2x3x5xf32>, %l: tensor<2x3xi32>) {
  // expected-error@+1 {{C1: x must have rank 4, gt_box be [N, B, 4], gt_label and gt_score [N, B], found tensor<2x27x4x4xf32>, tensor<2x3x5xf32> and tensor<2x3xi32>}}
  %0:4 = "pd.yolo_loss"(%x, %b, %l) {anchors = array<i64: 10, 13>, anchor_mask = array<i64: 0>} : (tensor<2x27x4x4xf32>, tensor<2x3x5xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2x1x4x4xf32>, tensor<2x3xi32>, tensor<2x27x4x4xf32>)
  return
}

// -----

func.func @anchors_c2(%x: tensor<2x27x4x4xf32>, %b: tensor<2x3x4xf32>, %l: tensor<2x3xi32>) {
  // expected-error@+1 {{C2: anchors must hold pairs of positive numbers and anchor_mask numbers of them, found 2 and 1}}
  %0:4 = "pd.yolo_loss"(%x, %b, %l) {anchors = array<i64: 10, 13>, anchor_mask = array<i64: 1>} : (tensor<2x27x4x4xf32>, tensor<2x3x4xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2x1x4x4xf32>, tensor<2x3xi32>, tensor<2x27x4x4xf32>)
  return
}

// -----

func.func @channels_c3(%x: tensor<2x27x4x4xf32>, %b: tensor<2x3x4xf32>, %l: tensor<2x3xi32>) {
  // expected-error@+1 {{C3: x must have 9 channels, found 27}}
  %0:4 = "pd.yolo_loss"(%x, %b, %l) {anchors = array<i64: 10, 13>, anchor_mask = array<i64: 0>, class_num = 4 : i64} : (tensor<2x27x4x4xf32>, tensor<2x3x4xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2x1x4x4xf32>, tensor<2x3xi32>, tensor<2x27x4x4xf32>)
  return
}

// -----

func.func @ratio_c4(%x: tensor<2x9x4x4xf32>, %b: tensor<2x3x4xf32>, %l: tensor<2x3xi32>) {
  // expected-error@+1 {{C4: downsample_ratio must be positive, found 0}}
  %0:4 = "pd.yolo_loss"(%x, %b, %l) {anchors = array<i64: 10, 13>, anchor_mask = array<i64: 0>, class_num = 4 : i64, downsample_ratio = 0 : i64} : (tensor<2x9x4x4xf32>, tensor<2x3x4xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2x1x4x4xf32>, tensor<2x3xi32>, tensor<2x9x4x4xf32>)
  return
}

// -----

func.func @yolo_loss_c3(%x: tensor<2x27x4x4xf32>, %b: tensor<2x3x4xf32>, %l: tensor<2x3xi32>) {
  // expected-error@+1 {{C3: x must have 312 channels, found 27}}
  %0:4 = pd.yolo_loss %x, %b, %l {anchors = array<i64: 10, 13, 16, 30, 33, 23>, anchor_mask = array<i64: 0, 1, 2>, class_num = 99 : i64} : (tensor<2x27x4x4xf32>, tensor<2x3x4xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2x3x4x4xf32>, tensor<2x3xi32>, tensor<2x27x4x4xf32>)
  return
}

// -----

func.func @yolo_loss_c1_gt_label(%x: tensor<2x27x4x4xf32>, %b: tensor<2x3x4xf32>, %v2: tensor<2x3x1xi32>) {
  // expected-error@+1 {{C1: x must have rank 4, gt_box be [N, B, 4], gt_label and gt_score [N, B], found tensor<2x27x4x4xf32>, tensor<2x3x4xf32> and tensor<2x3x1xi32>}}
  %0:4 = pd.yolo_loss %x, %b, %v2 {anchors = array<i64: 10, 13, 16, 30, 33, 23>, anchor_mask = array<i64: 0, 1, 2>, class_num = 4 : i64} : (tensor<2x27x4x4xf32>, tensor<2x3x4xf32>, tensor<2x3x1xi32>) -> (tensor<2xf32>, tensor<2x3x4x4xf32>, tensor<2x3xi32>, tensor<2x27x4x4xf32>)
  return
}
